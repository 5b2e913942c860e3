"""The dual Newton method against HiGHS, against the conditions of optimality, and against itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from quietway.estimate.leaves import DenseLeaves
from quietway.estimate.newton import Optimum, solve
from quietway.estimate.problem import Feature, Problem, classes_of
from quietway.measurement import Measurement
from quietway.universe import Axis, Partition, Universe, each, grouped
from tests.estimate import highs
from tests.estimate.trees import matrix
from tests.universe.tiny import listed, universes

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Instance:
    """Partitions of a universe with noisy totals and weights, the cells last."""

    partitions: tuple[Partition, ...]
    noisy: tuple[NDArray[np.int64], ...]
    weights: tuple[float, ...]
    scale: Fraction = Fraction(5)

    def problem(self) -> Problem:
        """As the solver takes it."""
        features = tuple(
            Feature(partition=partition, noisy=noisy.astype(float), ridge=self.weights[-1] / weight)
            for partition, noisy, weight in zip(
                self.partitions[:-1], self.noisy[:-1], self.weights[:-1], strict=True
            )
        )
        cells = Measurement(
            name="cells", partition=self.partitions[-1], noisy=self.noisy[-1], scale=self.scale
        )
        classes = classes_of([("feature", partition) for partition in self.partitions[:-1]])
        return Problem.of(features, DenseLeaves(cells, classes))

    def cells(self, found: Optimum) -> Floats:
        """The table that was found, every cell."""
        cells = np.zeros(self.partitions[-1].blocks)
        cells[found.keys] = found.values
        return cells

    def objective(self, cells: Floats) -> float:
        """The weighted squares over all partitions."""
        return sum(
            weight * float(((matrix(partition) @ cells - noisy) ** 2).sum())
            for partition, noisy, weight in zip(self.partitions, self.noisy, self.weights, strict=True)
        )


@st.composite
def instances(draw: st.DrawFn, most: int = 40) -> Instance:
    """Up to four partitions of a small universe, nested or crossing, and any noisy totals."""
    universe = draw(universes())
    partitions = [draw(listed(universe)).partition for _ in range(draw(st.integers(1, 4)))]
    partitions.append(Partition.identity(universe))
    weights = tuple(draw(st.sampled_from([0.01, 0.3, 1.0, 7.0])) for _ in partitions)
    noisy = tuple(
        np.array(
            draw(st.lists(st.integers(-most, most), min_size=p.blocks, max_size=p.blocks)), dtype=np.int64
        )
        for p in partitions
    )
    return Instance(tuple(partitions), noisy, weights)


def city(seed: int, *, trips: int = 3000, scale: float = 10.0) -> Instance:
    """Twelve by twelve stops and six periods, few of whose cells hold trips, and crossing features."""
    draw = np.random.default_rng(seed)
    universe = Universe((Axis(name="o", size=12), Axis(name="d", size=12), Axis(name="t", size=6)))
    zone = [grouped(universe, [axis], np.arange(12) // 4, name="zone") for axis in ("o", "d")]
    mode = grouped(universe, ["o", "d"], draw.integers(0, 3, (12, 12)), name="mode")
    period = each(universe, "t")
    partitions = (
        Partition.total(universe),
        Partition.by(universe, [period]),
        Partition.by(universe, [*zone, period]),
        Partition.by(universe, [mode, period]),
        Partition.identity(universe),
    )
    popular = draw.dirichlet(np.full(universe.size, 0.03))
    truth = draw.multinomial(trips, popular)
    noisy = tuple(
        (matrix(p) @ truth + np.rint(draw.laplace(0, scale, p.blocks))).astype(np.int64) for p in partitions
    )
    weights = tuple(1 / p.blocks for p in partitions)
    return Instance(partitions, noisy, weights, Fraction(scale))


@settings(max_examples=150)
@given(instances())
def test_the_optimum_is_that_of_highs(instance: Instance) -> None:
    """Objective and cells agree with a generic solver's on the program with all constraints written out."""
    cells, best = highs.optimum(
        instance.partitions, [noisy.astype(float) for noisy in instance.noisy], instance.weights
    )
    found = instance.cells(solve(instance.problem()))
    assert instance.objective(found) == pytest.approx(best, rel=1e-6, abs=1e-6)
    np.testing.assert_allclose(found, cells, atol=1e-2)


