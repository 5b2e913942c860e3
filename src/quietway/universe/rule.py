"""One factor of a partition: a public labelling of a few axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from quietway.errors import UniverseError
from quietway.universe.universe import Universe

LARGEST_TABLE = 50_000_000


@dataclass(frozen=True, eq=False)
class Rule:
    """A block label for every combination of some axes.

    `axes` are positions in the universe, ascending. `labels` is a row-major
    table over those axes; None stands for one axis kept as it is.
    """

    universe: Universe
    axes: tuple[int, ...]
    labels: NDArray[np.int64] | None
    blocks: int
    name: str
    block_names: tuple[str, ...] | None = None

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the axes it reads."""
        return tuple(self.universe.axes[i].size for i in self.axes)

    @cached_property
    def table(self) -> NDArray[np.int64]:
        """The block of each combination, shaped like the axes."""
        if self.labels is None:
            return np.arange(self.blocks, dtype=np.int64)
        return self.labels.reshape(self.sizes)

    def block_of(self, coordinates: dict[int, NDArray[np.int64]]) -> NDArray[np.int64]:
        """The block of each element, given the indices on this rule's axes."""
        if self.labels is None:
            return coordinates[self.axes[0]]
        return self.table[tuple(coordinates[i] for i in self.axes)]

    def block_name(self, block: int) -> str:
        """What a block is called."""
        if self.labels is None:
            return self.universe.axes[self.axes[0]].label(block)
        return str(block) if self.block_names is None else self.block_names[block]


def each(universe: Universe, axis: str) -> Rule:
    """Keep one axis as it is."""
    position = universe.position(axis)
    return Rule(universe, (position,), None, universe.axes[position].size, axis)


def grouped(
    universe: Universe,
    axes: Sequence[str],
    labels: NDArray[np.int64],
    *,
    name: str,
    block_names: tuple[str, ...] | None = None,
) -> Rule:
    """Group the combinations of some axes by a table of block numbers, one dimension per axis."""
    positions = [universe.position(axis) for axis in axes]
    if len(set(positions)) < len(positions):
        raise UniverseError(f"rule '{name}' names an axis twice; name each axis once")
    sizes = tuple(universe.axes[i].size for i in positions)
    table = _table(labels, sizes, name)
    if table.min() < 0:
        raise UniverseError(f"rule '{name}' leaves elements without a block; every element needs one")
    blocks = int(table.max()) + 1 if block_names is None else len(block_names)
    _require_blocks(table, blocks, block_names, name)
    order = np.argsort(positions)
    flat = np.ascontiguousarray(table.transpose(order)).ravel()
    return Rule(universe, tuple(positions[i] for i in order), flat, blocks, name, block_names)


def grouped_by_rows(
    universe: Universe, axes: Sequence[str], rows: Iterable[tuple[Sequence[str], str]], *, name: str
) -> Rule:
    """Group by a listing of (labels, block name) pairs, each combination exactly once."""
    sizes = tuple(universe.axis(axis).size for axis in axes)
    require_table_size(sizes, name)
    table = np.full(sizes, -1, dtype=np.int64)
    numbers: dict[str, int] = {}
    for labels, block in rows:
        cell = tuple(universe.axis(axis).index(label) for axis, label in zip(axes, labels, strict=True))
        number = numbers.setdefault(block, len(numbers))
        if table[cell] not in (-1, number):
            first = next(known for known, n in numbers.items() if n == table[cell])
            raise UniverseError(
                f"rule '{name}' maps {' / '.join(labels)} to two blocks, '{first}' and '{block}'; keep one of them"
            )
        table[cell] = number
    missing = np.argwhere(table < 0)
    if missing.size:
        example = " / ".join(
            universe.axis(axis).label(int(i)) for axis, i in zip(axes, missing[0], strict=True)
        )
        raise UniverseError(
            f"rule '{name}' does not cover the universe: {len(missing)} of {prod(sizes)} combinations of "
            f"{', '.join(axes)} have no block, for instance {example}; give each of them one"
        )
    return grouped(universe, axes, table, name=name, block_names=tuple(numbers))


def _table(labels: NDArray[np.int64], sizes: tuple[int, ...], name: str) -> NDArray[np.int64]:
    require_table_size(sizes, name)
    table = np.asarray(labels, dtype=np.int64)
    if not sizes or table.size != prod(sizes):
        raise UniverseError(
            f"rule '{name}' gives {table.size} block numbers for {prod(sizes)} combinations of {len(sizes)} axes; "
            "name at least one axis, and give one number for each combination"
        )
    return table.reshape(sizes)


def _require_blocks(
    table: NDArray[np.int64], blocks: int, block_names: tuple[str, ...] | None, name: str
) -> None:
    """Every block has elements and, where names are given, a name of its own."""
    if table.max() >= blocks:
        raise UniverseError(f"rule '{name}' uses block {table.max()} but names only {blocks} blocks")
    if block_names is not None and len(set(block_names)) < blocks:
        raise UniverseError(f"rule '{name}' gives two blocks the same name; name each block differently")
    # Past the table's size there must be an empty block, and counting up to there would not fit in memory.
    counted = min(blocks, table.size + 1)
    empty = np.flatnonzero(np.bincount(table[table < counted], minlength=counted) == 0)
    if empty.size:
        called = empty[0] if block_names is None else f"'{block_names[empty[0]]}'"
        raise UniverseError(f"rule '{name}' has a block without elements, {called}; leave such blocks out")


def require_table_size(sizes: Sequence[int], name: str) -> None:
    """Refuse a table that could not be held in memory."""
    if prod(sizes) > LARGEST_TABLE:
        raise UniverseError(
            f"rule '{name}' would need a table of {prod(sizes):,} combinations (at most {LARGEST_TABLE:,}); "
            "group each axis on its own instead"
        )
