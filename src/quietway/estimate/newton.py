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

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from quietway.errors import FitError
from quietway.estimate.dual import Dual, Point, Precise
from quietway.estimate.leaves import LOWEST_LEVEL
from quietway.estimate.listing import Listing, Mixed
from quietway.estimate.normal import Index, Normal
from quietway.estimate.problem import Problem
from quietway.estimate.solution import Floats

PRECISION = 1e-12
ROUGH = 1e-4
ACCEPTED = 1e-9
MOST_STEPS = 1000
SOFTEST = 1e-3
HARDER = 10.0


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


def solve(problem: Problem) -> Optimum:
    """The optimum, or an error that says what to change."""
    normal, dual = Normal.of(problem.blocks, problem.noisy.size), Precise.of(_start(problem))
    listing, steps = Listing.nothing(problem), 0
    for softness, precision in _stages(problem):
        while True:
            objective = Dual(
                problem=problem,
                ridge=softness * problem.ridge,
                model=Mixed.of(problem, listing),
                normal=normal,
            )
            point = objective.minimised(dual, precision=precision, most_steps=MOST_STEPS - steps)
            steps += point.steps
            import os
            if os.environ.get('DBG'): print(softness,precision,point.steps,objective.residual(point),np.abs(dual.high).max(),(point.threshold < listing.levels - 1).any(),flush=True)
            dual = point.dual
            if (point.threshold >= listing.levels - 1).all():
                break
            listing = Listing.of(problem, _lowered(problem, listing, point.threshold))
    return _optimum(listing, point, objective.residual(point), steps)


def _stages(problem: Problem) -> Iterator[tuple[float, float]]:
    """Softer problems first, roughly: by what all ridges are multiplied, and how precisely to solve."""
    softness = SOFTEST * problem.unit / (problem.pull * float(problem.ridge.max()))
    while softness > HARDER**0.5:
        yield softness, ROUGH
        softness /= HARDER
    yield 1.0, PRECISION


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


def _optimum(listing: Listing, point: Point, residual: float, steps: int) -> Optimum:
    if not residual <= ACCEPTED:
        raise FitError(
            f"the fit stopped at a residual of {residual:.1g} after {steps} steps; this happens where weights differ by "
            'too many orders of magnitude: use weights = "inverse-variance", or measure fewer features'
        )
    value = listing.values - point.threshold[listing.classes]
    positive = value > 0
    return Optimum(
        keys=listing.keys[positive],
        values=value[positive],
        levels=listing.levels,
        residual=residual,
        steps=steps,
    )
