"""How much cuts differ by DAF-Homogeneity's printed score, and by the one that is used instead."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quietway.city.draws import Draws
from quietway.counts import Paths
from quietway.mechanisms.od.cells import occupied

Ints = NDArray[np.int64]
CANDIDATES = 8
PARTS = 8
_CUTS = 3


def ranges(paths: Paths, *, seed: int = 0) -> tuple[float, float]:
    """The largest score minus the smallest among eight random ways to cut the first axis in eight: printed, and used.

    A score sums how far counts are from their part's mean: as printed over
    all cells, as used over the places along the axis.
    """
    axis = next(axis for axis, side in enumerate(paths.space.shape) if side > 1)
    side, size = paths.space.shape[axis], paths.space.size
    cells, count = occupied(paths.space, paths.points)
    at = cells[:, axis].astype(np.int64)
    along = np.bincount(paths.points[:, axis], minlength=side)
    candidates = [_cuts(Draws(_CUTS, seed, i), side) for i in range(CANDIDATES)]
    printed = [uneven(at, count, cuts, size / side) for cuts in candidates]
    used = [uneven(np.arange(side), along, cuts, 1.0) for cuts in candidates]
    return float(np.ptp(printed)), float(np.ptp(used))


def uneven(at: Ints, count: Ints, cuts: Ints, cells: float) -> float:
    """Sum of |count - mean of its part|, where a place along the axis has so many cells and those not given are empty."""
    part = np.searchsorted(cuts, at, side="right") - 1
    parts = len(cuts) - 1
    size = np.diff(cuts) * cells
    mean = np.bincount(part, count, minlength=parts) / size
    told = np.bincount(part, minlength=parts)
    return float(np.abs(count - mean[part]).sum() + ((size - told) * mean).sum())


def _cuts(draws: Draws, side: int) -> Ints:
    """From 0 to the side, strictly increasing."""
    inner = np.sort(draws.order(side - 1)[: min(PARTS, side) - 1]) + 1
    return np.concatenate([[0], inner, [side]]).astype(np.int64)
