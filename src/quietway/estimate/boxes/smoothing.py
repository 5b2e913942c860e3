"""Boxes of one stop smoothed into each other, each keeping what it holds.

Source: Tobler (1979), smooth pycnophylactic interpolation: average with the neighbourhood, scale every region back to
    its total, and repeat. Departures: the average is over a square, wide in every third round and narrow in the others.
"""

from __future__ import annotations

import numpy as np

from quietway.compiled import compiled
from quietway.estimate.boxes.solution import BoxTable, Ends, Floats

WINDOWS = (9, 3, 3) * 7


def smoothed(boxes: BoxTable, cells: Floats) -> Floats:
    """The table of cells that the boxes of a single stop make, without their edges."""
    from scipy.ndimage import uniform_filter

    cells, spare = cells.copy(), np.empty_like(cells)
    for window in WINDOWS:
        uniform_filter(cells, window, output=spare, mode="nearest")
        refill(spare, boxes.low, boxes.high, boxes.estimate)
        cells, spare = spare, cells
    return cells


@compiled
def refill(cells: Floats, low: Ends, high: Ends, value: Floats) -> None:
    """Scale what lies in each rectangle of a table to what the rectangle holds; evenly where nothing lies there."""
    for i in range(value.size):
        inside = cells[low[i, 0] : high[i, 0], low[i, 1] : high[i, 1]]
        total = inside.sum()
        if total > 0.0:
            inside *= value[i] / total
        else:
            inside[:] = value[i] / inside.size
