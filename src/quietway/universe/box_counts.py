"""How many points lie in each of many boxes, exactly: for tests and experiments on data that are public or invented.

Points are sorted along a space-filling curve and cut into runs, runs into
blocks, each with the smallest box around it; a query opens those only that it
cuts. All compiled loops stand here, as `quietway.compiled` asks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quietway.compiled import compiled

Ends = NDArray[np.int32]
Index = NDArray[np.int64]
RUN = 64


def counts_in_boxes(points: NDArray[np.integer[Any]], low: Index, high: Index) -> Index:
    """The number of points, rows of indices, with low <= index < high on every axis, for each row of ends."""
    points = np.ascontiguousarray(points, dtype=np.int32)
    low, high = (np.ascontiguousarray(np.atleast_2d(ends), dtype=np.int64) for ends in (low, high))
    if not len(points):
        return np.zeros(len(low), dtype=np.int64)
    size = points.max(axis=0).astype(np.int64) + 1
    bits = max(1, min(63 // points.shape[1], int(size.max()).bit_length()))
    points = points[np.argsort(_interleaved(points, size, bits), kind="stable")]
    runs = _around(points, points + 1, RUN)
    return _count(points, *runs, *_around(*runs, RUN), low, high)


@compiled
def _interleaved(points: Ends, size: Index, bits: int) -> Index:
    """The place of each point on a Z-shaped curve: the bits of its indices in turn, the highest first."""
    code = np.zeros(points.shape[0], np.int64)
    for i in range(points.shape[0]):
        for bit in range(bits - 1, -1, -1):
            for axis in range(points.shape[1]):
                scaled = (np.int64(points[i, axis]) << bits) // size[axis]
                code[i] = (code[i] << 1) | ((scaled >> bit) & 1)
    return code


@compiled
def _around(low: Ends, high: Ends, run: int) -> tuple[Ends, Ends]:
    """The smallest box around each run of boxes."""
    runs = (low.shape[0] + run - 1) // run
    run_low, run_high = np.empty((runs, low.shape[1]), np.int32), np.empty((runs, low.shape[1]), np.int32)
    for i in range(low.shape[0]):
        at = i // run
        for axis in range(low.shape[1]):
            if i % run == 0 or low[i, axis] < run_low[at, axis]:
                run_low[at, axis] = low[i, axis]
            if i % run == 0 or high[i, axis] > run_high[at, axis]:
                run_high[at, axis] = high[i, axis]
    return run_low, run_high


@compiled
def _meets(low: Ends, high: Ends, q_low: Index, q_high: Index) -> int:
    """0: apart; 1: the query cuts the box; 2: the box lies inside."""
    inside = 2
    for axis in range(low.size):
        if q_high[axis] <= low[axis] or q_low[axis] >= high[axis]:
            return 0
        if q_low[axis] > low[axis] or q_high[axis] < high[axis]:
            inside = 1
    return inside


@compiled
def _count(
    points: Ends,
    run_low: Ends,
    run_high: Ends,
    block_low: Ends,
    block_high: Ends,
    q_low: Index,
    q_high: Index,
) -> Index:
    n, runs = points.shape[0], run_low.shape[0]
    found = np.zeros(q_low.shape[0], np.int64)
    for q in range(q_low.shape[0]):
        for block in range(block_low.shape[0]):
            meets = _meets(block_low[block], block_high[block], q_low[q], q_high[q])
            if meets == 2:
                found[q] += min(n, (block + 1) * RUN * RUN) - block * RUN * RUN
            if meets != 1:
                continue
            for run in range(block * RUN, min(runs, (block + 1) * RUN)):
                meets = _meets(run_low[run], run_high[run], q_low[q], q_high[q])
                if meets == 2:
                    found[q] += min(n, (run + 1) * RUN) - run * RUN
                if meets != 1:
                    continue
                for i in range(run * RUN, min(n, (run + 1) * RUN)):
                    found[q] += _holds(points[i], q_low[q], q_high[q])
    return found


@compiled
def _holds(point: Ends, q_low: Index, q_high: Index) -> int:
    for axis in range(point.size):
        if point[axis] < q_low[axis] or point[axis] >= q_high[axis]:
            return 0
    return 1
