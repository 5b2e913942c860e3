"""Boxes of one stop smoothed into each other, each keeping what it holds.

Source: Tobler (1979), smooth pycnophylactic interpolation: average with the neighbourhood, scale every region back to
    its total, and repeat. Departures: the average is over a square, wide in every third round and narrow in the others.
"""

from __future__ import annotations

from quietway.estimate.boxes import kernels
from quietway.estimate.boxes.solution import BoxTable, Floats

WINDOWS = (9, 3, 3) * 7


def smoothed(boxes: BoxTable, cells: Floats) -> Floats:
    """The table of cells that the boxes of a single stop make, without their edges."""
    from scipy.ndimage import uniform_filter

    for window in WINDOWS:
        cells = uniform_filter(cells, window, mode="nearest")
        kernels.refill(cells, boxes.low, boxes.high, boxes.estimate)
    return cells
