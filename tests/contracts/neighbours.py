"""Neighbouring data sets, as counts after bounding.

Adding a contributor adds at most `bound` trips anywhere. Replacing one takes
at most `bound` trips away and adds at most `bound`: a trip may leave the
universe or come from outside it, so the two numbers need not be equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from quietway.counts import Counts
from quietway.universe import Neighbours, PrivacyUnit, Universe

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pair:
    """Two data sets that one contributor tells apart."""

    name: str
    one: Counts
    other: Counts

    def both_ways(self) -> tuple[tuple[Counts, Counts], tuple[Counts, Counts]]:
        """The pair in either order."""
        return (self.one, self.other), (self.other, self.one)


def counted(universe: Universe, cells: Ints, unit: PrivacyUnit) -> Counts:
    """Counts from a dense vector of cells."""
    dense = np.asarray(cells, dtype=np.int64).ravel()
    keys = np.flatnonzero(dense)
    return Counts(universe, keys, dense[keys], unit)


def are_neighbours(one: Ints, other: Ints, unit: PrivacyUnit) -> bool:
    """Whether one contributor may be all the difference, and there is one."""
    up, down = int(np.maximum(other - one, 0).sum()), int(np.maximum(one - other, 0).sum())
    if unit.neighbours is Neighbours.ADD_REMOVE and up and down:
        return False
    return 0 < max(up, down) <= unit.bound


def all_tables(universe: Universe, most: int) -> list[Ints]:
    """Every table with counts from 0 to `most`."""
    return [np.array(cells, dtype=np.int64) for cells in product(range(most + 1), repeat=universe.size)]


def random_pairs(universe: Universe, unit: PrivacyUnit, count: int, *, seed: int) -> Iterator[Pair]:
    """Sparse tables, and a contributor who comes (and, where neighbours replace, one who goes)."""
    random = np.random.default_rng(seed)
    for number in range(count):
        rest = random.poisson(random.choice([0.2, 1.0, 6.0]), universe.size) * random.integers(
            0, 2, universe.size
        )
        goes = _trips(universe, unit, random) if unit.neighbours is Neighbours.REPLACE_ONE else 0
        one, other = rest + goes, rest + _trips(universe, unit, random)
        if (one != other).any():
            yield Pair(f"random {number}", counted(universe, one, unit), counted(universe, other, unit))


def canaries(universe: Universe, unit: PrivacyUnit) -> Iterator[Pair]:
    """The pairs on which careless implementations are known to break."""
    yield from _joined(universe, unit, _tables(universe))
    yield from pairs_at(universe, unit, (1, 9, 10, 11, 999, 1000))


def pairs_at(universe: Universe, unit: PrivacyUnit, totals: Iterable[int]) -> Iterator[Pair]:
    """Tables of so many trips and of one contributor more, with one trip or as many as allowed."""
    yield from _joined(universe, unit, {f"{n} trips in one cell": _at(universe, [2], n) for n in totals})


def _tables(universe: Universe) -> dict[str, Ints]:
    """Empty, full, and in between."""
    nobody, steps = np.zeros(universe.size, dtype=np.int64), np.arange(universe.size) % 13
    full, rare = np.full(universe.size, 50), np.where(np.arange(universe.size) % 7 == 3, 5, 0)
    return {"nobody": nobody, "every count from 0 to 12": steps, "full": full, "few cells": rare}


def _joined(universe: Universe, unit: PrivacyUnit, tables: dict[str, Ints]) -> Iterator[Pair]:
    """Each table, and the same with one contributor more, or another."""
    for name, rest in tables.items():
        for cells_name, cells in _contributors(universe, unit).items():
            yield Pair(
                f"{name}, {cells_name}", counted(universe, rest, unit), counted(universe, rest + cells, unit)
            )
            if unit.neighbours is Neighbours.REPLACE_ONE:
                gone = np.roll(cells, 1)
                yield Pair(
                    f"{name}, {cells_name} replaced",
                    counted(universe, rest + gone, unit),
                    counted(universe, rest + cells, unit),
                )


def _contributors(universe: Universe, unit: PrivacyUnit) -> dict[str, Ints]:
    """One person's trips: all in one cell, spread out, or fewer than allowed."""
    k, last = unit.bound, universe.size - 1
    cells = {f"{k} trips in cell {cell}": _at(universe, [cell], k) for cell in range(0, universe.size, 5)}
    cells["all up"] = _at(universe, list(range(k)), 1)
    cells["far apart"] = _at(universe, [last * i // max(1, k - 1) for i in range(k)], 1)
    cells["half there"] = _at(universe, [last], 1)
    return cells


def _at(universe: Universe, cells: list[int], trips: int) -> Ints:
    table = np.zeros(universe.size, dtype=np.int64)
    np.add.at(table, cells, trips)
    return table


def _trips(universe: Universe, unit: PrivacyUnit, random: np.random.Generator) -> Ints:
    """As many trips as allowed, in one cell or in several."""
    places = random.integers(universe.size, size=random.integers(1, unit.bound + 1))
    return _at(universe, random.choice(places, size=unit.bound).tolist(), 1)
