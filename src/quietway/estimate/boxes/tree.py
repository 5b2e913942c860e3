"""Least squares on a tree of boxes, then the nearest non-negative values from the root down."""

from __future__ import annotations

from dataclasses import dataclass

from quietway.estimate.boxes import tree_kernels
from quietway.estimate.boxes.nested import Nested, completed
from quietway.estimate.boxes.solution import Floats
from quietway.universe import PathSpace


@dataclass(frozen=True, kw_only=True, eq=False)
class TreeFit:
    """A fitted tree: `value` of each node, not negative, each the sum of its children's.

    Its other arrays are those of the least squares before that: the estimate x
    and its variance, and the variances below each node and of its children's
    sum, from which the variance of every sum follows.
    """

    tree: Nested
    value: Floats
    x: Floats
    variance: Floats
    below: Floats
    children: Floats


def fit_tree(tree: Nested, space: PathSpace) -> TreeFit:
    """For any fan-out and any variances."""
    tree = completed(tree, space.frames)
    z, v, s, u = tree_kernels.upward(tree.parent, tree.noisy, tree.variance)
    x, variance = tree_kernels.downward(tree.parent, z, v, s, u)
    value = tree_kernels.nonnegative(tree.end, x, v)
    return TreeFit(tree=tree, value=value, x=x, variance=variance, below=v, children=u)
