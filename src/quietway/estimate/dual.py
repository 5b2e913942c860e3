"""The dual objective of the constraint-based fit, and Newton steps on it (see `newton` for the mathematics)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from quietway.estimate.kernels import gather_precisely, scatter
from quietway.estimate.listing import Mixed
from quietway.estimate.normal import Normal
from quietway.estimate.problem import Problem
from quietway.estimate.solution import Floats

ROUNDING = 1e-10
INEXACT = 1e-3
SUFFICIENT = 1e-4
HALVINGS = 60


@dataclass(frozen=True, kw_only=True, eq=False)
class Precise:
    """Numbers of twice the precision, high + rest: duals of features that nest are large and nearly cancel."""

    high: Floats
    rest: Floats

    @classmethod
    def of(cls, high: Floats) -> Precise:
        """Numbers that are exact as they are."""
        return cls(high=high, rest=np.zeros_like(high))

    def plus(self, step: Floats) -> Precise:
        """The sum, of which nothing is lost."""
        step = step + self.rest
        high = self.high + step
        back = high - self.high
        return Precise(high=high, rest=(self.high - (high - back)) + (step - back))


@dataclass(frozen=True, kw_only=True, eq=False)
class Point:
    """phi and its derivatives at some duals."""

    dual: Precise
    threshold: Floats
    value: float
    gradient: Floats
    count: Floats
    steps: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Dual:
    """phi for one model of the leaves and one ridge."""

    problem: Problem
    ridge: Floats
    model: Mixed
    normal: Normal

    def at(self, dual: Precise) -> Point:
        """phi there."""
        noisy, blocks, high = self.problem.noisy, self.problem.blocks, dual.high
        threshold, sums = np.empty(len(blocks)), np.empty_like(high)
        gather_precisely(blocks, high, dual.rest, threshold)
        total, count, squares = self.model.excess(threshold)
        scatter(blocks, total, sums)
        return Point(
            dual=dual,
            threshold=threshold,
            value=0.5 * float(self.ridge @ high**2) + float(noisy @ high) + 0.5 * squares,
            gradient=self.ridge * high + noisy - sums,
            count=count,
        )

    def residual(self, point: Point) -> float:
        """The largest entry of the gradient, relative to the largest total."""
        return float(np.abs(point.gradient).max()) / self.problem.unit

    def minimised(self, dual: Precise, *, precision: float, most_steps: int) -> Point:
        """Newton steps until the gradient is small, or what is left of it is rounding."""
        point, steps = self.at(dual), 0
        while (left := self.residual(point)) > precision and steps < most_steps:
            moved = self._stepped(point)
            steps += 1
            if moved is point or (left <= ROUNDING and self.residual(moved) > left / 2):
                break
            point = moved
        return replace(point, steps=steps)

    def _stepped(self, point: Point) -> Point:
        """A point along Newton's direction that descends enough, or the point itself.

        A step that is too long is shortened to where the slopes at both of its ends would meet zero, within bounds.
        """
        tolerance = min(INEXACT, self.residual(point))
        direction = self.normal.solve(self.ridge, point.count, -point.gradient, tolerance)
        slope, length = float(point.gradient @ direction), 1.0
        rounding = 1e-13 * (abs(point.value) + float(np.abs(self.problem.noisy) @ np.abs(point.dual.high)))
        for _ in range(HALVINGS):
            new = self.at(point.dual.plus(length * direction))
            beyond = float(new.gradient @ direction)
            if _descends(point.value - new.value, rounding, slope * length, beyond * length):
                return new
            length *= min(0.5, max(0.05, slope / (slope - beyond))) if beyond > 0 else 0.5
        return point


def _descends(fall: float, rounding: float, slope: float, beyond: float) -> bool:
    """Whether phi falls by enough of what its slope promised; where values are rounded away, the slope's fall tells.

    For a quadratic both say the same (Hager and Zhang 2005, the approximate Wolfe conditions).
    """
    if fall >= -SUFFICIENT * slope + rounding:
        return True
    return fall >= -rounding and beyond <= (2 * SUFFICIENT - 1) * slope
