"""Boxes to ask of paths, drawn from public randomness, and how far answers are from the truth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quietway.errors import UniverseError
from quietway.universe.paths import PathSpace

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
SMOOTHING = 0.001


def random_boxes(space: PathSpace, count: int, *, seed: int) -> tuple[Ints, Ints]:
    """Boxes of random shape and size: on every axis each interval is as likely as any other.

    Lower and upper ends, a row per box.
    """
    _require_some(count)
    draw, shape = np.random.default_rng(seed), np.array(space.shape)
    one = draw.integers(0, shape, (count, len(shape)), endpoint=True)
    other = draw.integers(0, shape, (count, len(shape)))
    other += other >= one
    return np.minimum(one, other), np.maximum(one, other)


def boxes_of_side(space: PathSpace, count: int, fraction: float, *, seed: int) -> tuple[Ints, Ints]:
    """Boxes whose every side is about a fraction of its axis, at least one index long; only their place is drawn."""
    _require_some(count)
    if not 0 < fraction <= 1:
        raise UniverseError(
            f"the side of boxes is {fraction} of an axis; give a fraction above 0 and up to 1"
        )
    shape = np.array(space.shape)
    side = np.maximum(1, np.rint(shape * fraction).astype(np.int64))
    low = np.random.default_rng(seed).integers(0, shape - side, (count, len(shape)), endpoint=True)
    return low, low + side


def boxes_of_volume(space: PathSpace, count: int, fraction: float, *, seed: int) -> tuple[Ints, Ints]:
    """Boxes that hold about a fraction of the space, every axis cut alike; only their place is drawn."""
    if not 0 < fraction <= 1:
        raise UniverseError(f"boxes hold {fraction} of the space; give a fraction above 0 and up to 1")
    return boxes_of_side(space, count, fraction ** (1 / max(1, space.dimensions)), seed=seed)


def mean_relative_error(true: Ints | Floats, answer: Floats, total: float) -> float:
    """The mean over queries of |truth - answer| / max(truth, a thousandth of all paths), in percent."""
    if not len(true):
        raise UniverseError("the error of no queries is nothing; give at least one")
    floor = max(SMOOTHING * total, np.finfo(np.float64).tiny)
    return float(100 * np.mean(np.abs(true - answer) / np.maximum(true, floor)))


def _require_some(count: int) -> None:
    if count < 1:
        raise UniverseError(f"{count} queries were asked for; give at least 1")
