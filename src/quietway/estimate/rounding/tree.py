"""A family of features as a tree over classes of cells, and two such trees as one network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quietway.estimate.rounding.flow import Flags, Index, Network
from quietway.estimate.rounding.groups import Blocks
from quietway.estimate.rounding.parts import split
from quietway.estimate.solution import Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class Classes:
    """Cells that lie in the same block of every feature: their sums, whole and the part above, and what that costs.

    `cost` is of one unit more than the whole ones.
    """

    whole: Index
    part: Floats
    cost: Floats

    @property
    def is_open(self) -> Flags:
        """Whether a class may have a unit more."""
        return self.part > 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Tree:
    """Blocks as nodes, the root before all, then from coarse to fine; every class hangs on a node.

    `excess` is how many units more than its children together a node has, all of them rounded down but the root.
    """

    parent: Index
    is_open: Flags
    hold: Index
    excess: Index


def tree_of(levels: Sequence[Blocks], classes: Classes, total: int) -> Tree:
    """The tree of a family, coarse levels first, whose root is to have the total."""
    parent, whole, is_open = [np.zeros(1, np.int64)], [np.array([total])], [np.zeros(1, np.bool_)]
    hold, start = np.zeros(classes.part.size, dtype=np.int64), 1
    for level, (floor, part) in zip(levels, _sums(levels, classes), strict=True):
        parent.append(level.of_each(hold))
        whole.append(floor)
        is_open.append(part > 0.0)
        hold = start + level.number
        start += level.count
    parents, wholes = np.concatenate(parent), np.concatenate(whole)
    excess = wholes.copy()
    np.subtract.at(excess, parents[1:], wholes[1:])
    np.subtract.at(excess, hold, classes.whole)
    return Tree(parent=parents, is_open=np.concatenate(is_open), hold=hold, excess=excess)


def _sums(levels: Sequence[Blocks], classes: Classes) -> list[tuple[Index, Floats]]:
    """The sums of each level's blocks, from the finest up: so few terms are added that no error builds up."""
    sums = list[tuple[Index, Floats]]()
    within, values = Blocks(np.arange(classes.part.size), classes.part.size), classes.whole + classes.part
    for level in reversed(levels):
        values = Blocks(within.of_each(level.number), level.count).sums(values)
        sums.append(split(values))
        within = level
    return sums[::-1]


def network_of(first: Tree, second: Tree, classes: Classes) -> Network:
    """Units run down the first tree, through a class each, and up the second."""
    down, through, up = np.flatnonzero(first.is_open), classes.is_open, np.flatnonzero(second.is_open)
    apart = first.excess.size
    tail = [first.parent[down], first.hold[through], apart + up]
    head = [down, apart + second.hold[through], apart + second.parent[up]]
    cost = [np.zeros(down.size), classes.cost[through], np.zeros(up.size)]
    return Network(
        tail=np.concatenate(tail).astype(np.int32),
        head=np.concatenate(head).astype(np.int32),
        cost=np.concatenate(cost),
        excess=np.r_[first.excess, -second.excess],
    )


def units_of(network: Network, carries: Flags, first: Tree, classes: Classes) -> Index:
    """What each class gets."""
    units = classes.whole.copy()
    start = int(first.is_open.sum())
    through = classes.is_open
    units[through] += carries[start : start + int(through.sum())]
    return units
