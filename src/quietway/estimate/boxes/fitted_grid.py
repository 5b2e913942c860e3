"""Answers from a fitted grid by prefix sums, in a time that does not depend on how many blocks there are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quietway.estimate.boxes import grid_kernels
from quietway.estimate.boxes.fitted import FittedBoxes
from quietway.estimate.boxes.solution import Floats, Index
from quietway.universe import Region


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedGrid(FittedBoxes):
    """A fitted grid, whose blocks share their paths out by area; `edges` are its cuts on each axis.

    Questions that are boxes are answered by prefix sums, others by its tree.
    """

    edges: tuple[Index, ...]

    def pieces(self, low: Index, high: Index, region: Region | None = None) -> Floats:
        """What answers and intervals are made of: the rows that `cover_kernels.descend` writes."""
        if region is not None and not region.is_box:
            return super().pieces(low, high, region)
        wide = [axis for axis, cuts in enumerate(self.edges) if cuts[-1] > 1]
        out, variance = np.empty((len(low), 5)), self.fit.below[self.fit.tree.leaf][0]
        blocks = np.array([len(self.edges[axis]) - 1 for axis in wide], dtype=np.int64)
        cuts = np.concatenate([self.edges[axis] for axis in wide] or [np.zeros(0)]).astype(np.int64)
        ends = (np.ascontiguousarray(low[:, wide]), np.ascontiguousarray(high[:, wide]))
        total = self.fit.tree.variance[0] if len(self.fit.value) > 1 else np.inf
        shared = variance**2 / (blocks.prod() * variance + total)
        grid_kernels.answer_grid(self._sums, cuts, blocks, variance, shared, *ends, out)
        return out

    @cached_property
    def _sums(self) -> Floats:
        """Prefix sums of four numbers of each block, a row per corner of the grid."""
        fit, leaf = self.fit, self.fit.tree.leaf
        count, rho = fit.value[leaf], self.clumping.rho[leaf]
        pairs = np.maximum(0.0, count**2 + fit.variance[leaf] - count)
        numbers = np.column_stack([count, fit.x[leaf], count + rho * pairs, count * np.sqrt(rho)])
        shape = tuple(len(cuts) - 1 for cuts in self.edges)
        place = np.zeros(len(count), dtype=np.int64)
        for axis, cuts in enumerate(self.edges):
            place = place * shape[axis] + np.searchsorted(cuts, fit.tree.low[leaf][:, axis])
        table = np.zeros((*(size + 1 for size in shape), 4))
        inside = np.empty_like(numbers)
        inside[place] = numbers
        table[(slice(1, None),) * len(shape)] = inside.reshape(*shape, 4)
        for axis in range(len(shape)):
            np.cumsum(table, axis=axis, out=table)
        corner = tuple(slice(None) if cuts[-1] > 1 else slice(1, 2) for cuts in self.edges)
        return np.ascontiguousarray(table[corner]).reshape(-1, 4)
