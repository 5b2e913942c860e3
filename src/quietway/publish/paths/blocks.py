"""Where paths are at some of their stops: the area cut into even blocks, each with its own interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from quietway.publish.paths.release import PathRelease

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Blocks:
    """Paths by block: `low` to below `high` on every axis of the space, and what is estimated to lie there."""

    low: Ints
    high: Ints
    estimate: Floats
    deviation: Floats
    least: Floats
    most: Floats
    unbiased: bool = False


def blocks(release: PathRelease, stops: Sequence[int], side: int) -> Blocks:
    """All combinations of blocks at these stops, wherever the other stops are.

    Each of their axes is cut into `side` even parts, or into its elements where there are fewer.
    """
    shape = release.space.shape
    cut = set(release.space.axes_of(tuple(stops)))
    cuts = [
        _even(size, side) if axis in cut else np.array([0, size], dtype=np.int64)
        for axis, size in enumerate(shape)
    ]
    low, high = (_every([end[part] for end in cuts]) for part in (slice(None, -1), slice(1, None)))
    found = release.answers(low, high)
    return Blocks(
        low=low, high=high,
        estimate=found.estimate, deviation=found.deviation, least=found.low, most=found.high,
    )  # fmt: skip


def _even(size: int, parts: int) -> Ints:
    return np.linspace(0, size, min(size, parts) + 1).round().astype(np.int64)


def _every(ends: Sequence[Ints]) -> Ints:
    """Every combination of one end per axis, the last axis fastest."""
    return np.stack(np.meshgrid(*ends, indexing="ij"), axis=-1).reshape(-1, len(ends))
