"""The true answers of range queries, which only public test paths may be asked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quietway.counts import Paths
from quietway.estimate.kernels import compiled

Boxes = NDArray[np.int64]


class Truth:
    """Paths by distinct cell, ready to be counted."""

    def __init__(self, paths: Paths) -> None:
        self._cells, self._weight = distinct(paths)
        self.total = int(self._weight.sum())

    def answer(self, low: Boxes, high: Boxes) -> NDArray[np.int64]:
        """How many paths have low <= index < high on every axis, for each row of both."""
        return _inside(self._cells, self._weight, low.astype(np.int64), high.astype(np.int64))


def distinct(paths: Paths) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Each cell that holds paths once, one axis after the other, and how many it holds."""
    space, points = paths.space, paths.points
    if space.size >= 2**63:
        cells, weight = np.unique(points, axis=0, return_counts=True)
        return np.ascontiguousarray(cells.T), weight
    keys, weight = np.unique(np.ravel_multi_index(tuple(points.T), space.shape), return_counts=True)
    return np.array(np.unravel_index(keys, space.shape), dtype=np.int32), weight


@compiled
def _inside(
    cells: NDArray[np.int32], weight: NDArray[np.int64], low: Boxes, high: Boxes
) -> NDArray[np.int64]:
    answers = np.zeros(len(low), np.int64)
    for query in range(len(low)):
        for cell in range(len(weight)):
            inside = True
            for axis in range(len(cells)):
                if not low[query, axis] <= cells[axis, cell] < high[query, axis]:
                    inside = False
                    break
            if inside:
                answers[query] += weight[cell]
    return answers
