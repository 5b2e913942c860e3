"""How far trips would have to be moved to turn a published table into the true one."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, hypot, radians

import numpy as np
from numpy.typing import NDArray

from quietway.errors import InputError
from quietway.reproduce.measures import Comparison, Floats, Keys, summed
from quietway.universe import Universe

KM_PER_DEGREE = 111.2
LEVELS = 10
SHIFTS = 3

Cells = NDArray[np.int64]


def kilometres(places: Floats) -> Floats:
    """Longitudes and latitudes as kilometres east and north, flat: good for a city or a region."""
    if places.ndim != 2 or places.shape[1] != 2:
        raise InputError(f"places have shape {places.shape}; give one row per place: longitude, latitude")
    narrow = cos(radians(float(places[:, 1].mean())))
    return (places - places.mean(axis=0)) * np.array([KM_PER_DEGREE * narrow, KM_PER_DEGREE])


def diameter(places: Floats) -> float:
    """The most a trip can be moved, both its ends together: twice the diagonal of the area."""
    width, height = np.ptp(kilometres(places), axis=0)
    return 2 * hypot(float(width), float(height))


def moved_kilometres(
    comparison: Comparison, places: Floats, *, levels: int = LEVELS, shifts: int = SHIFTS
) -> float:
    """Earth mover's distance in kilometres per true trip, for origins and destinations on the map.

    Moving a trip costs what its origin and its destination are moved, added
    up, and leaves its period as it is; a trip that is missing from a period or
    too many in it costs the `diameter`. So the empty table scores the diameter,
    and a trip in a wrong period counts as one missing and one too many.

    The distance is measured on a hierarchy of `levels` grids over origin and
    destination, each twice as fine as the one above: two trips are as far
    apart as the smallest cell that holds both is wide. Transport on a tree is
    exact without any search, half the width gained at each level times what
    that level's cells are off by. Widths are never less than distances, so no
    answer is below the true transport cost; and with the grids shifted at
    random, two trips at distance r lie in different cells of side s with
    probability at most sqrt(2) r / s, so the expected answer is at most
    8 `levels` times the cost plus the width of a finest cell per trip.
    In practice it is about 2 to 5 times the cost. The mean over `shifts`
    grids, whose shifts are public and always the same, is returned.

    Source: Indyk & Thaper (2003), Fast image retrieval via embeddings; here
        with the widths of cells as distances, and a price for surplus trips.
    """
    universe, most = comparison.universe, diameter(places)
    _require_ends(universe, places)
    flat = kilometres(places)
    side = max(float(np.ptp(flat, axis=0).max()), 1e-9)
    moved = [_on_tree(comparison, _grids(flat, side, shift, levels), side, most) for shift in _shifts(shifts)]
    return float(np.mean(moved)) / comparison.total


def _require_ends(universe: Universe, places: Floats) -> None:
    if len(universe.axes) not in (2, 3) or universe.shape[:2] != (len(places),) * 2:
        raise InputError(
            f"a table of shape {universe.shape} has no geography of {len(places)} places; its first two "
            "axes must be origin and destination, and one more, periods, may follow"
        )


def _shifts(count: int) -> Iterator[Floats]:
    """Well spread points of the unit square: the golden ratio's two-dimensional sequence."""
    step = np.array([0.7548776662466927, 0.5698402909980532])
    for number in range(count):
        yield (0.5 + number * step) % 1.0


def _grids(flat: Floats, side: float, shift: Floats, levels: int) -> list[Cells]:
    """Each place's cell, grid by grid from the finest; cells are numbered from 0 without gaps.

    The coarsest grid's cells have side 2 `side`, which the shift cuts anywhere.
    """
    corner = flat.min(axis=0) - 2 * side * shift
    cells = list[Cells]()
    for level in reversed(range(levels)):
        steps = np.floor((flat - corner) / (2 * side / 2**level)).astype(np.int64)
        _, number = np.unique(steps, axis=0, return_inverse=True)
        cells.append(number.ravel())
    return cells


def _on_tree(comparison: Comparison, grids: list[Cells], side: float, most: float) -> float:
    """The transport cost of the errors: places first, then cell by cell, then what is left of periods."""
    universe, error = comparison.universe, comparison.error
    ends = universe.shape[0]
    keys, periods = comparison.keys, universe.size // ends**2
    below, cost = 0.0, 0.0
    place = np.arange(ends, dtype=np.int64)
    for level, cell in zip(reversed(range(len(grids))), grids, strict=True):
        width = min(most, 2 * hypot(1.0, 1.0) * 2 * side / 2**level)
        cost += (width - below) / 2 * float(np.abs(error).sum())
        parent = np.zeros(place.max() + 1, dtype=np.int64)
        parent[place] = cell
        keys, error = _merged(keys, error, parent, periods)
        place, below = cell, width
    cost += (most - below) / 2 * float(np.abs(error).sum())
    surplus = np.bincount(keys % periods, error, minlength=periods)
    return cost + most / 2 * float(np.abs(surplus).sum())


def _merged(keys: Keys, error: Floats, parent: Cells, periods: int) -> tuple[Keys, Floats]:
    """Errors summed over the cells of the next grid; keys count cells of origin, of destination, periods."""
    ends, above = len(parent), int(parent.max()) + 1
    pair, period = np.divmod(keys, periods)
    origin, destination = np.divmod(pair, ends)
    merged = (parent[origin] * above + parent[destination]) * periods + period
    found, (total,) = summed(merged, (error,), size=above * above * periods)
    return found, total
