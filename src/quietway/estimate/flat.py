"""Independent noisy partitions: clipped cells, and margins from whichever partitions know them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quietway.errors import FitError
from quietway.estimate.solution import Estimates, Solution, around, sums
from quietway.measurement import Measurement
from quietway.universe import Partition, Range, grouped


@dataclass(frozen=True, eq=False)
class FlatErrors:
    """Estimates from measured partitions with independent noise.

    A margin is estimated by every measured partition that refines it; the sums
    are averaged with inverse-variance weights. Where none refines it, all that
    is known is that it lies between nothing and the total.
    """

    unbiased: ClassVar[bool] = True

    measurements: tuple[Measurement, ...]

    def margin(self, partition: Partition, confidence: float) -> Estimates:
        """One estimate per block of any partition."""
        weight, weighted = np.zeros(partition.blocks), np.zeros(partition.blocks)
        for measurement in self.measurements:
            if measurement.partition.refines(partition):
                parent = parents(measurement.partition, partition)
                precision = 1 / (
                    measurement.variance * np.maximum(1, np.bincount(parent, minlength=partition.blocks))
                )
                weight += precision
                weighted += precision * sums(parent, measurement.noisy, partition.blocks)
        if not weight.any():
            return self._unknown(partition, confidence)
        return around(weighted / weight, 1 / np.sqrt(weight), confidence)

    def range(self, range_: Range, confidence: float) -> Estimates:
        """The range as one block of the partition that its masks make."""
        partition = partition_of(range_)
        every = self.margin(partition, confidence)
        inside = slice(partition.blocks - 1, None)
        return Estimates(
            estimate=every.estimate[inside],
            deviation=every.deviation[inside],
            low=every.low[inside],
            high=every.high[inside],
        )

    def _unknown(self, partition: Partition, confidence: float) -> Estimates:
        total = self.margin(Partition.total(partition.universe), confidence)
        return Estimates(
            estimate=partition.shares() * total.estimate,
            deviation=np.full(partition.blocks, np.inf),
            low=np.zeros(partition.blocks),
            high=np.repeat(total.high, partition.blocks),
        )


def parents(finer: Partition, coarser: Partition) -> NDArray[np.int64]:
    """The block of the coarser partition that holds each block of the finer one.

    Found on one cell per block of the finer partition, built axis by axis, so
    the cost follows the blocks and never the universe.
    """
    universe = finer.universe
    universe.require_keys()
    keys = np.zeros(finer.blocks, dtype=np.int64)
    numbers = np.arange(finer.blocks, dtype=np.int64)
    for rule in reversed(finer.rules):
        numbers, block = np.divmod(numbers, rule.blocks)
        if rule.labels is None:
            keys += block * universe.stride(rule.axes[0])
        else:
            first = np.zeros(rule.blocks, dtype=np.int64)
            first[rule.table.ravel()[::-1]] = np.arange(rule.table.size)[::-1]
            for axis, index in zip(rule.axes, np.unravel_index(first[block], rule.sizes), strict=True):
                keys += index * universe.stride(axis)
    return coarser.block_of(keys)


def partition_of(range_: Range) -> Partition:
    """The partition whose last block is the range."""
    universe = range_.universe
    rules = [
        grouped(universe, [axis.name], mask.astype(np.int64), name=axis.name, block_names=("out", "in"))
        for axis, mask in zip(universe.axes, range_.masks, strict=True)
        if mask is not None and not mask.all()
    ]
    return Partition.by(universe, rules)


def _evenly(count: int, cells: int) -> NDArray[np.int64]:
    """The keys floor(i cells / count), without the product that 64 bits could not hold."""
    step, rest = divmod(cells, max(1, count))
    i = np.arange(count, dtype=np.int64)
    return i * step + i * rest // max(1, count)


def clip(measurements: Sequence[Measurement]) -> Solution:
    """Each noisy cell on its own, negative ones set to zero: the plain Laplace table."""
    cells = measurements[-1]
    if not cells.partition.is_identity:
        raise FitError("the last measurement must be of the cells")
    keys = np.flatnonzero(cells.noisy > 0)
    return Solution(
        keys=keys,
        counts=cells.noisy[keys],
        errors=FlatErrors(tuple(measurements)),
        status="noisy cells, negative ones set to zero; the total of such a table is biased upward",
    )


def spread(measurements: Sequence[Measurement]) -> Solution:
    """The noisy total, spread evenly over the cells."""
    (total,) = measurements
    trips, cells = max(0, int(total.noisy[0])), total.partition.universe.size
    whole, rest = divmod(trips, cells)
    keys = np.arange(cells, dtype=np.int64) if whole else _evenly(rest, cells)
    counts = np.full(len(keys), max(1, whole), dtype=np.int64)
    if whole:
        counts[_evenly(rest, cells)] += 1
    return Solution(
        keys=keys,
        counts=counts,
        errors=FlatErrors((total,)),
        status="the noisy total, spread evenly over all cells",
    )
