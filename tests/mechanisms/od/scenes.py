"""Paths for the tests of mechanisms."""

from __future__ import annotations

import numpy as np

from quietway.counts import Paths
from quietway.universe import Frame, PathSpace, PrivacyUnit


def space(*frames: tuple[int, int]) -> PathSpace:
    """Stops named a, b, c, .., each on a bare frame of so many rows and columns."""
    return PathSpace(
        stops=tuple("abcdefgh"[: len(frames)]),
        frames=tuple(Frame(rows=rows, columns=columns) for rows, columns in frames),
    )


def clustered(where: PathSpace, count: int, *, seed: int = 1, spread: float = 0.08) -> Paths:
    """Paths scattered around the middle of every axis."""
    shape = np.array(where.shape)
    random = np.random.default_rng(seed)
    points = random.normal(shape * 0.5, np.maximum(shape * spread, 0.1), (count, len(shape)))
    return Paths(where, np.clip(points, 0, shape - 1).astype(np.int32), PrivacyUnit())
