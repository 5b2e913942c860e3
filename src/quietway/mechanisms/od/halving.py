"""Halving boxes along the axes where they are longest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quietway.mechanisms.od.cutting import Cuts
from quietway.mechanisms.od.growing import Growth, Ints


def halve(growth: Growth, which: Ints, times: int) -> Ints:
    """Some nodes of the frontier become halves, halves of these, and so on; the other nodes become leaves.

    Every node is halved along its own longest axis, in proportion to the
    axis. Returns, for each node of the new frontier, the position in `which`
    that it comes from. One that is down to a single cell stays as it is.
    """
    origin = np.arange(len(which))
    for _ in range(times):
        axis = longest(growth, which)
        low, high = growth.low[which, axis], growth.high[which, axis]
        parts = np.where(high - low > 1, 2, 1)
        origin = origin[growth.split(which, axis, Cuts.even(low, high, parts))]
        which = np.arange(growth.size)
    return origin


def longest(growth: Growth, which: Ints) -> Ints:
    """The axis along which each box is longest, in proportion to the axis; the first of equals."""
    sides = (growth.high[which] - growth.low[which]).astype(np.float64)
    sides[sides <= 1] = 0.0
    return np.argmax(sides / np.array(growth.paths.space.shape), axis=1)


def divisible(growth: Growth) -> NDArray[np.bool_]:
    """Which boxes of the frontier hold more than one cell."""
    return np.any(growth.high - growth.low > 1, axis=1)


def largest(noisy: Ints, going: NDArray[np.bool_], most: int) -> Ints:
    """The positions that go on: all, or where there would be too many those with the largest noisy counts."""
    which = np.flatnonzero(going)
    if len(which) > most:
        which = np.sort(which[np.argpartition(-noisy[which], most - 1)[:most]]) if most > 0 else which[:0]
    return which
