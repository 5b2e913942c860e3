"""Compiled loops over paths. All in one file: numba's cache notices a change of the caller's file only.

Notation: the paths of node i are `order[begins[i]:ends[i]]`; its cuts are `cuts[offsets[i]:offsets[i + 1]]`,
increasing and strictly inside its box, so that it has one child more than cuts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba  # pyright: ignore[reportMissingTypeStubs]
import numpy as np
from numpy.typing import NDArray

P = ParamSpec("P")
R = TypeVar("R")

Ints = NDArray[np.int64]
Points = NDArray[np.int32]


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The function, compiled once and kept on disk."""
    return cast(Callable[P, R], cast(Any, numba).njit(cache=True)(function))


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
) -> tuple[Ints, Ints]:
    """The paths of some nodes sorted to their children: the new order, and where each child's paths start.

    The children stand in the order of their parents, and of their places along the axis that is cut.
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
            found = child_at(cuts, offsets[i], offsets[i + 1], points[order[t], axis[i]])
            child[at] = first + found
            starts[first + found + 1] += 1
            at += 1
    for c in range(1, starts.size):
        starts[c] += starts[c - 1]
    room = starts.copy()
    sorted_order = np.empty(total, dtype=np.int64)
    at = 0
    for i in range(nodes):
        for t in range(begins[i], ends[i]):
            c = child[at]
            sorted_order[room[c]] = order[t]
            room[c] += 1
            at += 1
    return sorted_order, starts
