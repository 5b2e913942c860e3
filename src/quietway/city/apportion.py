"""Integers that add up: shares of a total, and weights fit for exact draws."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quietway.errors import InputError

_UNITS = 2**20


def apportion(total: int, weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Split a total in proportion to weights, by largest remainders; the parts add up exactly."""
    if weights.size == 0 or weights.min() < 0 or weights.sum() <= 0:
        raise InputError("a total can be split over weights that are not negative and not all zero")
    exact = weights * (total / weights.sum())
    parts = np.floor(exact).astype(np.int64)
    by_remainder = np.argsort(parts - exact, kind="stable")
    parts[by_remainder[: total - int(parts.sum())]] += 1
    return parts


def integer_weights(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Weights in units of a millionth of the largest.

    The last bit of exp, log and power differs between processors; rounding
    hides it, so that what is drawn from these weights does not.
    """
    return np.rint(weights * (_UNITS / weights.max())).astype(np.int64)
