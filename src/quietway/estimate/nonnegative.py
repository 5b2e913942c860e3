"""From least-squares estimates to a table of non-negative integers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.solution import Floats, Solution, sums
from quietway.estimate.tree import Index, Tree, TreeErrors, fit_tree
from quietway.measurement import Measurement


def project(measurements: Sequence[Measurement]) -> Solution:
    """Least squares, then level by level the nearest non-negative shares of each parent, in integers.

    Every parent equals the sum of its children all the way down, so pruning
    does not bias the totals: what negative cells would have taken away is
    taken from their siblings.
    """
    tree = fit_tree(measurements)
    real = np.maximum(0.0, tree.estimate[0])
    whole = np.rint(real).astype(np.int64)
    for parent, estimate in zip(tree.parent, tree.estimate[1:], strict=True):
        real = shares(estimate, parent, real)
        whole = apportion(real, parent, whole)
    return _solution(
        tree, whole, "consistent: every level adds up to the one above, in non-negative integers"
    )


def prune(measurements: Sequence[Measurement]) -> Solution:
    """Least squares, then a node that is not positive is set to zero with all that hangs below it.

    Source: Hay et al. (2010), section 4.2. Levels need not add up afterwards.
    """
    tree = fit_tree(measurements)
    alive = tree.estimate[0] > 0
    for parent, estimate in zip(tree.parent, tree.estimate[1:], strict=True):
        alive = alive[parent] & (estimate > 0)
    whole = np.where(alive, np.rint(tree.estimate[-1]), 0).astype(np.int64)
    return _solution(tree, whole, "pruned: nodes that were not positive are empty, with all below them")


def shares(wanted: Floats, parent: Index, total: Floats) -> Floats:
    """The non-negative values nearest to `wanted` that add up to each parent's total.

    The projection on a simplex subtracts one level from all siblings and clips:
    sorted from the largest, the first so many stay positive.
    """
    order = np.lexsort((-wanted, parent))
    value, group = wanted[order], parent[order]
    start = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    size = np.diff(np.r_[start, len(group)])
    rank = np.arange(len(group)) - np.repeat(start, size) + 1
    running = _running_sums(value, start, size)
    level = (running - total[group]) / rank
    kept = np.add.reduceat((value > level).astype(np.int64), start)
    cut = level[start + np.maximum(kept, 1) - 1]
    share = np.empty_like(wanted)
    share[order] = np.where(np.repeat(kept > 0, size), np.maximum(0.0, value - np.repeat(cut, size)), 0.0)
    return share


def apportion(share: Floats, parent: Index, whole: NDArray[np.int64]) -> NDArray[np.int64]:
    """Integers next to `share` that add up to each parent's integer, by largest remainder."""
    floor, missing = _missing(np.floor(share), parent, whole)
    if (missing < 0).any():  # shares that rounding has lifted over an integer may give it back
        lower = np.maximum(0.0, np.floor(share - 1e-6))
        floor, missing = _missing(np.where(missing[parent] < 0, lower, floor), parent, whole)
    order = np.lexsort((floor - share, parent))
    group = parent[order]
    start = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    rank = np.arange(len(group)) - np.repeat(start, np.diff(np.r_[start, len(group)]))
    integers = floor.astype(np.int64)
    integers[order] += rank < missing[group]
    return integers


def _missing(floor: Floats, parent: Index, whole: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
    return floor, whole - sums(parent, floor, len(whole)).astype(np.int64)


def _running_sums(value: Floats, start: Index, size: Index) -> Floats:
    """Cumulative sums that begin anew at every start.

    Around each group's mean, so that one pass over all groups does not build
    up a sum whose rounding would drown the small groups.
    """
    mean = np.repeat(np.add.reduceat(value, start) / size, size)
    first = np.repeat(start, size)
    around = np.cumsum(value - mean)
    before = np.r_[0.0, around][first]
    return around - before + mean * (np.arange(len(value)) - first + 1)


def _solution(tree: Tree, whole: NDArray[np.int64], status: str) -> Solution:
    keys = np.flatnonzero(whole)
    return Solution(keys=keys, counts=whole[keys], errors=TreeErrors(tree), status=status)
