"""The optimum of the constraint-based fit, exactly, by a semismooth Newton method on its dual.

    minimise    sum over leaves of (x - c)^2  +  sum over blocks of (A x - b)^2 / ridge      over x >= 0

Notation: c are the leaves' noisy counts, b those of the blocks of all features, A sums leaves into blocks (a one per
leaf and feature), ridge is a leaf's weight over the block's. With one dual variable per block, the stationary x for
given duals is x = max(0, c - A' dual): the leaves of a class share the threshold A' dual. The duals minimise

    phi(dual) = dual' diag(ridge) dual / 2 + b' dual + |x(dual)|^2 / 2,   gradient  ridge * dual + b - A x(dual),

strictly convex, smooth and piecewise quadratic, with second derivative diag(ridge) + A N A', where N counts the
positive leaves of a class. Newton steps with Armijo backtracking end exactly, in the piece that holds the optimum.

Only leaves above their threshold matter. They are listed from levels a little below the thresholds, and anew where a
threshold falls below its level; what is not listed yet is replaced by its expectation, so that already the first
thresholds are near the last.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from quietway.errors import FitError
from quietway.estimate.kernels import gather, scatter
from quietway.estimate.leaves import LOWEST_LEVEL
from quietway.estimate.listing import Listing, Mixed
from quietway.estimate.normal import Index, Normal
from quietway.estimate.problem import Problem
from quietway.estimate.solution import Floats

PRECISION = 1e-12
ROUNDING = 1e-10
ROUGH = 1e-4
ACCEPTED = 1e-9
MOST_STEPS = 500
SUFFICIENT = 1e-4


@dataclass(frozen=True, kw_only=True, eq=False)
class Optimum:
    """The positive cells, the threshold of every class, and how it ended."""

    keys: Index
    values: Floats
    levels: Index
    residual: float
    steps: int

    @property
    def status(self) -> str:
        """What the user is told."""
        return f"optimal after {self.steps} Newton steps, with a residual of {self.residual:.1g}"


@dataclass(frozen=True, eq=False)
class _Point:
    """phi and its derivatives at some duals."""

    dual: Floats
    threshold: Floats
    value: float
    gradient: Floats
    count: Floats
    steps: int = 0


@dataclass(frozen=True, eq=False)
class _Dual:
    """phi for one model of the leaves."""

    problem: Problem
    ridge: Floats
    model: Mixed
    normal: Normal

    def at(self, dual: Floats) -> _Point:
        problem, ridge, blocks = self.problem, self.ridge, self.problem.blocks
        threshold, sums = np.empty(len(blocks)), np.empty_like(dual)
        gather(blocks, dual, threshold)
        total, count, squares = self.model.excess(threshold)
        scatter(blocks, total, sums)
        value = 0.5 * float(ridge @ dual**2) + float(problem.noisy @ dual) + 0.5 * squares
        return _Point(dual, threshold, value, ridge * dual + problem.noisy - sums, count)

    def residual(self, point: _Point) -> float:
        return float(np.abs(point.gradient).max()) / self.problem.unit

    def minimised(self, dual: Floats, *, precision: float, steps: int) -> _Point:
        """Newton steps until the gradient is small, or what is left of it is rounding."""
        point = self.at(dual)
        while steps < MOST_STEPS:
            left = self.residual(point)
            if left <= precision:
                break
            moved = self._stepped(point)
            steps += 1
            if moved is point or (left <= ROUNDING and self.residual(moved) > left / 2):
                break
            point = moved
        return replace(point, steps=steps)

    def _stepped(self, point: _Point) -> _Point:
        """A point along Newton's direction that descends enough, or the point itself.

        A step that is too long is shortened to where the slopes at both of its ends would meet zero, within bounds.
        """
        direction = self.normal.solve(self.ridge, point.count, -point.gradient)
        slope, length = float(point.gradient @ direction), 1.0
        rounding = 1e-13 * (abs(point.value) + float(np.abs(self.problem.noisy) @ np.abs(point.dual)))
        for _ in range(60):
            new = self.at(point.dual + length * direction)
            if new.value <= point.value + SUFFICIENT * length * slope + rounding:
                return new
            beyond = float(new.gradient @ direction)
            length *= min(0.5, max(0.05, slope / (slope - beyond))) if beyond > 0 else 0.5
        return point


def solve(problem: Problem) -> Optimum:
    """The optimum, or an error that says what to change."""
    normal = Normal.of(problem.blocks, problem.noisy.size)
    listing, dual, steps = Listing.nothing(problem), _start(problem), 0
    softer = _softer(problem)
    stages=[(k,ROUGH) for k in softer]+[(1.0,PRECISION)]
    while True:
        factor, precision = stages[0]
        objective = _Dual(problem, factor*problem.ridge, Mixed.of(problem, listing), normal)
        point = objective.minimised(dual, precision=precision, steps=steps)
        if DEBUG: print(factor,precision,point.steps-steps,objective.residual(point),np.abs(point.dual).max(),(point.threshold < listing.levels - 1).any())
        if (point.threshold < listing.levels - 1).any():
            listing = Listing.of(problem, _lowered(problem, listing, point.threshold))
        elif len(stages)==1:
            return _optimum(listing, point, objective.residual(point))
        else:
            del stages[0]
        dual, steps = point.dual, point.steps

import os
DEBUG=os.environ.get("DBG")
FIRST=float(os.environ.get("FIRST","1e-3")); RATIO=float(os.environ.get("RATIO","0.1"))
def _softer(problem):
    moved=float(problem.ridge.max())*problem.pull/problem.unit
    out=[]; k=FIRST/moved
    while k>1/RATIO**.5:
        out.append(k); k*=RATIO
    return out

def _start(problem: Problem) -> Floats:
    """Duals by which the cells of each block of the coarsest feature, were they nothing but noise, had its total."""
    dual, coarsest, scale = np.zeros(problem.noisy.size), problem.features[-1], problem.leaves.scale
    sizes = coarsest.partition.sizes()
    share = np.maximum(coarsest.noisy, scale / 2) / sizes
    level = np.where(share < scale / 2, scale * np.log(scale / (2 * share)), scale / 2 - share)
    dual[problem.starts[-2] :] = level
    return dual


def _lowered(problem: Problem, listing: Listing, threshold: Floats) -> Index:
    """Levels for these thresholds, as far down as the leaves can be listed."""
    levels = np.minimum(listing.levels, _levels(threshold, problem.margin))
    levels = np.maximum(levels, problem.leaves.lowest)
    if (threshold < levels - 1).any():
        raise FitError(
            "this fit asks for cells that the measurement does not list; fit it with the settings it was measured for"
        )
    return levels


def _levels(threshold: Floats, margin: float) -> Index:
    """Where to list from for these thresholds: a margin below, in whole steps, so that levels take few values."""
    step = max(1, int(margin))
    return np.maximum(LOWEST_LEVEL, np.floor((threshold - margin) / step) * step).astype(np.int64)


def _optimum(listing: Listing, point: _Point, residual: float) -> Optimum:
    if not residual <= ACCEPTED:
        raise FitError(
            f"the fit stopped at a residual of {residual:.1g} after {point.steps} steps; this happens where weights differ by "
            'too many orders of magnitude: use weights = "inverse-variance", or measure fewer features'
        )
    value = listing.values - point.threshold[listing.classes]
    positive = value > 0
    return Optimum(
        keys=listing.keys[positive],
        values=value[positive],
        levels=listing.levels,
        residual=residual,
        steps=point.steps,
    )
