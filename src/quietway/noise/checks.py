"""What every source refuses, before it draws anything."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quietway.errors import ConfigError, UniverseError

Ints = NDArray[np.int64]

MOST_NUMBERED = 2**63 - 1
_MOST_EMPTY = 2**1000


def checked_scale(scale: Fraction) -> Fraction:
    """An exact positive rational, or a refusal."""
    if isinstance(scale, bool) or not isinstance(scale, int | Fraction):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ConfigError(f"a noise scale must be an exact Fraction or int, not {type(scale).__name__}")
    if scale <= 0:
        raise ConfigError(f"a noise scale must be positive, not {scale}; epsilon must be finite and above 0")
    return Fraction(scale)


def integers(values: Ints) -> Ints:
    """The values as int64, or a refusal."""
    array = np.asarray(values)
    if array.dtype.kind not in "iu" or (array.dtype.kind == "u" and array.dtype.itemsize >= 8):
        raise UniverseError(f"noise is added to int64 counts, not {array.dtype}; convert them first")
    return np.asarray(array, dtype=np.int64, order="C")


def candidates(scores: Ints) -> Ints:
    """At least one integer score, or a refusal."""
    array = integers(scores)
    if array.ndim != 1 or not array.size:
        raise UniverseError("a selection needs a vector of one or more scores")
    return array


def check_sparse(true: Ints, empty: int, threshold: int) -> None:
    """Refuse what the sparse filter is not made for."""
    if np.ndim(true) != 1:
        raise UniverseError("the sparse filter takes a vector, one value per occupied cell")
    if threshold < 1:
        raise UniverseError(
            f"the threshold is {threshold}; it must be 1 or more, or most cells would survive"
        )
    if not 0 <= empty <= _MOST_EMPTY:
        raise UniverseError(
            "the number of empty cells must be from 0 to 2^1000; use fewer or coarser axes",
            sensitive=f"empty cells: {empty}",
        )
