"""How far posterior means may be off: estimates and intervals for any margin or range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.flat import partition_of
from quietway.estimate.posterior import Posterior
from quietway.estimate.solution import Estimates, around
from quietway.estimate.splitting import Splitting, Told
from quietway.measurement import Measurement
from quietway.universe import Partition, Range, Rule, grouped


TRACE = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class PosteriorErrors:
    """Posterior means of sums of cells, with intervals by the splitting that leaves the least variance."""

    splitting: Splitting

    @classmethod
    def of(cls, posterior: Posterior, measurements: Sequence[Measurement]) -> PosteriorErrors:
        """Without what the fit kept for each cell and margin."""
        noise = {margin.name: margin.variance for margin in measurements}
        told = tuple(
            Told(
                partition=margin.partition,
                mean=margin.target,
                variance=np.minimum(margin.belief.variance, noise[margin.name]),
            )
            for margin in posterior.learned
        )
        return cls(splitting=Splitting(universe=told[0].partition.universe, cells=np.maximum(posterior.cells, TRACE * posterior.cells.mean()), told=told))

    def margin(self, partition: Partition, confidence: float) -> Estimates:
        """One estimate per block of any partition."""
        above = [
            partition if told.partition.refines(partition) else told.partition.merge(partition)
            for told in self.splitting.told
        ]
        found = [self.splitting.variance(partition, one) for one in _finest(above)]
        variance = np.minimum.reduce([v for v in found if v is not None])
        return around(self.splitting.totals(partition), np.sqrt(variance), confidence)

    def range(self, range_: Range, confidence: float) -> Estimates:
        """The estimate for one range."""
        inside = partition_of(range_)
        key = _first_key(range_)
        best = np.inf
        for above in _finest([_hull(told.partition, range_) for told in self.splitting.told]):
            partition = inside.refine(above)
            block = int(partition.block_of(key)[0])
            best = min(best, self.splitting.variance(partition, above)[block])
        held = self.splitting.totals(inside)[-1:]
        return around(held, np.sqrt(np.array([best])), confidence)


def _finest(partitions: Sequence[Partition]) -> list[Partition]:
    """Those that no other refines; of equal ones the first."""
    kept = list[Partition]()
    for one in sorted(partitions, key=lambda partition: -partition.blocks):
        if not any(other.refines(one) for other in kept):
            kept.append(one)
    return kept


def _hull(partition: Partition, range_: Range) -> Partition:
    """What a range touches, rule by rule, as the last block."""
    rules = list[Rule]()
    for rule in partition.rules:
        masks = [range_.masks[i] for i in rule.axes]
        chosen = np.ix_(*(np.ones(n, np.bool_) if mask is None else mask for n, mask in zip(rule.sizes, masks, strict=True)))
        touched = np.zeros(rule.blocks, dtype=np.int64)
        touched[rule.table[chosen]] = 1
        if not touched.all():
            axes = [partition.universe.names[i] for i in rule.axes]
            rules.append(grouped(partition.universe, axes, touched[rule.table], name=rule.name))
    return Partition.by(partition.universe, rules)


def _first_key(range_: Range) -> NDArray[np.int64]:
    """One cell of a range."""
    key = 0
    for axis, mask in zip(range_.universe.axes, range_.masks, strict=True):
        key = key * axis.size + (0 if mask is None else int(np.argmax(mask)))
    return np.array([key], dtype=np.int64)
