"""Where one stop is, given a region for the others: a map, added up from boxes in one pass."""

from __future__ import annotations

import numpy as np

from quietway.errors import UniverseError
from quietway.estimate.boxes import cover_kernels
from quietway.estimate.boxes.mass import Mass
from quietway.estimate.boxes.solution import BoxTable, Floats
from quietway.universe import Region
from quietway.universe.area import prefix_sums


def heat(boxes: BoxTable, mass: Mass, stop: int, region: Region, shape: tuple[int, int]) -> Floats:
    """Every box gives each cell of the stop's frame its part; then cells are added up to the shape asked for.

    A box lays an even layer on its rectangle, per unit of mass or, where the
    rectangle has none, per cell. Layers are written at their corners and summed
    once, so that the time is that of the boxes plus that of the cells.
    """
    frame = region.space.frames[stop]
    if not (1 <= shape[0] <= frame.rows and 1 <= shape[1] <= frame.columns):
        raise UniverseError(
            f"a map of {shape[0]} x {shape[1]} does not fit stop '{region.space.stops[stop]}' of "
            f"{frame.rows} x {frame.columns} cells; give at least 1 x 1 and at most these"
        )
    layers = np.zeros((2, frame.rows + 1, frame.columns + 1))
    ends = (region.low, region.high)
    cover_kernels.lay(boxes.low, boxes.high, boxes.estimate, stop, *ends, mass.cover(region), layers)
    for axis in (1, 2):
        np.cumsum(layers, axis=axis, out=layers)
    by_mass, by_area = layers[:, :-1, :-1]
    table = mass.tables[stop]
    cells = np.maximum(0.0, (by_mass if table is None else by_mass * table) + by_area)
    return _added_up(cells * _inside(region, stop), shape)


def _inside(region: Region, stop: int) -> Floats:
    """The part of each cell's places that the region leaves."""
    area, weight = region.areas[stop], region.space.frames[stop].weight
    part = np.zeros(area.frame.shape)
    window = slice(area.low[0], area.high[0]), slice(area.low[1], area.high[1])
    part[window] = 1.0
    if area.places is None:
        return part
    return area.places.astype(np.float64) if weight is None else area.places / np.maximum(weight, 1)


def _added_up(cells: Floats, shape: tuple[int, int]) -> Floats:
    sums = prefix_sums(cells)
    rows, columns = (
        np.arange(parts + 1) * size // parts for parts, size in zip(shape, cells.shape, strict=True)
    )
    corners = sums[np.ix_(rows, columns)]
    return np.diff(np.diff(corners, axis=0), axis=1)
