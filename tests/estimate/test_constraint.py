"""What the constraint-based fit promises beyond its optimum: how far it may be off, and what two phases solve."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from quietway.estimate.constraint import cbdp, fitted, free_cells
from quietway.estimate.weights import INVERSE_VARIANCE, PUBLISHED, Weights
from quietway.measurement import Measurement
from quietway.universe import Partition
from tests.estimate import highs
from tests.estimate.trees import SCALES, dense, matrix
from tests.universe.tiny import listed, universes

RULES = st.sampled_from([PUBLISHED, INVERSE_VARIANCE, Weights(rule="uniform")])


@st.composite
def measured(draw: st.DrawFn) -> tuple[NDArray[np.int64], tuple[Measurement, ...]]:
    """A true table, and noisy totals of one to three partitions and of its cells."""
    universe = draw(universes())
    partitions = [draw(listed(universe)).partition for _ in range(draw(st.integers(1, 3)))]
    random = np.random.default_rng(draw(st.integers(0, 2**31)))
    truth = random.negative_binomial(0.3, 0.02, universe.size)
    keys = np.arange(universe.size)
    return truth, tuple(
        Measurement(
            name=f"feature {i}",
            partition=partition,
            noisy=partition.totals(keys, truth) + random.integers(-40, 40, partition.blocks),
            scale=draw(SCALES),
        )
        for i, partition in enumerate([*partitions, Partition.identity(universe)])
    )


def table(measurements: tuple[Measurement, ...], weights: Weights) -> NDArray[np.float64]:
    """Every cell of the fit."""
    found = fitted(measurements, weights)
    cells = np.zeros(measurements[-1].partition.blocks)
    cells[found.keys] = found.values
    return cells


@given(measured(), RULES)
def test_the_fit_is_no_further_from_the_truth_than_the_noise_is(
    drawn: tuple[NDArray[np.int64], tuple[Measurement, ...]], weights: Weights
) -> None:
    """In the weighted norm over all totals; the factor is one, not two."""
    truth, measurements = drawn
    fit = table(measurements, weights)
    off = noise = 0.0
    for weight, m in zip(weights.over(measurements), measurements, strict=True):
        rows = matrix(m.partition)
        off += weight * float(((rows @ (fit - truth)) ** 2).sum())
        noise += weight * float(((m.noisy - rows @ truth) ** 2).sum())
    assert off <= noise * (1 + 1e-9) + 1e-9


@given(measured())
def test_without_signs_the_fit_is_least_squares(
    drawn: tuple[NDArray[np.int64], tuple[Measurement, ...]],
) -> None:
    """By inverse variances, cells are those of one dense system."""
    _, measurements = drawn
    expected, _ = dense(measurements)
    np.testing.assert_allclose(free_cells(measurements, INVERSE_VARIANCE), expected, atol=1e-6)


@given(measured())
def test_two_phases_end_at_the_nearest_table_to_least_squares(
    drawn: tuple[NDArray[np.int64], tuple[Measurement, ...]],
) -> None:
    """A generic solver, given the first phase's totals as noisy ones, finds the same table."""
    _, measurements = drawn
    first, _ = dense(measurements)
    partitions = [m.partition for m in measurements]
    totals = [matrix(partition) @ first for partition in partitions]
    expected, _ = highs.optimum(partitions, totals, [1 / partition.blocks for partition in partitions])
    np.testing.assert_allclose(table(measurements, Weights(rule="two-phase")), expected, atol=1e-2)


@given(measured(), st.data())
def test_intervals_are_as_wide_as_least_squares_is_uncertain(
    drawn: tuple[NDArray[np.int64], tuple[Measurement, ...]], data: st.DataObject
) -> None:
    """Any margin's estimate and variance are those of one dense system, whatever the published table is fitted by."""
    _, measurements = drawn
    cells, covariance = dense(measurements)
    partition = data.draw(listed(measurements[-1].partition.universe)).partition
    rows = matrix(partition)
    found = cbdp(measurements).errors.margin(partition, 0.9)
    np.testing.assert_allclose(found.estimate, rows @ cells, atol=1e-6)
    np.testing.assert_allclose(found.deviation**2, np.diag(rows @ covariance @ rows.T), rtol=1e-6, atol=1e-6)
