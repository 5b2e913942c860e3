"""Intervals: how often they hold the truth, and how wide they are."""

from __future__ import annotations

from fractions import Fraction
from math import log, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from quietway.estimate import Estimates, FlatErrors, TreeErrors, fit_tree
from quietway.estimate.solution import around
from quietway.measurement import Measurement
from quietway.universe import Axis, Partition, Range, Universe, grouped
from tests.estimate.trees import discrete_laplace

RUNS = 1_500
SCALES = [Fraction(1, 5), Fraction(9, 40), Fraction(1, 2), Fraction(3), Fraction(50)]
CITY = Universe((Axis(name="zone", size=6), Axis(name="hour", size=4)))
TRUTH = np.random.default_rng(8).integers(300, 900, CITY.size)
LEVELS = (Partition.total(CITY), Partition.margin(CITY, ["zone"]), Partition.identity(CITY))


def simulate(scale: Fraction, seed: int) -> tuple[Measurement, ...]:
    """One noisy measurement of each level."""
    draw, keys = np.random.default_rng(seed), np.arange(CITY.size)
    return tuple(
        Measurement(
            name="level",
            partition=level,
            noisy=level.totals(keys, TRUTH) + discrete_laplace(scale, (level.blocks,), draw),
            scale=scale,
        )
        for level in LEVELS
    )


def covered(found: Estimates, truth: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where the interval holds the truth."""
    return (found.low <= truth) & (truth <= found.high)


def require_coverage(hits: NDArray[np.bool_], confidence: float) -> None:
    """Each question's intervals hold the truth as often as promised, but for three standard deviations."""
    slack = 3.5 * sqrt(confidence * (1 - confidence) / len(hits))
    assert hits.mean(axis=0).min() >= confidence - slack


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("model", ["flat", "tree"])
def test_intervals_hold_the_truth(model: str, scale: Fraction, confidence: float) -> None:
    """Total, margin and cells are covered at least as often as the confidence says, at every scale of noise."""
    pairs = Partition.by(CITY, [grouped(CITY, ["zone"], np.array([0, 0, 1, 1, 2, 2]), name="pair")])
    asked = (LEVELS[0], pairs, LEVELS[2])
    truth = np.concatenate([p.totals(np.arange(CITY.size), TRUTH) for p in asked])
    hits = np.empty((RUNS // 3, truth.size), dtype=np.bool_)
    for run in range(len(hits)):
        measurements = simulate(scale, run)
        errors = FlatErrors(measurements) if model == "flat" else TreeErrors(fit_tree(measurements))
        found = [errors.margin(partition, confidence) for partition in asked]
        hits[run] = np.concatenate(
            [covered(one, truth_) for one, truth_ in zip(found, _split(truth, asked), strict=True)]
        )
    require_coverage(hits, confidence)


def _split(truth: NDArray[np.int64], asked: tuple[Partition, ...]) -> list[NDArray[np.int64]]:
    return np.split(truth, np.cumsum([partition.blocks for partition in asked])[:-1])


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99, 0.999])
@pytest.mark.parametrize("terms", [1, 2, 6, 30])
def test_sums_of_noise_are_covered_exactly(terms: int, confidence: float) -> None:
    """The exact probability that a sum of draws stays within its interval is at least the confidence."""
    for scale in (0.1, 0.16, 0.19, 0.22, 0.27, 0.4, 1.0, 4.0, 20.0):
        reach = int(40 * scale) + 30
        one = np.exp(-np.abs(np.arange(-reach, reach + 1)) / scale)
        law = one / one.sum()
        for _ in range(terms - 1):
            law = np.convolve(law, one / one.sum())
        value = np.arange(law.size) - law.size // 2
        deviation = np.sqrt((law * value**2).sum())
        half = around(np.array([1e6]), np.array([deviation]), confidence).high[0] - 1e6
        assert law[np.abs(value) <= half].sum() >= confidence


@pytest.mark.parametrize("scale", [Fraction(1, 5), Fraction(3), Fraction(50)])
def test_intervals_are_not_much_wider_than_needed(scale: Fraction) -> None:
    """The interval of a cell is no wider than twice the normal one, and two trips for the steps."""
    measurements = simulate(scale, 1)
    for errors in (FlatErrors(measurements), TreeErrors(fit_tree(measurements))):
        found = errors.margin(LEVELS[2], 0.95)
        assert ((found.high - found.low) <= 1.1 * 2 * 1.96 * found.deviation + 2 + 1e-9).all()


def test_a_tree_is_never_less_certain_than_its_leaves() -> None:
    """Least squares over all levels has the smaller deviations, for any range."""
    measurements = simulate(Fraction(3), 1)
    tree, leaves = TreeErrors(fit_tree(measurements)), FlatErrors(measurements[-1:])
    for box in (Range.of(CITY), Range.box(CITY, (0, 0), (3, 4)), Range.box(CITY, (1, 2), (2, 3))):
        assert tree.range(box, 0.9).deviation[0] <= leaves.range(box, 0.9).deviation[0] + 1e-9


@pytest.mark.parametrize("model", ["flat", "tree"])
def test_estimates_are_unbiased_with_the_deviation_they_state(model: str) -> None:
    """Over many runs, a range's estimate averages to the truth and spreads as stated."""
    box = Range.box(CITY, (1, 1), (4, 3))
    truth = TRUTH[box.keys()].sum()
    found = np.empty((RUNS, 2))
    for run in range(RUNS):
        measurements = simulate(Fraction(3), run)
        errors = FlatErrors(measurements) if model == "flat" else TreeErrors(fit_tree(measurements))
        one = errors.range(box, 0.9)
        found[run] = one.estimate[0] - truth, one.deviation[0]
    assert abs(found[:, 0].mean()) < 4 * found[0, 1] / sqrt(RUNS)
    assert found[:, 0].std() == pytest.approx(found[0, 1], rel=0.1)


def test_intervals_never_go_below_zero() -> None:
    """A count is not negative, so neither is any bound; the estimate may be."""
    found = around(np.array([-30.0, -1.0, 5.0]), np.array([3.0, 3.0, 3.0]), 0.95)
    assert found.estimate[0] == -30
    assert (found.low >= 0).all()
    assert (found.high >= 0).all()


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_the_quantile_is_the_larger_of_normal_and_laplace(confidence: float) -> None:
    """In standard deviations: the normal's where the middle matters, the Laplace's in the tail."""
    from scipy import stats

    half = around(np.array([1e6]), np.array([1000.0]), confidence).high[0] - 1e6
    normal, laplace = stats.norm.ppf((1 + confidence) / 2), -log(1 - confidence) / sqrt(2)
    assert half == pytest.approx(1000 * max(normal, laplace) + 1)
