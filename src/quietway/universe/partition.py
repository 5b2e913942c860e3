"""Partitions of a universe in product form, and their algebra."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from quietway.errors import UniverseError
from quietway.universe import lattice
from quietway.universe.rule import Rule, each
from quietway.universe.universe import LARGEST_KEY, LARGEST_LIST, Universe, rounded


@dataclass(frozen=True, eq=False)
class Partition:
    """A universe cut into blocks by rules over disjoint groups of axes.

    An element's block is the tuple of its rules' blocks; an axis that no rule
    reads is summed out. Every element has exactly one block by construction,
    so one trip moves one total by one.
    """

    universe: Universe
    rules: tuple[Rule, ...]

    @classmethod
    def by(cls, universe: Universe, rules: Iterable[Rule]) -> Partition:
        """The partition whose blocks are the combinations of the rules' blocks."""
        result = cls(universe, ())
        for rule in rules:
            result._require_same_universe(rule.universe)
            taken = {i for r in result.rules for i in r.axes}
            if taken.isdisjoint(rule.axes):
                result = cls(universe, (*result.rules, rule))
            else:
                result = result.refine(cls(universe, (rule,)))
        return result

    @classmethod
    def total(cls, universe: Universe) -> Partition:
        """Everything in one block."""
        return cls(universe, ())

    @classmethod
    def identity(cls, universe: Universe) -> Partition:
        """Every element a block of its own; block numbers are keys."""
        return cls.margin(universe, universe.names)

    @classmethod
    def margin(cls, universe: Universe, axes: Iterable[str]) -> Partition:
        """One block for each combination of the named axes."""
        return cls(universe, tuple(each(universe, axis) for axis in dict.fromkeys(axes)))

    @property
    def blocks(self) -> int:
        """How many blocks there are, empty ones included."""
        return prod(rule.blocks for rule in self.rules)

    @cached_property
    def is_identity(self) -> bool:
        """Whether block numbers and keys are the same thing."""
        kept = tuple(rule.axes[0] for rule in self.rules if rule.labels is None)
        return kept == tuple(range(len(self.universe.axes)))

    def block_of(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """The block number of each cell."""
        if self.is_identity:
            return keys
        self.require_numbers()
        coordinates = self._coordinates(keys)
        numbers = np.zeros(len(keys), dtype=np.int64)
        for rule in self.rules:
            numbers *= rule.blocks
            numbers += rule.block_of(coordinates)
        return numbers

    def totals(self, keys: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.int64]:
        """The exact total of every block."""
        self.require_list()
        totals = np.zeros(self.blocks, dtype=np.int64)
        np.add.at(totals, self.block_of(keys), values)
        return totals

    def shares(self) -> NDArray[np.float64]:
        """What part of the universe's cells each block holds."""
        shares = np.ones(1)
        for rule in self.rules:
            part = np.bincount(rule.table.ravel(), minlength=rule.blocks) / rule.table.size
            shares = np.multiply.outer(shares, part).ravel()
        return shares

    def sizes(self) -> NDArray[np.int64]:
        """How many cells each block holds, exactly."""
        self.require_list()
        self.universe.require_keys()
        read = {i for rule in self.rules for i in rule.axes}
        sizes = np.array(
            [prod(size for i, size in enumerate(self.universe.shape) if i not in read)], np.int64
        )
        for rule in self.rules:
            part = np.bincount(rule.table.ravel(), minlength=rule.blocks)
            sizes = np.multiply.outer(sizes, part).ravel()
        return sizes

    def labels(self) -> NDArray[np.int32]:
        """The block number of every cell, in key order: room for the whole universe."""
        self.universe.require_list()
        shape = self.universe.shape
        numbers = np.zeros((1,) * len(shape), dtype=np.int32)
        for rule in self.rules:
            spread = [size if i in rule.axes else 1 for i, size in enumerate(shape)]
            numbers = numbers * np.int32(rule.blocks) + rule.table.astype(np.int32).reshape(spread)
        return np.broadcast_to(numbers, shape).ravel()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the parts of a block's label."""
        return tuple(rule.name for rule in self.rules)

    def block_labels(self, blocks: NDArray[np.int64]) -> list[tuple[str, ...]]:
        """What each block is called: one name per column."""
        columns = list[list[str]]()
        rest = np.asarray(blocks, dtype=np.int64)
        for rule in reversed(self.rules):
            rest, index = np.divmod(rest, rule.blocks)
            names = {int(i): rule.block_name(int(i)) for i in np.unique(index)}
            columns.append([names[int(i)] for i in index])
        return list(zip(*reversed(columns), strict=True)) if columns else [()] * len(rest)

    def refines(self, coarser: Partition) -> bool:
        """Whether each of its blocks lies inside one block of the other."""
        self._require_same_universe(coarser.universe)
        return all(lattice.determines(self.rules, rule) for rule in coarser.rules)

    def same_blocks(self, other: Partition) -> bool:
        """Whether both cut the universe alike, whatever the blocks are called."""
        return self.refines(other) and other.refines(self)

    def refine(self, other: Partition) -> Partition:
        """The coarsest partition that refines both: elements stay together if both keep them so."""
        self._require_same_universe(other.universe)
        return Partition(self.universe, lattice.meet(self.rules, other.rules))

    def merge(self, other: Partition) -> Partition:
        """The finest partition that both refine: elements come together if either joins them."""
        self._require_same_universe(other.universe)
        return Partition(self.universe, lattice.join(self.rules, other.rules))

    def project(self, axes: Sequence[str]) -> Partition:
        """The finest coarsening that looks at the named axes alone."""
        return self.merge(Partition.margin(self.universe, axes))

    def require_numbers(self) -> None:
        """Refuse work that needs a 64-bit number per block where there is none."""
        if self.blocks > LARGEST_KEY:
            raise UniverseError(
                f"a partition of {rounded(self.blocks)} blocks has too many to number; make it coarser"
            )

    def require_list(self) -> None:
        """Refuse work that needs one value per block where they would not fit in memory."""
        if self.blocks > LARGEST_LIST:
            raise UniverseError(
                f"a partition of {rounded(self.blocks)} blocks is too big to list (at most {LARGEST_LIST:,}); "
                "make it coarser, or ask for ranges instead"
            )

    def _coordinates(self, keys: NDArray[np.int64]) -> dict[int, NDArray[np.int64]]:
        return {i: self.universe.index(keys, i) for rule in self.rules for i in rule.axes}

    def _require_same_universe(self, other: Universe) -> None:
        if self.universe != other:
            raise UniverseError("partitions of two different universes cannot be compared or combined")
