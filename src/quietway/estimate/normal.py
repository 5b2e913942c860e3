"""The matrix of a Newton step, diag(ridge) + A N A', and its solution.

Notation: A has a row per block and a column per class, with a one where the class lies in the block; N is diagonal.
Blocks are numbered feature by feature, the feature with the most blocks first. Blocks of one feature never meet in a
class, so eliminating them in this order begins with a diagonal matrix, and fills in little where features nest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.kernels import factor, fill_pattern, gather, scatter, spread_pairs, substitute
from quietway.estimate.solution import Floats

Index = NDArray[np.int64]
Blocks = NDArray[np.int32]
LARGEST_FACTOR = 60_000_000
LARGEST_WORK = 4e10
TIGHT = 1e-10


@dataclass(frozen=True, eq=False)
class Normal:
    """The pattern of the matrix for some classes; values come with every step."""

    blocks: Blocks
    size: int
    place: NDArray[np.int32]
    start: Index
    row: NDArray[np.int32]
    parent: Index
    first: Index
    fits: bool

    @classmethod
    def of(cls, blocks: Blocks, size: int) -> Normal:
        """The pattern for classes given by the block that each lies in, one column per feature."""
        place, start, row = _pairs(blocks, size)
        parent, below = fill_pattern(start, row, LARGEST_FACTOR)
        fits = (
            int(below.sum()) <= LARGEST_FACTOR
            and float((below.astype(np.float64) ** 2).sum()) <= LARGEST_WORK
        )
        return cls(blocks, size, place, start, row, parent, np.r_[0, np.cumsum(below)], fits)

    def solve(self, ridge: Floats, count: Floats, right: Floats, tolerance: float = TIGHT) -> Floats:
        """x with (diag(ridge) + A diag(count) A') x = right; only where no factor would fit, to a tolerance."""
        if not self.fits:
            return self._conjugate(ridge, count, right, max(tolerance, TIGHT))
        return self.factored(ridge, count).solve(right)

    def factored(self, ridge: Floats, count: Floats) -> Factored:
        """The factor for one set of values, to solve with many times."""
        diagonal, value = self._diagonal(ridge, count), np.empty(self.row.size)
        spread_pairs(self.place, count, value)
        pivot = np.empty(self.size)
        lower_row, lower = np.empty(self.first[-1], dtype=np.int32), np.empty(self.first[-1])
        factor(self.start, self.row, value, diagonal, ridge, self.parent, self.first, pivot, lower_row, lower)
        return Factored(self.first, lower_row, lower, pivot)

    def _diagonal(self, ridge: Floats, count: Floats) -> Floats:
        diagonal = np.empty(self.size)
        scatter(self.blocks, count, diagonal)
        return diagonal + ridge

    def _conjugate(self, ridge: Floats, count: Floats, right: Floats, tolerance: float) -> Floats:
        """Conjugate gradients, for features that cross so much that a factor would not fit.

        Every feature adds up to the same total, so one constant per feature is what the ridge alone keeps in place.
        On those constants the matrix is diag(sum of ridges) + sum of counts, solved exactly; on the rest by its diagonal.
        """
        from scipy.sparse.linalg import LinearOperator, cg

        inside, out = np.empty(len(self.blocks)), np.empty(self.size)
        diagonal, starts = self._diagonal(ridge, count), np.sort(self.blocks.min(axis=0))
        lengths = np.diff(np.r_[starts, self.size])
        coarse = np.linalg.inv(np.diag(np.add.reduceat(ridge, starts)) + count.sum())

        def rough(vector: Floats) -> Floats:
            flat = vector.reshape(-1)
            return flat / diagonal + np.repeat(coarse @ np.add.reduceat(flat, starts), lengths)

        def product(vector: Floats) -> Floats:
            gather(self.blocks, np.ascontiguousarray(vector).reshape(-1), inside)
            scatter(self.blocks, inside * count, out)
            return out + ridge * vector.reshape(-1)

        shape = (self.size, self.size)
        found, _ = cg(
            LinearOperator(shape, matvec=product, dtype=np.float64),  # pyright: ignore[reportCallIssue]
            right,
            rtol=tolerance,
            maxiter=300,
            M=LinearOperator(shape, matvec=rough, dtype=np.float64),  # pyright: ignore[reportCallIssue]
        )
        return found


@dataclass(frozen=True, eq=False)
class Factored:
    """L D L'."""

    first: Index
    lower_row: NDArray[np.int32]
    lower: Floats
    pivot: Floats

    def solve(self, right: Floats) -> Floats:
        """The solution for one right-hand side."""
        found = right.copy()
        substitute(self.first, self.lower_row, self.lower, self.pivot, found)
        return found


def _pairs(blocks: Blocks, size: int) -> tuple[NDArray[np.int32], Index, NDArray[np.int32]]:
    """Above the diagonal: where each class's pairs of blocks stand, and the rows of each column."""
    ones, others = np.triu_indices(blocks.shape[1], 1)
    code = blocks[:, others].astype(np.int64) * size + blocks[:, ones]
    pairs, place = np.unique(code.ravel(), return_inverse=True)
    column, row = np.divmod(pairs, size)
    start = np.r_[0, np.cumsum(np.bincount(column, minlength=size))].astype(np.int64)
    return place.reshape(code.shape).astype(np.int32), start, row.astype(np.int32)
