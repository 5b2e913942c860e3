"""Compiled loops over paths. All in one file, as `quietway.compiled` asks.

Notation: the paths of node i are rows `begins[i]:ends[i]` of points that are sorted by node, and the same rows of
`order` say which paths they were at first; its cuts are `cuts[offsets[i]:offsets[i + 1]]`,
increasing and strictly inside its box, so that it has one child more than cuts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quietway.compiled import compiled

Ints = NDArray[np.int64]
Points = NDArray[np.int32]

GRID = 2**10


@compiled
def child_at(cuts: Ints, first: int, last: int, place: int) -> int:
    """How many of the cuts from `first` to before `last` are at or below a place."""
    low, high = first, last
    while low < high:
        middle = (low + high) >> 1
        if cuts[middle] <= place:
            low = middle + 1
        else:
            high = middle
    return low - first


@compiled
def share_out(
    points: Points, order: Ints, begins: Ints, ends: Ints, axis: Ints, cuts: Ints, offsets: Ints
) -> tuple[Points, Ints, Ints]:
    """The paths of some nodes sorted to their children: points, order, and where each child's paths start.

    The children stand in the order of their parents, and of their places along the axis that is cut. Whole rows are
    moved, so that the next look at them goes straight through memory.
    """
    nodes = begins.size
    starts = np.zeros(cuts.size + nodes + 1, dtype=np.int64)
    total = 0
    for i in range(nodes):
        total += ends[i] - begins[i]
    child = np.empty(total, dtype=np.int32)
    at = 0
    for i in range(nodes):
        first = offsets[i] + i
        for t in range(begins[i], ends[i]):
            found = child_at(cuts, offsets[i], offsets[i + 1], int(points[t, axis[i]]))
            child[at] = first + found
            starts[first + found + 1] += 1
            at += 1
    for c in range(1, starts.size):
        starts[c] += starts[c - 1]
    room = starts.copy()
    moved = np.empty((total, points.shape[1]), dtype=np.int32)
    sorted_order = np.empty(total, dtype=np.int64)
    at = 0
    for i in range(nodes):
        for t in range(begins[i], ends[i]):
            to = room[child[at]]
            room[child[at]] += 1
            sorted_order[to] = order[t]
            for column in range(points.shape[1]):
                moved[to, column] = points[t, column]
            at += 1
    return moved, sorted_order, starts


@compiled
def part_unevenness(counts: Ints, start: int, stop: int) -> int:
    """Of the places from `start` to before `stop`."""
    places, total, apart = stop - start, 0, 0
    for x in range(start, stop):
        total += counts[x]
    for x in range(start, stop):
        apart += abs(places * counts[x] - total)
    return GRID * apart // places


@compiled
def unevenness(
    points: Points,
    begins: Ints,
    ends: Ints,
    axis: Ints,
    low: Ints,
    high: Ints,
    candidates: Ints,
    offsets: Ints,
) -> Ints:
    """How far the counts along an axis are from the means of their parts, for each node and candidate.

    `candidates` has a row of cuts for each. With the counts h of a part of n places and their sum t, the part's
    unevenness is the sum of |n h - t| / n over its places, an integer over n, in steps of 1/GRID, rounded down.
    """
    found = np.zeros((begins.size, candidates.shape[0]), dtype=np.int64)
    widest = 0
    for i in range(begins.size):
        widest = max(widest, high[i] - low[i])
    counts = np.empty(widest, dtype=np.int64)
    for i in range(begins.size):
        width = high[i] - low[i]
        counts[:width] = 0
        for t in range(begins[i], ends[i]):
            counts[points[t, axis[i]] - low[i]] += 1
        for c in range(candidates.shape[0]):
            start = 0
            for j in range(offsets[i], offsets[i + 1] + 1):
                stop = candidates[c, j] - low[i] if j < offsets[i + 1] else width
                found[i, c] += part_unevenness(counts, start, stop)
                start = stop
    return found


@compiled
def imbalance(
    points: Points, order: Ints, begins: Ints, ends: Ints, axis: Ints, low: Ints, high: Ints
) -> tuple[Ints, Ints]:
    """For each node, how unequal its halves would be if it were cut before each place but its first.

    The numbers of node i are from `offsets[i]` to before `offsets[i + 1]`.
    """
    offsets = np.zeros(begins.size + 1, dtype=np.int64)
    for i in range(begins.size):
        offsets[i + 1] = offsets[i] + high[i] - low[i] - 1
    found = np.zeros(offsets[-1], dtype=np.int64)
    for i in range(begins.size):
        inside = found[offsets[i] : offsets[i + 1]]
        for t in range(begins[i], ends[i]):
            place = points[order[t], axis[i]] - low[i]
            if place < inside.size:
                inside[place] += 1
        left = 0
        for cut in range(inside.size):
            left += inside[cut]
            inside[cut] = abs(2 * left - (ends[i] - begins[i]))
    return found, offsets
