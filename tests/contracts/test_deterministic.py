"""Noise that is no noise: the truth comes out, and what is linear shifts exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.contracts.cases import EPSILON, TRIP, Case, cube, every_linear_method, every_method
from tests.contracts.neighbours import counted

from quietway.estimate import Solution
from quietway.estimate.registry import FITS
from quietway.measurement import Measurement
from quietway.noise import seeded
from quietway.noise.testing import ConstantNoise, FlippedNoise, ZeroNoise
from quietway.universe import Partition

UNIVERSE = cube(5, 4, 3)
COUNTS = counted(UNIVERSE, np.random.default_rng(5).poisson(1.5, 60), TRIP)
MARGINS = tuple(Partition.margin(UNIVERSE, axes) for axes in ([], ["a"], ["b", "c"], ["a", "b", "c"]))


def fits(case: Case, measured: tuple[Measurement, ...]) -> list[Solution]:
    """The measurements under every fit that suits the method."""
    return [FITS[name](measured) for name in case.fits]


def listed_from(measurement: Measurement) -> int | NDArray[np.int64]:
    """What a cell must reach to be listed: one threshold, or for each cell the floor of its group."""
    if measurement.floors is not None:
        return measurement.floors.levels[measurement.floors.groups.labels()]
    assert measurement.threshold is not None
    return measurement.threshold


@every_method
def test_without_noise_the_truth_is_published(case: Case) -> None:
    """Every fit of exact measurements is the truth: all cells, those above the threshold, or the total spread evenly."""
    measured = case.build(UNIVERSE, TRIP, EPSILON).measure(COUNTS, rng=ZeroNoise())
    for solution in fits(case, measured):
        if case.method == "uniform":
            assert solution.counts.sum() == COUNTS.values.sum()
            continue
        listed = COUNTS.values >= (measured[-1].threshold or 0)
        assert np.array_equal(solution.keys, COUNTS.keys[listed])
        assert np.array_equal(solution.counts, COUNTS.values[listed])


@every_method
def test_without_noise_every_estimate_is_true(case: Case) -> None:
    """Margins that a method can estimate without bias are exact when nothing was added."""
    measured = case.build(UNIVERSE, TRIP, EPSILON).measure(COUNTS, rng=ZeroNoise())
    every = case.method in ("identity", "laplace", "hierarchy", "cbdp") and not case.hidden
    margins = MARGINS if every else MARGINS[:1]
    for solution in fits(case, measured):
        for partition in margins:
            truth = partition.totals(COUNTS.keys, COUNTS.values)
            if measured[-1].threshold is None:
                assert np.allclose(solution.errors.margin(partition, 0.95).estimate, truth, atol=1e-9)


@pytest.mark.parametrize("shift", [-4, 1, 9])
@every_method
def test_a_constant_shifts_every_measurement(case: Case, shift: int) -> None:
    """Noise enters a measurement once, with weight one."""
    mechanism = case.build(UNIVERSE, TRIP, EPSILON)
    plain = mechanism.measure(COUNTS, rng=ZeroNoise())
    shifted = mechanism.measure(COUNTS, rng=ConstantNoise(shift))
    for one, other in zip(plain, shifted, strict=True):
        if one.blocks is None:
            assert np.array_equal(other.noisy - one.noisy, np.full(len(one.noisy), shift))
        else:
            assert other.blocks is not None
            truth = COUNTS.dense() + shift
            assert np.array_equal(other.blocks, np.flatnonzero(truth >= listed_from(other)))
            assert np.array_equal(other.noisy, truth[other.blocks])


@every_linear_method
def test_estimates_mirror_the_noise(case: Case) -> None:
    """Estimates are linear: with every draw's sign flipped, they err as far to the other side."""
    mechanism = case.build(UNIVERSE, TRIP, Fraction(1, 5))
    up = mechanism.measure(COUNTS, rng=seeded(2))
    down = mechanism.measure(COUNTS, rng=FlippedNoise(seeded(2)))
    for one, other in zip(fits(case, up), fits(case, down), strict=True):
        for partition in MARGINS[: 1 if case.method == "uniform" else None]:
            truth = partition.totals(COUNTS.keys, COUNTS.values)
            high, low = (solution.errors.margin(partition, 0.95).estimate for solution in (one, other))
            assert np.allclose(high - truth, truth - low, atol=1e-8)
            assert np.abs(high - truth).max() > 0
