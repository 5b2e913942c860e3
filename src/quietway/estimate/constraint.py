"""The constraint-based fit: the non-negative table nearest to all noisy features at once.

    minimise  sum over features and cells, each with its weight, of (table's total - noisy total)^2   over tables >= 0

Source: Fioretto, Lee and Van Hentenryck (2018), section 7, figure 3. Departures:
    1. Every variable is a sum of cells, so the constraints of the figure hold by construction, and the program is
       non-negative least squares in the cells alone; solved exactly in its dual (see `newton`).
    2. Weights are one over the number of blocks as published, or inverse variances, or as given, or in two phases.
    3. Cells are rounded so that totals are kept; rounding each cell on its own loses them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quietway.errors import FitError
from quietway.estimate.flat import FlatErrors
from quietway.estimate.least_squares import LeastSquares
from quietway.estimate.least_squares_errors import LeastSquaresErrors
from quietway.estimate.leaves import HIGHEST_LEVEL, DenseLeaves, Leaves, ListedLeaves
from quietway.estimate.newton import Optimum, solve
from quietway.estimate.plain_rounding import round_consistently
from quietway.estimate.problem import Feature, Problem, classes_of
from quietway.estimate.settings import USUAL, FitSettings
from quietway.estimate.solution import ErrorModel, Solution
from quietway.estimate.weights import INVERSE_VARIANCE, PUBLISHED, Weights
from quietway.measurement import Measurement


def cbdp(measurements: Sequence[Measurement], settings: FitSettings = USUAL) -> Solution:
    """The table that minimises the weighted squares over features and cells, the cells last, in integers."""
    optimum = fitted(measurements, settings.weights)
    named = [(feature.name, feature.partition) for feature in measurements[:-1]]
    rounded = round_consistently(optimum.keys, optimum.values, named)
    occupied = rounded.counts > 0
    return Solution(
        keys=optimum.keys[occupied],
        counts=rounded.counts[occupied],
        errors=_errors(measurements),
        status=f"{optimum.status}; {rounded.status}",
    )


def fitted(measurements: Sequence[Measurement], weights: Weights) -> Optimum:
    """The same table before it is rounded."""
    *features, cells = measurements
    leaves = leaves_of(features, cells)
    if weights.rule == "two-phase":
        return two_phase(features, cells)
    return solve(problem_of(features, leaves, weights.over(measurements)))


def free(measurements: Sequence[Measurement], settings: FitSettings = USUAL) -> Solution:
    """The same without signs, one linear system; then cells are rounded, and negative ones set to zero."""
    counts = np.rint(free_cells(measurements, settings.weights)).astype(np.int64)
    keys = np.flatnonzero(counts > 0)
    return Solution(
        keys=keys,
        counts=counts[keys],
        errors=_errors(measurements),
        status="least squares without signs, rounded, negative cells set to zero; the total of such a table is biased upward",
    )


def free_cells(measurements: Sequence[Measurement], weights: Weights) -> NDArray[np.float64]:
    """Every cell of the least-squares table without signs."""
    *features, cells = measurements
    _require_all(cells)
    leaves = leaves_of(features, cells)
    return LeastSquares(problem_of(features, leaves, weights.over(measurements)), cells).cells


def two_phase(features: Sequence[Measurement], cells: Measurement) -> Optimum:
    """Least squares by inverse variances without signs, and the non-negative table nearest to it.

    With z = c - A' m the first phase's table, the second is x = max(0, z - A' dual) for the dual of its own program:
    that is max(0, c - A' (m + dual)), the same program over the noisy cells with totals A z - ridge m.
    """
    _require_all(cells)
    every, leaves = [*features, cells], leaves_of(features, cells)
    first = LeastSquares(problem_of(features, leaves, INVERSE_VARIANCE.over(every)), cells)
    second = problem_of(features, leaves, PUBLISHED.over(every))
    shifted = first.totals() - second.ridge * first.dual
    return solve(second.with_noisy(shifted))


def problem_of(features: Sequence[Measurement], leaves: Leaves, weights: Sequence[float]) -> Problem:
    """The program for a weight per feature, the cells' last."""
    return Problem.of(
        [
            Feature(
                partition=feature.partition,
                noisy=feature.noisy.astype(np.float64),
                ridge=weights[-1] / weight,
            )
            for feature, weight in zip(features, weights[:-1], strict=True)
        ],
        leaves,
    )


def leaves_of(features: Sequence[Measurement], cells: Measurement) -> Leaves:
    """The noisy cells as they were published."""
    if not cells.partition.is_identity:
        raise FitError("the last measurement must be of the cells")
    if cells.floors is not None:
        if (cells.floors.levels == HIGHEST_LEVEL).all():
            raise FitError(
                "the noisy cells that this fit needs were too many to list, or it found no optimum; the features' noisy totals "
                "are kept with what was paid for. Release with coarser axes, fewer features or weights = 'published'"
            )
        return ListedLeaves(cells)
    return DenseLeaves(cells, classes_of([(feature.name, feature.partition) for feature in features]))


def _require_all(cells: Measurement) -> None:
    if cells.blocks is not None:
        raise FitError(
            "this fit needs the noise of every cell, and of this universe only those that stand out are listed; "
            "use fit = 'cbdp' with weights = 'published' or 'inverse-variance'"
        )


def _errors(measurements: Sequence[Measurement]) -> ErrorModel:
    """By least squares over everything; without the cells where they are not all listed."""
    *features, cells = measurements
    flat = FlatErrors(tuple(feature for feature in measurements if feature.blocks is None))
    if cells.blocks is not None:
        return flat
    weights = INVERSE_VARIANCE.over(measurements)
    return LeastSquaresErrors(
        LeastSquares(problem_of(features, leaves_of(features, cells), weights), cells), flat
    )
