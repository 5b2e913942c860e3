"""The optimum of the constraint-based fit, exactly, by a semismooth Newton method on its dual.

    minimise    sum over leaves of (x - c)^2  +  sum over blocks of (A x - b)^2 / ridge      over x >= 0

Notation: c are the leaves' noisy counts, b those of the blocks of all features, A sums leaves into blocks (a one per
leaf and feature), ridge is a leaf's weight over the block's. With one dual variable per block, the stationary x for
given duals is x = max(0, c - A' dual): the leaves of a class share the threshold A' dual. The duals minimise

    phi(dual) = dual' diag(ridge) dual / 2 + b' dual + |x(dual)|^2 / 2,   gradient  ridge * dual + b - A x(dual),

strictly convex, smooth and piecewise quadratic, with second derivative diag(ridge) + A N A', where N counts the
positive leaves of a class. Newton steps with Armijo backtracking end exactly, in the piece that holds the optimum.

Where leaves weigh little (in a universe of 10^12 cells the published weight of one is 10^-12), ridge is tiny, the
features all but bind, and which leaves stay positive is hard to find in one go. So the first problems solved are
softer ones, all ridges multiplied by a factor that falls to one; once the pieces are the same, a stage takes one step.
And where noisy totals contradict each other, or stay negative, duals grow like 1 / ridge and cancel in the
thresholds: they are carried in twice the precision.

Only leaves above their threshold matter. They are listed from levels a little below the thresholds, and anew where a
threshold falls below its level; what is not listed yet is replaced by its expectation, so that already the first
thresholds are near the last.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from quietway.errors import FitError, UniverseError
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
SOFTEST = 1e-2
HARDER = (10.0, 3.0)
# No optimum, or too many leaves to list; whatever else is wrong is no reason to go on.
GIVES_UP = (FitError, UniverseError)


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


@dataclass(frozen=True, kw_only=True, eq=False)
class _State:
    """Where the search is: duals, the leaves listed so far, the residual left and the steps taken."""

    point: Point
    listing: Listing
    residual: float
    steps: int


def solve(problem: Problem) -> Optimum:
    """The optimum, or an error that says what to change.

    Where the usual pace from soft to hard fails, a slower one is tried before giving up.
    """
    usual, slower = HARDER
    try:
        return _searched(problem, usual)
    except GIVES_UP:
        return _searched(problem, slower)


def _searched(problem: Problem, harder: float) -> Optimum:
    normal, listing = Normal.of(problem.blocks, problem.noisy.size), Listing.nothing(problem)
    start = _dual(problem, normal, listing).at(Precise.of(_start(problem)))
    state = _State(point=start, listing=listing, residual=np.inf, steps=0)
    rough = min(ROUGH, problem.leaves.scale / problem.unit)
    for softness in _softnesses(problem, harder):
        state = _settled(problem, normal, state, softness=softness, precision=rough)
    return _optimum(_settled(problem, normal, state, softness=1.0, precision=PRECISION))


def _softnesses(problem: Problem, harder: float) -> Iterator[float]:
    """By what all ridges are multiplied, at first so much that the leaves' pull moves totals by a hundredth."""
    softness = SOFTEST * problem.unit / (problem.pull * float(problem.ridge.max()))
    while softness > harder**0.5:
        yield softness
        softness /= harder


def _settled(problem: Problem, normal: Normal, state: _State, *, softness: float, precision: float) -> _State:
    """The optimum of one stage, with all leaves listed that it needs."""
    listing, dual, steps = state.listing, state.point.dual, state.steps
    while True:
        objective = _dual(problem, normal, listing, softness)
        point = objective.minimised(dual, precision=precision, most_steps=MOST_STEPS - steps)
        dual, steps = point.dual, steps + point.steps
        if (point.threshold >= listing.levels - 1).all():
            return _State(point=point, listing=listing, residual=objective.residual(point), steps=steps)
        listing = Listing.of(problem, _lowered(problem, listing, point.threshold))


def _dual(problem: Problem, normal: Normal, listing: Listing, softness: float = 1.0) -> Dual:
    model = Mixed.of(problem, listing)
    return Dual(problem=problem, ridge=softness * problem.ridge, model=model, normal=normal)


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


def _optimum(state: _State) -> Optimum:
    if not state.residual <= ACCEPTED:
        raise FitError(
            f"the fit stopped at a residual of {state.residual:.1g} after {state.steps} steps; this happens where weights "
            "differ by too many orders of magnitude or features cross without end: use weights = "
            '"inverse-variance", or measure fewer features'
        )
    listing = state.listing
    value = listing.values - state.point.threshold[listing.classes]
    positive = value > 0
    return Optimum(
        keys=listing.keys[positive],
        values=value[positive],
        levels=listing.levels,
        residual=state.residual,
        steps=state.steps,
    )
