"""Least squares on a tree of noisy totals, in two passes.

Notation: at a node, y is its noisy total with variance w; its children's
    estimates add up to s with variance u. Seen from below, the node is z with
    variance v; seen from everywhere, x.
Up:    z = v (y / w + s / u),  1 / v = 1 / w + 1 / u     (a leaf: z = y, v = w)
Down:  x = z at the roots;  a child gets x = z + (x_parent - s) v / u
This is the least-squares solution for any fan-out and any variances, and given
its parent a node's children are Gaussian with covariance diag(v) - v v' / u,
from which the variance of every sum of leaves follows in one pass up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from quietway.errors import FitError
from quietway.estimate.flat import parents
from quietway.estimate.solution import Estimates, Floats, around, sums
from quietway.measurement import Measurement
from quietway.universe import Partition, Range

Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tree:
    """A fitted tree, level by level, roots first.

    `parent[i]` maps the nodes of level i + 1 to those of level i.
    """

    leaves: Partition
    parent: tuple[Index, ...]
    estimate: tuple[Floats, ...]
    variance_below: tuple[Floats, ...]
    variance_children: tuple[Floats, ...]

    def sums(self, block_of_leaf: Index, blocks: int) -> tuple[Floats, Floats]:
        """Estimate and variance of sums of leaves: one for each block, -1 belonging to none."""
        node = np.flatnonzero(block_of_leaf >= 0)
        block = block_of_leaf[node]
        estimate = sums(block, self.estimate[-1][node], blocks)
        slope, variance = np.ones(len(node)), np.zeros(len(node))
        for level in range(len(self.parent), 0, -1):
            below, u = self.variance_below[level][node], self.variance_children[level - 1]
            pair, inverse = np.unique(self.parent[level - 1][node] * blocks + block, return_inverse=True)
            node, block = np.divmod(pair, blocks)
            pull = sums(inverse, slope * below, len(pair))
            variance = sums(inverse, variance + slope**2 * below, len(pair)) - pull**2 / u[node]
            slope = pull / u[node]
        variance = variance + slope**2 * self.variance_below[0][node]
        return estimate, np.maximum(0.0, sums(block, variance, blocks))


@dataclass(frozen=True, eq=False)
class TreeErrors:
    """Estimates for any margin or range from a fitted tree."""

    tree: Tree

    def margin(self, partition: Partition, confidence: float) -> Estimates:
        """One estimate per block of any partition."""
        return self._around(
            partition.block_of(np.arange(self.tree.leaves.blocks)), partition.blocks, confidence
        )

    def range(self, range_: Range, confidence: float) -> Estimates:
        """The estimate for one range."""
        return self._around(np.where(range_.dense(), 0, -1), 1, confidence)

    def _around(self, block_of_leaf: Index, blocks: int, confidence: float) -> Estimates:
        estimate, variance = self.tree.sums(block_of_leaf, blocks)
        return around(estimate, np.sqrt(variance), confidence)


def fit_tree(measurements: Sequence[Measurement]) -> Tree:
    """Weighted least squares over all levels; each must refine the one before."""
    levels = [measurement.partition for measurement in measurements]
    if not levels[-1].is_identity:
        raise FitError("the last level of the tree must be the cells")
    parent = tuple(parents(fine, coarse) for coarse, fine in pairwise(levels))
    z: list[Floats] = [measurements[-1].noisy.astype(np.float64)]
    v: list[Floats] = [np.full(levels[-1].blocks, measurements[-1].variance)]
    s: list[Floats] = []
    u: list[Floats] = []
    for measurement, up in zip(reversed(measurements[:-1]), reversed(parent), strict=True):
        s.append(sums(up, z[-1], len(measurement.noisy)))
        u.append(sums(up, v[-1], len(measurement.noisy)))
        v.append(1 / (1 / measurement.variance + 1 / u[-1]))
        z.append(v[-1] * (measurement.noisy / measurement.variance + s[-1] / u[-1]))
    z, v, s, u = z[::-1], v[::-1], s[::-1], u[::-1]
    x = [z[0]]
    for level, up in enumerate(parent):
        x.append(z[level + 1] + ((x[level] - s[level]) / u[level])[up] * v[level + 1])
    return Tree(levels[-1], parent, tuple(x), tuple(v), tuple(u))
