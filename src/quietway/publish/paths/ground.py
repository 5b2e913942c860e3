"""Where the rows and columns of a frame lie on the ground."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quietway.universe.frame import Frame

Floats = NDArray[np.float64]
Ints = NDArray[np.int64] | NDArray[np.int32]


def located(frame: Frame) -> bool:
    """Whether rows and columns are degrees, or numbers alone."""
    return frame.bounds is not None or frame.points is not None


def edges(frame: Frame) -> tuple[Floats, Floats]:
    """Where columns begin, from west to east, and rows, from south to north; one more than there are of each.

    Between two columns of zones the edge runs halfway between the zones on either side.
    """
    if frame.bounds is not None:
        west, south, east, north = frame.bounds
        return np.linspace(west, east, frame.columns + 1), np.linspace(south, north, frame.rows + 1)
    if frame.points is None or frame.cell is None:
        return np.arange(frame.columns + 1.0), np.arange(frame.rows + 1.0)
    return (
        _between(frame.points[:, 0], frame.cell[:, 1], frame.columns),
        _between(frame.points[:, 1], frame.cell[:, 0], frame.rows),
    )


def _between(degrees: Floats, rank: NDArray[np.int64], side: int) -> Floats:
    """Edges around the zones of each rank; the outermost stand as far out as the ranks are apart on average."""
    first, last = np.full(side, np.inf), np.full(side, -np.inf)
    np.minimum.at(first, rank, degrees)
    np.maximum.at(last, rank, degrees)
    apart = max((last[-1] - first[0]) / side, 1e-4) / 2
    return np.concatenate([[first[0] - apart], (last[:-1] + first[1:]) / 2, [last[-1] + apart]])


def rectangles(frame: Frame, low: Ints, high: Ints) -> Floats:
    """West, south, east and north of rectangles from row and column `low` to below `high`."""
    columns, rows = edges(frame)
    return np.column_stack([columns[low[:, 1]], rows[low[:, 0]], columns[high[:, 1]], rows[high[:, 0]]])


def sides(stop: int, bounds: Ints) -> Ints:
    """The rows and columns of one stop, of bounds on every axis."""
    return bounds[:, 2 * stop : 2 * stop + 2]
