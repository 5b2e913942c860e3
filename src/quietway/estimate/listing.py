"""What the dual needs to know of the leaves: those that are listed, and the expectation of those that are not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.kernels import add_expected_excess, excess
from quietway.estimate.leaves import HIGHEST_LEVEL
from quietway.estimate.normal import Index
from quietway.estimate.problem import Problem
from quietway.estimate.solution import Floats


@dataclass(frozen=True, eq=False)
class Listing:
    """The leaves from some levels on, and their classes."""

    levels: Index
    keys: Index
    values: Floats
    classes: NDArray[np.int32]

    @classmethod
    def of(cls, problem: Problem, levels: Index) -> Listing:
        """What the leaves list."""
        listed = problem.leaves.above(levels)
        classes = problem.leaves.groups.block_of(listed.keys).astype(np.int32)
        return cls(levels, listed.keys, listed.values.astype(np.float64), classes)

    @classmethod
    def nothing(cls, problem: Problem) -> Listing:
        """Before anything has been asked for."""
        levels = np.full(problem.leaves.groups.blocks, HIGHEST_LEVEL)
        return cls(levels, np.empty(0, np.int64), np.empty(0), np.empty(0, np.int32))

    def excess(self, threshold: Floats) -> tuple[Floats, Floats, float]:
        """Summed over the leaves."""
        total, count = np.empty(threshold.size), np.empty(threshold.size)
        squares = excess(self.values, self.classes, threshold, total, count)
        return total, count, squares


@dataclass(frozen=True, eq=False)
class Expected:
    """Cells that are nothing but noise, in expectation; a continuous Laplace law is near enough for a guide.

    Of each class, only the part of the noise below `top` counts: what lies higher has been listed.
    """

    sizes: Floats
    top: Floats
    scale: float

    def add_excess(self, threshold: Floats, total: Floats, count: Floats) -> float:
        """Add what lies between the threshold and the top, and how many cells do; the sum of squares."""
        return add_expected_excess(self.sizes, self.scale, threshold, self.top, total, count)


@dataclass(frozen=True, eq=False)
class Mixed:
    """Listed leaves, and the expectation of those that are not: their integers lie below the levels."""

    listing: Listing
    rest: Expected

    @classmethod
    def of(cls, problem: Problem, listing: Listing) -> Mixed:
        """All leaves of a problem."""
        top = np.where(listing.levels == HIGHEST_LEVEL, np.inf, listing.levels - 1.0)
        return cls(listing, Expected(problem.sizes, top, problem.leaves.scale))

    def excess(self, threshold: Floats) -> tuple[Floats, Floats, float]:
        """Both together."""
        total, count, squares = self.listing.excess(threshold)
        return total, count, squares + self.rest.add_excess(threshold, total, count)
