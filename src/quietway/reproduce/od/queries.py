"""What is asked of paths, and the true answers, which public test paths alone may give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quietway.counts import Paths
from quietway.reproduce.od.case import RANDOM
from quietway.universe import PathSpace
from quietway.universe.box_counts import counts_in_boxes
from quietway.universe.path_workload import boxes_of_side, random_boxes

Index = NDArray[np.int64]
LARGEST_PLANE = 2


@dataclass(frozen=True, kw_only=True, eq=False)
class Asked:
    """Boxes, and how many paths lie in each."""

    low: Index
    high: Index
    true: Index


def asked_of(paths: Paths, coverages: Sequence[float], count: int, *, seed: int) -> dict[float, Asked]:
    """Boxes of each size.

    Those of a fixed side lie anywhere in two dimensions. In more, where nearly
    every such box is empty and every answer right, each lies around a path
    drawn at random, as far as the borders allow.
    """
    ends = [_boxes(paths, coverage, count, seed + 1_000 * i) for i, coverage in enumerate(coverages)]
    low, high = (np.concatenate(side) for side in zip(*ends, strict=True))
    true = counts_in_boxes(paths.points, low, high)
    return {
        coverage: Asked(low=low[at : at + count], high=high[at : at + count], true=true[at : at + count])
        for coverage, at in zip(coverages, range(0, len(low), count), strict=True)
    }


def _boxes(paths: Paths, coverage: float, count: int, seed: int) -> tuple[Index, Index]:
    if coverage == RANDOM:
        return random_boxes(paths.space, count, seed=seed)
    low, high = boxes_of_side(paths.space, count, coverage, seed=seed)
    if paths.space.dimensions <= LARGEST_PLANE:
        return low, high
    return around_paths(paths.space, paths.points, high - low, seed=seed)


def around_paths(
    space: PathSpace, points: NDArray[np.int32], side: Index, *, seed: int
) -> tuple[Index, Index]:
    """Boxes of these sides, each with a random path as near to its middle as the borders allow."""
    chosen = np.random.default_rng((seed, 1)).integers(0, len(points), len(side))
    low = np.clip(points[chosen].astype(np.int64) - side // 2, 0, np.array(space.shape) - side)
    return low, low + side
