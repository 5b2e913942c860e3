"""Errors of a published table against the true one.

All are relative, so that a table without any trips scores exactly 1 on each of
them, whatever the data; `transport` adds one in kilometres.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from quietway.errors import InputError
from quietway.estimate.solution import sums
from quietway.universe import Axis, Partition, Universe, random_ranges

Keys = NDArray[np.int64]
Floats = NDArray[np.float64]
Values = NDArray[np.int64] | NDArray[np.float64]

LARGEST_BINS = 2**24


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison:
    """A published table beside the truth, on the cells where either holds anything.

    `error` is published minus true. Published values may be real numbers.
    """

    universe: Universe
    keys: Keys
    truth: Floats
    error: Floats

    @classmethod
    def of(
        cls, universe: Universe, *, truth: tuple[Keys, Values], published: tuple[Keys, Values]
    ) -> Comparison:
        """From two sparse tables, each as keys and values."""
        (true_keys, true_values), (keys, values) = truth, published
        cells, (of_truth, of_published) = summed(
            np.concatenate((true_keys, keys)),
            (
                np.concatenate((true_values.astype(np.float64), np.zeros(len(keys)))),
                np.concatenate((np.zeros(len(true_keys)), values.astype(np.float64))),
            ),
            size=universe.size,
        )
        if not of_truth.sum() > 0:
            raise InputError("the true table has no trips, so no error can be taken relative to them")
        return cls(universe=universe, keys=cells, truth=of_truth, error=of_published - of_truth)

    @property
    def total(self) -> float:
        """How many trips there truly are."""
        return float(self.truth.sum())

    def margins(self, partition: Partition) -> tuple[Floats, Floats]:
        """What each block truly holds, and the error of what was published for it."""
        partition.require_list()
        block = partition.block_of(self.keys)
        return (
            sums(block, self.truth, partition.blocks),
            sums(block, self.error, partition.blocks),
        )


def relative_l1(comparison: Comparison, partition: Partition | None = None) -> float:
    """The sum of absolute errors over the blocks of a partition (None: the cells), over the true total."""
    error = comparison.error if partition is None else comparison.margins(partition)[1]
    return float(np.abs(error).sum() / comparison.total)


def relative_l2(comparison: Comparison, partition: Partition | None = None) -> float:
    """The Euclidean length of the errors over that of the true values."""
    truth, error = (
        (comparison.truth, comparison.error) if partition is None else comparison.margins(partition)
    )
    return float(np.linalg.norm(error) / np.linalg.norm(truth))


def range_error(comparison: Comparison, grouping: Partition, *, count: int = 1000, seed: int = 7) -> float:
    """The mean absolute error of random boxes over grouped axes, over their mean true answer.

    A box is an interval of blocks on each rule of the grouping (of zones, of
    periods), every interval being equally likely; the boxes follow from `seed`
    alone. The mean of ratios would hang on the emptiest boxes; the ratio of
    means is 1 for the empty table and weighs boxes by what they hold.
    """
    universe = Universe(tuple(Axis(name=rule.name, size=rule.blocks) for rule in grouping.rules))
    boxes = random_ranges(universe, count, seed=seed)
    truth, error = (
        boxes.answers(np.arange(grouping.blocks, dtype=np.int64), margin)
        for margin in comparison.margins(grouping)
    )
    return float(np.abs(error).mean() / truth.mean())


def geometric_mean(errors: Sequence[float], *, floor: float = 0.0) -> float:
    """Of errors of different kinds, so that halving any of them counts alike.

    An error below `floor` counts as `floor`: being right by chance on one
    measure (a total off by less than one trip) must not outweigh the others.
    """
    if not errors or min(errors) < 0 or (floor == 0 and min(errors) == 0):
        raise InputError("a geometric mean needs positive errors; give a floor for those that may be 0")
    return exp(sum(log(max(error, floor)) for error in errors) / len(errors))


def summed(keys: Keys, columns: Sequence[Floats], *, size: int) -> tuple[Keys, list[Floats]]:
    """Each column's sum over equal keys, for the distinct keys in order; every key is below `size`."""
    if size <= LARGEST_BINS:
        every = [sums(keys, column, size) for column in columns]
        found = np.flatnonzero(np.logical_or.reduce([column != 0 for column in every]))
        return found, [column[found] for column in every]
    found, place = np.unique(keys, return_inverse=True)
    return found, [sums(place, column, len(found)) for column in columns]
