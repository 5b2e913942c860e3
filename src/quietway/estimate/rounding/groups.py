"""Which cells belong together: blocks that hold any, and classes, whose cells lie in the same block of every feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quietway.estimate.rounding.flow import Index
from quietway.estimate.solution import Floats, sums
from quietway.universe import Partition


@dataclass(frozen=True, eq=False)
class Blocks:
    """A number for each member, without gaps."""

    number: Index
    count: int

    @classmethod
    def of(cls, labels: Index) -> Blocks:
        """Equal labels have the same number, in their order."""
        if not labels.size:
            return cls(labels, 0)
        most = int(labels.max()) + 1
        if most > 8 * labels.size:
            values, number = np.unique(labels, return_inverse=True)
            return cls(number, len(values))
        seen = np.zeros(most, dtype=np.bool_)
        seen[labels] = True
        rank = np.cumsum(seen) - 1
        return cls(rank[labels], int(rank[-1]) + 1)

    def cut_by(self, other: Blocks) -> Blocks:
        """Members stay together if both keep them so."""
        return Blocks.of(self.number * other.count + other.number)

    def of_each(self, numbers: Index) -> Index:
        """One number per block, where all of a block's members have the same."""
        found = np.zeros(self.count, dtype=np.int64)
        found[self.number] = numbers
        return found

    def lie_in(self, other: Blocks) -> bool:
        """Whether each lies inside one of the other's."""
        return bool((other.number == self.of_each(other.number)[self.number]).all())

    def sums(self, values: Floats) -> Floats:
        """The sum of each block's values."""
        return sums(self.number, values, self.count)


def blocks_of(keys: Index, partitions: Sequence[Partition]) -> list[Blocks]:
    """The blocks of each partition that hold a cell."""
    return [Blocks.of(partition.block_of(keys)) for partition in partitions]


def classes_of(features: Sequence[Blocks], cells: int) -> Blocks:
    """The cells that all features keep together."""
    classes = Blocks(np.zeros(cells, dtype=np.int64), min(1, cells))
    for feature in sorted(features, key=lambda feature: -feature.count):
        classes = classes.cut_by(feature)
    return classes
