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
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quietway.errors import FitError
from quietway.estimate.flat import parents, partition_of
from quietway.estimate.solution import Estimates, Floats, around, sums
from quietway.measurement import Measurement
from quietway.universe import Partition, Range

Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tree:
    """A fitted tree, level by level, roots first.

    `parent[i]` maps the nodes of level i + 1 to those of level i.
    """

    levels: tuple[Partition, ...]
    parent: tuple[Index, ...]
    estimate: tuple[Floats, ...]
    variance_below: tuple[Floats, ...]
    variance_children: tuple[Floats, ...]

    def coarsest(self, partition: Partition) -> int:
        """The first level whose nodes each lie in one block: sums of nodes are found from there."""
        return next(i for i, level in enumerate(self.levels) if level.refines(partition))

    def sums(self, level: int, node: Index, block: Index, blocks: int) -> tuple[Floats, Floats]:
        """Estimate and variance of the sum of each block's nodes, all of one level and each in one block."""
        estimate = sums(block, self.estimate[level][node], blocks)
        slope, variance = np.ones(len(node)), np.zeros(len(node))
        for above in range(level - 1, -1, -1):
            below, u = self.variance_below[above + 1][node], self.variance_children[above]
            pair, inverse = _numbered(self.parent[above][node] * blocks + block, len(u) * blocks)
            node, block = np.divmod(pair, blocks)
            pull = sums(inverse, slope * below, len(pair))
            variance = sums(inverse, variance + slope**2 * below, len(pair)) - pull**2 / u[node]
            slope = pull / u[node]
        variance = variance + slope**2 * self.variance_below[0][node]
        return estimate, np.maximum(0.0, sums(block, variance, blocks))


@dataclass(frozen=True, eq=False)
class TreeErrors:
    """Estimates for any margin or range from a fitted tree."""

    unbiased: ClassVar[bool] = True

    tree: Tree

    def margin(self, partition: Partition, confidence: float) -> Estimates:
        """One estimate per block of any partition."""
        level = self.tree.coarsest(partition)
        block = parents(self.tree.levels[level], partition)
        return self._around(level, np.arange(len(block)), block, partition.blocks, confidence)

    def range(self, range_: Range, confidence: float) -> Estimates:
        """The estimate for one range."""
        partition = partition_of(range_)
        level = self.tree.coarsest(partition)
        if self.tree.levels[level].is_identity:
            node = range_.keys()
        else:
            node = np.flatnonzero(parents(self.tree.levels[level], partition) == partition.blocks - 1)
        return self._around(level, node, np.zeros_like(node), 1, confidence)

    def _around(self, level: int, node: Index, block: Index, blocks: int, confidence: float) -> Estimates:
        estimate, variance = self.tree.sums(level, node, block, blocks)
        return around(estimate, np.sqrt(variance), confidence)


def _numbered(code: Index, codes: int) -> tuple[Index, Index]:
    """The distinct codes in order, and which of them each one is."""
    if codes > 4 * len(code) + 1024:
        return np.unique(code, return_inverse=True)
    seen = np.zeros(codes, dtype=np.bool_)
    seen[code] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[code]


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
    return Tree(tuple(levels), parent, tuple(x), tuple(v), tuple(u))
