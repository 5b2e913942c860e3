"""What is rounded within a class: each cell of some size on its own, and all the light ones together.

A cell below one half is nearest to nothing. Were it rounded on its own, all that a table of such cells adds up to would
go to the few largest of them. So the light cells of a class are rounded as one item, which reckons with what its
blocks are owed by the items before it; and where its units are, within, is told by running sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quietway.compiled import compiled
from quietway.estimate.rounding.balance import balanced, running
from quietway.estimate.rounding.flow import Flags, Index
from quietway.estimate.rounding.groups import Blocks
from quietway.estimate.rounding.parts import INNER, OUTER, evenly, split
from quietway.estimate.rounding.tree import Classes
from quietway.estimate.solution import Floats

LIGHT = 0.5
TIE = 2.0**-14


@dataclass(frozen=True, kw_only=True, eq=False)
class Lights:
    """The light cells and, for each class, their sum: whole units, and the part above."""

    cells: Index
    whole: Index
    part: Floats

    @classmethod
    def of(cls, cells: Index, classes: Blocks, part: Floats) -> Lights:
        """The light cells among some that are sorted by class."""
        whole, rest = split(Blocks(classes.number[cells], classes.count).sums(part[cells]))
        return cls(cells=cells, whole=whole, part=rest)

    def phase(self, lifted: Index) -> Floats:
        """Where in its first unit each running sum begins.

        The sum passes one whole number more if it begins at `turn` or after it. Within that, one class begins here
        and the next one there, all places being used alike, so that no cell is preferred for where it stands.
        """
        turn, place = 1.0 - self.part, evenly(self.part.size, INNER)
        return np.where(lifted > 0, turn + self.part * place, turn * place)


@dataclass(frozen=True, kw_only=True, eq=False)
class Items:
    """Solid cells and then each class's light item, with the class, the cost, and how many of the class are cheaper."""

    classes: Blocks
    part: Floats
    solid: Index
    light: Lights
    of_class: Index
    cost: Floats
    rank: Index

    @classmethod
    def of(
        cls,
        classes: Blocks,
        families: Sequence[Blocks],
        left_out: Sequence[Blocks],
        part: Floats,
        value: Floats,
    ) -> Items:
        """The items of cells that are sorted by class, and by key within.

        The features are those of the classes: first the finest of the family by which classes are sorted.
        """
        solid = np.flatnonzero(value >= LIGHT)
        light = Lights.of(np.flatnonzero(value < LIGHT), classes, part)
        of_class = np.r_[classes.number[solid], np.arange(classes.count)]
        parts, is_solid = np.r_[part[solid], light.part], np.arange(of_class.size) < solid.size
        owed = _owed(families, left_out, of_class, parts, is_solid)
        cost = np.where(parts > 0.0, 1.0 - 2.0 * (parts + owed), np.inf)
        return cls(
            classes=classes,
            part=part,
            solid=solid,
            light=light,
            of_class=of_class,
            cost=cost,
            rank=_ranks(of_class, cost, classes.count),
        )

    def in_classes(self) -> Classes:
        """The classes, and what one unit more costs: it goes to the cheapest item that has none yet."""
        solid = Blocks(self.classes.number[self.solid], self.classes.count)
        needed, part = split(solid.sums(self.part[self.solid]) + self.light.part)
        cost, is_next = np.zeros(self.classes.count), self.rank == needed[self.of_class]
        cost[self.of_class[is_next]] = self.cost[is_next]
        return Classes(whole=self.light.whole + needed, part=part, cost=cost)

    def rounded(self, units: Index) -> Index:
        """Each cell's units above its floor, where every class has so many: the cheapest items have them."""
        up = (self.rank < (units - self.light.whole)[self.of_class]).astype(np.int64)
        solid, lifted = np.split(up, [self.solid.size])
        found = np.empty(self.part.size, dtype=np.int64)
        found[self.solid] = solid
        cells = self.light.cells
        found[cells] = spread(
            self.classes.number[cells], self.part[cells], self.light.whole + lifted, self.light.phase(lifted)
        )
        return found


def _owed(
    families: Sequence[Blocks], left_out: Sequence[Blocks], of_class: Index, parts: Floats, is_solid: Flags
) -> Floats:
    """What each item is owed; solid ones heed a trifle of it."""
    start = np.zeros(1 + int(of_class.max(initial=0)))
    if families:
        start = evenly(families[0].count, OUTER)[families[0].number]
    owed = np.empty(of_class.size)
    for kind, heeded in ((is_solid, TIE), (~is_solid, 1.0)):
        owed[kind] = heeded * running(parts[kind], start[of_class[kind]])
    if left_out:
        turns = np.argsort(of_class, kind="stable")
        before = balanced([*families, *left_out], of_class[turns], parts[turns], is_solid[turns])
        is_light = ~is_solid[turns]
        owed[turns[is_light]] = before[is_light]
    return owed


def _ranks(group: Index, cost: Floats, groups: int) -> Index:
    """How many of its group are cheaper than each."""
    order = np.lexsort((cost, group))
    start = np.r_[0, np.cumsum(np.bincount(group, minlength=groups))]
    rank = np.empty(group.size, dtype=np.int64)
    rank[order] = np.arange(group.size) - start[group[order]]
    return rank


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
