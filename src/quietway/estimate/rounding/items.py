"""What is rounded within a class: each cell of some size on its own, and all the light ones together.

A cell far below one half is nearest to nothing. Were it rounded on its own, a table of such cells would end up in
the few largest of them. So the light cells of a class are rounded as one item, which starts with what rounding the
light items before it owes; and where its units are, within, is told by running sums.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quietway.estimate.kernels import compiled
from quietway.estimate.rounding.flow import Index
from quietway.estimate.rounding.groups import Blocks
from quietway.estimate.rounding.parts import carried, split
from quietway.estimate.rounding.tree import Classes
from quietway.estimate.solution import Floats

LIGHT = 0.25
TIE = 2.0**-10


@dataclass(frozen=True, kw_only=True, eq=False)
class Items:
    """Solid cells and light ones, by class and by key within; parts below one; and the classes' light items."""

    classes: Blocks
    part: Floats
    solid: Index
    light: Index

    whole: Index
    rest: Floats
    owed: Floats

    of_class: Index
    cost: Floats
    rank: Index

    @classmethod
    def of(cls, classes: Blocks, part: Floats, value: Floats) -> Items:
        """The items of cells that are sorted by class."""
        solid, light = np.flatnonzero(value >= LIGHT), np.flatnonzero(value < LIGHT)
        sums = Blocks(classes.number[light], classes.count).sums(part[light])
        whole, rest = split(sums)
        owed = carried(rest)
        of_class = np.r_[classes.number[solid], np.arange(classes.count)]
        cost = np.r_[_cost(part[solid], TIE * carried(part[solid])), np.where(rest > 0.0, _cost(rest, owed), np.inf)]
        return cls(
            classes=classes,
            part=part,
            solid=solid,
            light=light,
            whole=whole,
            rest=rest,
            owed=owed,
            of_class=of_class,
            cost=cost,
            rank=_ranks(of_class, cost, classes.count),
        )

    def in_classes(self) -> Classes:
        """The classes, and what a unit more costs where their cheapest items have those that they need."""
        whole, part = split(self.classes.sums(self.part))
        cost = np.zeros(self.classes.count)
        next_one = self.rank == (whole - self.whole)[self.of_class]
        cost[self.of_class[next_one]] = self.cost[next_one]
        return Classes(whole=whole, part=part, cost=cost)

    def rounded(self, units: Index) -> Index:
        """Each cell's units above its floor, where every class has so many."""
        up = (self.rank < (units - self.whole)[self.of_class]).astype(np.int64)
        found = np.zeros(self.part.size, dtype=np.int64)
        found[self.solid] = up[: self.solid.size]
        lifted = up[self.solid.size :]
        found[self.light] = spread(
            self.classes.number[self.light],
            self.part[self.light],
            self.whole + lifted,
            _phase(self.owed, self.rest, lifted),
        )
        return found


def _cost(part: Floats, owed: Floats) -> Floats:
    """What rounding up rather than down adds to the distance; half as much would be added to its square."""
    return 1.0 - 2.0 * (part + owed)


def _ranks(group: Index, cost: Floats, groups: int) -> Index:
    """How many of its group are cheaper than each."""
    order = np.lexsort((cost, group))
    start = np.r_[0, np.cumsum(np.bincount(group, minlength=groups))]
    rank = np.empty(group.size, dtype=np.int64)
    rank[order] = np.arange(group.size) - start[group[order]]
    return rank


def _phase(owed: Floats, rest: Floats, lifted: Index) -> Floats:
    """Where in its first unit each running sum begins: as it comes, unless the flow has rounded it the other way."""
    phase = owed + 0.5
    turn = 1.0 - rest
    upper = turn + rest * phase / np.maximum(turn, 1e-300)
    lower = turn * (phase - turn) / np.maximum(rest, 1e-300)
    came_up = phase >= turn
    moved = np.where(lifted > 0, np.where(came_up, phase, upper), np.where(came_up, lower, phase))
    return np.where(rest > 0.0, moved, phase)


@compiled
def spread(group: Index, part: Floats, units: Index, phase: Floats) -> Index:
    """Units for the members of each group, who stand together: one whenever the running sum passes a whole number."""
    found = np.zeros(group.size, dtype=np.int64)
    i = 0
    while i < group.size:
        g, running, given = group[i], phase[group[i]], 0
        while i < group.size and group[i] == g:
            running += part[i]
            last = i + 1 == group.size or group[i + 1] != g
            reached = units[g] if last else min(np.int64(np.floor(running)), units[g])
            found[i] = reached - given
            given = reached
            i += 1
    return found