@settings(max_examples=150)
@given(instances(most=10**6))
def test_the_conditions_of_optimality_hold(instance: Instance) -> None:
    """No cell is negative, no slope points out of a positive cell, none points down at an empty one."""
    cells = instance.cells(solve(instance.problem()))
    slope = sum(
        weight * matrix(partition).T @ (matrix(partition) @ cells - noisy)
        for partition, noisy, weight in zip(
            instance.partitions, instance.noisy, instance.weights, strict=True
        )
    )
    small = 1e-8 * max(1.0, *(float(np.abs(noisy).max()) for noisy in instance.noisy)) * sum(instance.weights)
    assert (cells >= 0).all()
    assert (slope >= -small).all()
    assert np.abs(np.where(cells > 0, slope, 0)).max() <= small


@given(instances(), st.data())
def test_consistent_totals_are_left_alone(instance: Instance, data: st.DataObject) -> None:
    """Without noise, the table is the truth."""
    size = instance.partitions[-1].blocks
    truth = np.array(data.draw(st.lists(st.integers(0, 1000), min_size=size, max_size=size)), dtype=np.int64)
    noisy = tuple((matrix(p) @ truth).astype(np.int64) for p in instance.partitions)
    exact = Instance(instance.partitions, noisy, instance.weights)
    np.testing.assert_allclose(exact.cells(solve(exact.problem())), truth, atol=1e-6)


@pytest.mark.parametrize("scale", [1.0, 30.0, 1000.0])
def test_a_city_settles_far_below_the_promised_residual(scale: float) -> None:
    """At little and at overwhelming noise, the fit ends with a residual of rounding errors."""
    instance = city(1, scale=scale)
    found = solve(instance.problem())
    assert found.residual <= 1e-9
    assert "optimal" in found.status
    _, best = highs.optimum(
        instance.partitions, [noisy.astype(float) for noisy in instance.noisy], instance.weights
    )
    assert instance.objective(instance.cells(found)) <= best * (1 + 1e-6)


@pytest.mark.parametrize("change", [lambda v: v * 0, lambda v: -v - 5, lambda v: v * 0 + 10**9])
def test_degenerate_totals_settle_too(change: Callable[[NDArray[np.int64]], NDArray[np.int64]]) -> None:
    """All-zero, all-negative and absurdly large feature totals still end at an optimum."""
    instance = city(2)
    noisy = (*(change(noisy) for noisy in instance.noisy[:-1]), instance.noisy[-1])
    assert solve(Instance(instance.partitions, noisy, instance.weights).problem()).residual <= 1e-9


def test_rounding_does_not_keep_the_fit_from_ending() -> None:
    """Weights of many orders of magnitude make duals so large that the smallest residual is rounding: that is an end."""
    universe = Universe((Axis(name="o", size=300), Axis(name="d", size=300)))
    draw = np.random.default_rng(5)
    zone = [grouped(universe, [axis], np.arange(300) % 16, name="zone") for axis in ("o", "d")]
    partitions = (
        Partition.total(universe),
        Partition.by(universe, [grouped(universe, ["o", "d"], draw.integers(0, 8, (300, 300)), name="band")]),
        Partition.by(universe, zone),
        Partition.identity(universe),
    )
    truth = draw.negative_binomial(0.3, 0.02, universe.size)
    noisy = tuple(
        p.totals(np.arange(universe.size), truth) + np.rint(draw.laplace(0, 500, p.blocks)).astype(np.int64)
        for p in partitions
    )
    weights = tuple(1 / p.blocks for p in partitions)
    found = solve(Instance(partitions, noisy, weights, Fraction(500)).problem())
    assert found.residual <= 1e-9
    assert found.steps < 200
