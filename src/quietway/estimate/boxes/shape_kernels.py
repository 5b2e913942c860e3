"""Compiled loops that make trees and put them in order. Parents stand before their children, and node 0 is the only root."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quietway.compiled import compiled

Index = NDArray[np.int64]
Ends = NDArray[np.int32]


@compiled
def preorder(parent: Index) -> tuple[Index, Index, int]:
    """Where each node of a tree goes, where each subtree then ends, and how deep the tree is.

    Parents stand before their children, and the first node alone has none.
    """
    n = parent.size
    size = np.ones(n, np.int64)
    for i in range(n - 1, 0, -1):
        size[parent[i]] += size[i]
    place, free, depth = np.zeros(n, np.int64), np.ones(n, np.int64), np.ones(n, np.int64)
    end = np.empty(n, np.int64)
    end[0] = n
    deepest = 1
    for i in range(1, n):
        up = parent[i]
        place[i] = free[up]
        free[up] += size[i]
        free[i] = place[i] + 1
        end[place[i]] = place[i] + size[i]
        depth[i] = depth[up] + 1
        deepest = max(deepest, depth[i])
    return place, end, deepest


@compiled
def depths(parent: Index) -> Index:
    """How many nodes each hangs below."""
    depth = np.zeros(parent.size, np.int64)
    for i in range(1, parent.size):
        depth[i] = depth[parent[i]] + 1
    return depth


@compiled
def drawn_below(parent: Index, drawn: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether any node in each one's descent was drawn, the node itself left out."""
    below = np.zeros(parent.size, np.bool_)
    for i in range(parent.size - 1, -1, -1):
        if parent[i] >= 0 and (drawn[i] or below[i]):
            below[parent[i]] = True
    return below


@compiled
def drawn_above(parent: Index, drawn: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each node, or any that it hangs below, was drawn."""
    above = drawn.copy()
    for i in range(parent.size):
        if parent[i] >= 0 and above[parent[i]]:
            above[i] = True
    return above


@compiled
def halved(shape: Index) -> tuple[Index, Index, Index]:
    """A tree over the blocks of a grid: whatever has more than one block is halved along its longest axis.

    Parents stand before their children. Lower ends, upper ends and parents, the ends in blocks.
    """
    blocks = 1
    for size in shape:
        blocks *= size
    low = np.zeros((2 * blocks - 1, shape.size), np.int64)
    high, parent = np.zeros_like(low), np.full(2 * blocks - 1, -1, np.int64)
    high[0] = shape
    waiting = np.zeros(64 * shape.size, np.int64)
    top, free = 1, 1
    while top > 0:
        top -= 1
        node = waiting[top]
        axis, longest = 0, 1
        for i in range(shape.size):
            if high[node, i] - low[node, i] > longest:
                axis, longest = i, high[node, i] - low[node, i]
        if longest == 1:
            continue
        for side in range(2):
            child = free + side
            low[child], high[child], parent[child] = low[node], high[node], node
            waiting[top] = child
            top += 1
        middle = low[node, axis] + (longest + 1) // 2
        high[free, axis], low[free + 1, axis] = middle, middle
        free += 2
    return low, high, parent


@compiled
def packed(cells: Ends) -> tuple[Ends, Ends, Index, Index]:
    """A tree over cells, each a leaf; a node's box is the smallest around its cells, which split along its longest side.

    Parents stand before their children. Lower ends, upper ends, parents, and each leaf's cell (-1 for inner nodes).
    """
    n, axes = cells.shape
    low = np.empty((2 * n - 1, axes), np.int32)
    high, parent, cell = (
        np.empty_like(low),
        np.full(2 * n - 1, -1, np.int64),
        np.full(2 * n - 1, -1, np.int64),
    )
    order = np.arange(n)
    start, stop = np.zeros(2 * n - 1, np.int64), np.zeros(2 * n - 1, np.int64)
    stop[0] = n
    free = 1
    for node in range(2 * n - 1):
        first, last = start[node], stop[node]
        widest = 0
        for axis in range(axes):
            low[node, axis] = high[node, axis] = cells[order[first], axis]
            for i in range(first + 1, last):
                index = cells[order[i], axis]
                low[node, axis], high[node, axis] = min(low[node, axis], index), max(high[node, axis], index)
            high[node, axis] += 1
            if high[node, axis] - low[node, axis] > high[node, widest] - low[node, widest]:
                widest = axis
        if last == first + 1:
            cell[node] = order[first]
            continue
        mine = order[first:last].copy()
        keys = np.empty(mine.size, np.int32)
        for i in range(mine.size):
            keys[i] = cells[mine[i], widest]
        sort = np.argsort(keys, kind="mergesort")
        for i in range(mine.size):
            order[first + i] = mine[sort[i]]
        middle = first + (last - first + 1) // 2
        start[free], stop[free], parent[free] = first, middle, node
        start[free + 1], stop[free + 1], parent[free + 1] = middle, last, node
        free += 2
    return low, high, parent, cell
