"""Answers as the paper computes them: each finest block's own noisy count, spread evenly, negative ones included."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quietway.compiled import compiled
from quietway.measurement import NoisyBoxes, NoisyGrid

Floats = NDArray[np.float64]
Index = NDArray[np.int64]
AT_ONCE = 2**24
"""Numbers that a step of a grid's answers may hold."""


def printed_answers(finest: NoisyBoxes | NoisyGrid, low: Index, high: Index) -> Floats:
    """Of a mechanism's last measurement, which is the finest; totals and inner nodes are not read."""
    if isinstance(finest, NoisyGrid):
        return grid_answers(finest, low, high)
    return leaf_answers(finest, low, high)


def leaf_answers(boxes: NoisyBoxes, low: Index, high: Index) -> Floats:
    """By the last draw of each leaf."""
    last = np.full(len(boxes.parent), -1, dtype=np.int64)
    last[boxes.node] = np.arange(len(boxes.node))
    leaf = boxes.leaves
    leaf = leaf[last[leaf] >= 0]
    return _leaf_sums(boxes.low[leaf], boxes.high[leaf], boxes.noisy[last[leaf]], low, high)


def grid_answers(grid: NoisyGrid, low: Index, high: Index) -> Floats:
    """The share of each part of each axis that a query covers, times the blocks: some queries at a time."""
    shares = [_shares(cuts, low[:, axis], high[:, axis]) for axis, cuts in enumerate(grid.edges)]
    whole = np.prod([share[:, 0] for share in shares if share.shape[1] == 1], axis=0)
    shares = [share for share in shares if share.shape[1] > 1]
    noisy = grid.noisy.astype(np.float64).reshape([share.shape[1] for share in shares])
    if not shares:
        return whole * noisy
    step = max(1, AT_ONCE * len(noisy) // noisy.size)
    found = [_contracted(noisy, [share[i : i + step] for share in shares]) for i in range(0, len(low), step)]
    return whole * np.concatenate(found)


def _contracted(noisy: Floats, shares: list[Floats]) -> Floats:
    """Axis by axis."""
    rest = shares[0] @ noisy.reshape(len(noisy), -1)
    for share in shares[1:]:
        rest = (share[:, None, :] @ rest.reshape(len(rest), share.shape[1], -1))[:, 0]
    return rest[:, 0]


def _shares(cuts: Index, low: Index, high: Index) -> Floats:
    """How much of each part of an axis lies in each query."""
    common = np.minimum(cuts[1:], high[:, None]) - np.maximum(cuts[:-1], low[:, None])
    return np.maximum(common, 0) / np.diff(cuts)


@compiled
def _leaf_sums(
    box_low: NDArray[np.int32], box_high: NDArray[np.int32], noisy: Index, low: Index, high: Index
) -> Floats:
    answers = np.zeros(len(low))
    for query in range(len(low)):
        for box in range(len(noisy)):
            share = 1.0
            for axis in range(low.shape[1]):
                start = max(low[query, axis], box_low[box, axis])
                stop = min(high[query, axis], box_high[box, axis])
                if stop <= start:
                    share = 0.0
                    break
                share *= (stop - start) / (box_high[box, axis] - box_low[box, axis])
            answers[query] += share * noisy[box]
    return answers
