"""Values split into whole numbers and what is left of them."""

from __future__ import annotations

import numpy as np

from quietway.estimate.rounding.flow import Index
from quietway.estimate.solution import Floats

TRIFLE = 1e-8
OUTER, INNER = 0.7548776662466927, 0.5698402909980532  # 1/x and 1/x^2 for x^3 = x + 1: also even in pairs


def split(values: Floats) -> tuple[Index, Floats]:
    """Floors and the parts above them, below one; nothing is left where a value is whole but for a trifle.

    Where sums are taken for whole, fractions that add up to them are a trifle off. Integers that add up exist all the
    same: by Hoffman's theorem there are none only if some cut misses a whole unit, which trifles do not make up.
    """
    nearest = np.rint(values)
    is_whole = np.abs(values - nearest) <= TRIFLE
    floor = np.where(is_whole, nearest, np.floor(values))
    return floor.astype(np.int64), np.where(is_whole, 0.0, values - floor)


def evenly(count: int, step: float) -> Floats:
    """Places between nothing and one such that any so many in a row are spread almost evenly."""
    return np.arange(count, dtype=np.float64) * np.float64(step) % 1.0
