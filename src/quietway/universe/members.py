"""Cells in the order of a partition: block after block, without listing any of them.

Within a block, a cell's rank counts in mixed radix: its place among the members of each rule's block, then its
position on each axis that no rule reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quietway.universe.partition import Partition
from quietway.universe.rule import Rule

Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Members:
    """The cells of a partition's blocks, one block after the other."""

    partition: Partition

    @cached_property
    def sizes(self) -> Index:
        """How many cells each block holds."""
        return self.partition.sizes()

    @cached_property
    def starts(self) -> Index:
        """The position of each block's first cell."""
        return np.cumsum(self.sizes) - self.sizes

    def positions(self, keys: Index) -> Index:
        """Where each cell stands."""
        universe = self.partition.universe
        coordinates = universe.coordinates(keys)
        rank, block = np.zeros(len(keys), dtype=np.int64), np.zeros(len(keys), dtype=np.int64)
        for rule, order in zip(self.partition.rules, self._orders, strict=True):
            entry = np.ravel_multi_index(tuple(coordinates[i] for i in rule.axes), rule.sizes)
            part = rule.block_of(dict(enumerate(coordinates)))
            rank = rank * order.sizes[part] + order.place(entry, part)
            block = block * rule.blocks + part
        for i in self._free:
            rank = rank * universe.shape[i] + coordinates[i]
        return self.starts[block] + rank

    def keys(self, positions: Index) -> Index:
        """The cell at each position."""
        universe = self.partition.universe
        block = np.searchsorted(self.starts, positions, side="right") - 1
        rank, keys = positions - self.starts[block], np.zeros(len(positions), dtype=np.int64)
        for i in reversed(self._free):
            rank, index = np.divmod(rank, universe.shape[i])
            keys += index * universe.stride(i)
        for rule, order in zip(reversed(self.partition.rules), reversed(self._orders), strict=True):
            block, part = np.divmod(block, rule.blocks)
            rank, place = np.divmod(rank, order.sizes[part])
            for i, index in zip(
                rule.axes, np.unravel_index(order.entry(place, part), rule.sizes), strict=True
            ):
                keys += index * universe.stride(i)
        return keys

    @cached_property
    def _free(self) -> tuple[int, ...]:
        read = {i for rule in self.partition.rules for i in rule.axes}
        return tuple(i for i in range(len(self.partition.universe.axes)) if i not in read)

    @cached_property
    def _orders(self) -> tuple[_Order, ...]:
        return tuple(_Order.of(rule) for rule in self.partition.rules)


@dataclass(frozen=True, eq=False)
class _Order:
    """The entries of a rule's table, sorted by block; `ordered` is None where each is a block of its own."""

    sizes: Index
    starts: Index
    ordered: Index | None
    rank: Index | None

    @classmethod
    def of(cls, rule: Rule) -> _Order:
        if rule.labels is None:
            return cls(np.ones(rule.blocks, dtype=np.int64), np.arange(rule.blocks), None, None)
        sizes = np.bincount(rule.labels, minlength=rule.blocks)
        ordered = np.argsort(rule.labels, kind="stable")
        rank = np.empty_like(ordered)
        rank[ordered] = np.arange(ordered.size)
        return cls(sizes, np.cumsum(sizes) - sizes, ordered, rank)

    def place(self, entry: Index, part: Index) -> Index:
        """An entry's place in its block."""
        return np.zeros_like(entry) if self.rank is None else self.rank[entry] - self.starts[part]

    def entry(self, place: Index, part: Index) -> Index:
        """The entry at a place of a block."""
        return part if self.ordered is None else self.ordered[self.starts[part] + place]
