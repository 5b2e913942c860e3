"""The constraint-based fit as a problem: noisy features over noisy leaves, and the classes that leaves fall into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log

import numpy as np

from quietway.errors import UniverseError
from quietway.estimate.flat import parents
from quietway.estimate.leaves import Leaves
from quietway.estimate.normal import Blocks, Index
from quietway.estimate.solution import Floats
from quietway.universe import Partition

MOST_CLASSES = 2**22


@dataclass(frozen=True, kw_only=True, eq=False)
class Feature:
    """The noisy totals of a partition, and a leaf's weight over theirs."""

    partition: Partition
    noisy: Floats
    ridge: float


@dataclass(frozen=True, eq=False)
class Problem:
    """Features, the ones with the most blocks first, over leaves whose groups are the classes."""

    features: tuple[Feature, ...]
    leaves: Leaves

    @classmethod
    def of(cls, features: Sequence[Feature], leaves: Leaves) -> Problem:
        """The problem with its features in order."""
        return cls(tuple(sorted(features, key=lambda feature: -feature.partition.blocks)), leaves)

    def with_noisy(self, noisy: Floats) -> Problem:
        """The same with other totals, given as `noisy` lists them."""
        parts = np.split(noisy, self.starts[1:-1])
        return Problem(
            tuple(replace(feature, noisy=part) for feature, part in zip(self.features, parts, strict=True)),
            self.leaves,
        )

    @cached_property
    def starts(self) -> Index:
        """The number of each feature's first block, and of all blocks."""
        return np.r_[0, np.cumsum([feature.partition.blocks for feature in self.features])].astype(np.int64)

    @cached_property
    def noisy(self) -> Floats:
        """The noisy totals of all blocks."""
        return np.concatenate([feature.noisy for feature in self.features])

    @cached_property
    def ridge(self) -> Floats:
        """The ridge of every block."""
        return np.repeat([feature.ridge for feature in self.features], np.diff(self.starts))

    @cached_property
    def pull(self) -> float:
        """About how far a leaf that stays positive is moved: as far as the highest noise."""
        return self.leaves.scale * log(1 + float(self.sizes.sum()))

    @cached_property
    def unit(self) -> float:
        """What residuals are relative to."""
        return max(1.0, float(np.abs(self.noisy).max()))

    @cached_property
    def blocks(self) -> Blocks:
        """The block of each class in every feature."""
        return blocks_of([feature.partition for feature in self.features], self.leaves.groups)

    @cached_property
    def sizes(self) -> Floats:
        """How many cells each class holds."""
        return self.leaves.groups.sizes().astype(np.float64)

    @cached_property
    def margin(self) -> float:
        """How far below the thresholds leaves are listed."""
        return max(1.0, self.leaves.scale / 2)


def blocks_of(partitions: Sequence[Partition], classes: Partition) -> Blocks:
    """The block of each class in every partition, counted through all of them."""
    starts = np.cumsum([0, *(partition.blocks for partition in partitions)])[:-1]
    columns = [
        parents(classes, partition) + start for partition, start in zip(partitions, starts, strict=True)
    ]
    return np.ascontiguousarray(np.column_stack(columns).astype(np.int32))


def classes_of(partitions: Sequence[tuple[str, Partition]], most: int = MOST_CLASSES) -> Partition:
    """The coarsest partition that refines all of them: its cells share a block of each."""
    (_, classes), *others = sorted(partitions, key=lambda named: named[1].blocks)
    for name, partition in others:
        classes = classes.refine(partition)
        if classes.blocks > most:
            raise UniverseError(
                f"the features cross so finely that they tell {classes.blocks:,} groups of cells apart, '{name}' the last of them "
                f"(at most {most:,} here); leave out that feature, or make it coarser"
            )
    return classes
