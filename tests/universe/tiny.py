"""Universes small enough to list, and partitions of them beside an independent listing."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from hypothesis import strategies as st

from quietway.universe import Axis, Partition, Rule, Universe, each, grouped

Cells = frozenset[frozenset[int]]


@dataclass(frozen=True)
class Listed:
    """A partition, and its blocks as sets of cell numbers."""

    partition: Partition
    cells: Cells


@st.composite
def universes(draw: st.DrawFn, *, most_axes: int = 3) -> Universe:
    """One to three axes of one to four elements."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=most_axes))
    return Universe(tuple(Axis(name="abcd"[i], size=size) for i, size in enumerate(sizes)))


@st.composite
def listed(draw: st.DrawFn, universe: Universe) -> Listed:
    """Rules over disjoint groups of axes in any order, some axes left out."""
    owner = draw(st.lists(st.integers(-1, 2), min_size=len(universe.axes), max_size=len(universe.axes)))
    groups = draw(st.permutations(sorted(set(owner) - {-1})))
    made = [draw(_rule(universe, [i for i, o in enumerate(owner) if o == group])) for group in groups]
    blocks: dict[tuple[int, ...], set[int]] = {}
    for number, cell in enumerate(product(*(range(size) for size in universe.shape))):
        blocks.setdefault(tuple(label[tuple(cell[i] for i in axes)] for _, axes, label in made), set()).add(
            number
        )
    partition = Partition.by(universe, [rule for rule, _, _ in made])
    return Listed(partition, frozenset(frozenset(block) for block in blocks.values()))


@st.composite
def _rule(
    draw: st.DrawFn, universe: Universe, axes: list[int]
) -> tuple[Rule, list[int], dict[tuple[int, ...], int]]:
    sizes = [universe.axes[i].size for i in axes]
    places = list(product(*(range(size) for size in sizes)))
    if len(axes) == 1 and draw(st.booleans()):
        return each(universe, universe.axes[axes[0]].name), axes, {place: place[0] for place in places}
    raw = draw(st.lists(st.integers(0, 3), min_size=len(places), max_size=len(places)))
    _, labels = np.unique(raw, return_inverse=True)
    shuffled = draw(st.permutations(range(len(axes))))
    table = labels.reshape(sizes).transpose(shuffled)
    names = [universe.axes[axes[i]].name for i in shuffled]
    return (
        grouped(universe, names, table, name="drawn"),
        axes,
        dict(zip(places, labels.tolist(), strict=True)),
    )


@st.composite
def several(draw: st.DrawFn, count: int) -> tuple[Listed, ...]:
    """Partitions of one universe."""
    universe = draw(universes())
    return tuple(draw(listed(universe)) for _ in range(count))


def cells_of(partition: Partition) -> Cells:
    """The blocks of a partition as it numbers them."""
    numbers = partition.block_of(np.arange(partition.universe.size))
    return frozenset(frozenset(np.flatnonzero(numbers == block).tolist()) for block in set(numbers.tolist()))


def finer(left: Cells, right: Cells) -> bool:
    """Whether each block of the left lies in one of the right."""
    return all(any(block <= other for other in right) for block in left)


def met(left: Cells, right: Cells) -> Cells:
    """All overlaps."""
    return frozenset(a & b for a in left for b in right if a & b)


def joined(left: Cells, right: Cells) -> Cells:
    """Blocks merged for as long as any overlap."""
    blocks = [set(block) for block in left]
    for other in right:
        touching = [block for block in blocks if block & other]
        blocks = [block for block in blocks if not block & other] + [set().union(*touching)]
    return frozenset(frozenset(block) for block in blocks)
