"""The paper's invented points: one Gaussian cloud, and a Zipf law on every axis."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from quietway.city.draws import Draws
from quietway.counts import Paths
from quietway.errors import InputError
from quietway.universe import Frame, PathSpace, PrivacyUnit

POINTS = 1_000_000
_GAUSSIAN, _ZIPF = 1, 2


def width(dimensions: int, points: int = POINTS) -> int:
    """Of every axis: the d-th root of the number of points (section 6.2), rounded."""
    if dimensions < 1:
        raise InputError(f"{dimensions} dimensions hold no points; give 1 or more")
    return max(2, round(points ** (1 / dimensions)))


def square(dimensions: int, side: int) -> PathSpace:
    """Axes of one width, two to a stop; where they are odd in number, the last stop is a line."""
    frames = [Frame(rows=side, columns=side)] * (dimensions // 2) + [Frame(rows=1, columns=side)] * (
        dimensions % 2
    )
    return PathSpace(stops=tuple(f"stop {i + 1}" for i in range(len(frames))), frames=tuple(frames))


def gaussian(
    dimensions: int, variance: float, *, seed: int, points: int = POINTS, side: int | None = None
) -> Paths:
    """Points around one random centre, each axis N(centre, variance) in units of cells.

    A point that falls outside the matrix would be drawn again: every axis
    follows the normal law on what lies inside. (The paper does not say what it
    did; clipping would heap the outsiders on the borders.) With one seed, clouds
    of every variance have one centre.
    """
    if not variance > 0:
        raise InputError(f"a variance of {variance} makes no cloud; give a positive number")
    space = square(dimensions, side or width(dimensions, points))
    draws = Draws(_GAUSSIAN, dimensions, seed)
    columns = list[NDArray[np.int64]]()
    for size in space.shape:
        centre = draws.below(size, 1)[0] + 0.5
        columns.append(_normal(draws, points, size, centre, variance**0.5))
    return _paths(space, columns)


def _normal(draws: Draws, points: int, size: int, centre: float, deviation: float) -> NDArray[np.int64]:
    """The inverse of the normal law's distribution function, between the two borders."""
    low, high = ndtr((np.array([0.0, size]) - centre) / deviation)
    drawn = centre + deviation * ndtri(low + draws.uniform(points) * (high - low))
    return np.clip(np.floor(drawn), 0, size - 1).astype(np.int64)


def zipf(
    dimensions: int, exponent: float, *, seed: int, points: int = POINTS, side: int | None = None
) -> Paths:
    """Points whose every axis has index x = 1, 2, ... with probability in proportion to x^-exponent.

    The law has no end and the matrix has one: a point outside would be drawn
    again, so each axis follows the law on 1 to its width.
    """
    if not exponent >= 0:
        raise InputError(f"an exponent of {exponent} is no Zipf law; give 0 or more")
    space = square(dimensions, side or width(dimensions, points))
    draws = Draws(_ZIPF, dimensions, seed)
    return _paths(space, [_power(draws, points, size, exponent) for size in space.shape])


def _power(draws: Draws, points: int, size: int, exponent: float) -> NDArray[np.int64]:
    ends = np.cumsum(np.arange(1, size + 1, dtype=np.float64) ** -exponent)
    return np.minimum(np.searchsorted(ends, draws.uniform(points) * ends[-1], side="right"), size - 1)


def _paths(space: PathSpace, columns: list[NDArray[np.int64]]) -> Paths:
    return Paths(space, np.column_stack(columns).astype(np.int32), PrivacyUnit(), seeded=True)
