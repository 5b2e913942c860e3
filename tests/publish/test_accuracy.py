"""Expected errors and baselines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quietway.publish.accuracy import agreement, errors
from quietway.publish.release import Margin
from quietway.universe import Axis, Partition, Universe

UNIVERSE = Universe((Axis(name="zone", size=4000),))
TRUTH = np.random.default_rng(0).gamma(2.0, 20.0, UNIVERSE.size)


def margin(estimate: np.ndarray, deviation: float) -> Margin:
    """Estimates with normal noise of one size."""
    return Margin(
        partition=Partition.identity(UNIVERSE) if estimate.size > 1 else Partition.total(UNIVERSE),
        estimate=estimate,
        deviation=np.full(estimate.size, deviation),
        low=estimate - 2 * deviation,
        high=estimate + 2 * deviation,
        table=np.maximum(0, estimate).astype(np.int64),
    )


def noisy(scale: float) -> tuple[Margin, Margin]:
    """Blocks under noise, and their total."""
    estimate = TRUTH + np.random.default_rng(1).normal(0, scale, TRUTH.size)
    return margin(estimate, scale), margin(np.array([estimate.sum()]), scale * TRUTH.size**0.5)


@pytest.mark.parametrize("scale", [1.0, 30.0, 100.0])
def test_baselines_are_found_through_the_noise(scale: float) -> None:
    """The errors of answering zero and the average are estimated well even where noise exceeds them."""
    found = errors(*noisy(scale))
    assert found is not None and found.average is not None
    assert found.expected == pytest.approx(scale)
    assert found.zero == pytest.approx(np.mean(TRUTH**2) ** 0.5, rel=0.06)
    assert found.average == pytest.approx(np.std(TRUTH), rel=0.3)


def test_gain_compares_with_the_better_baseline() -> None:
    """A margin gains over the better of the two answers that know nothing."""
    found = errors(*noisy(1.0))
    assert found is not None and found.average is not None
    assert found.average < found.zero
    assert found.gain == pytest.approx(found.average / found.expected)


@pytest.mark.parametrize("noise", [1.0, 30.0, 100.0])
def test_baselines_of_posterior_means_have_the_variance_given_back(noise: float) -> None:
    """Means of what may be believed vary less than the truth: taking the variance off would halve the baselines."""
    trust = np.var(TRUTH) / (np.var(TRUTH) + noise**2)
    seen = TRUTH + np.random.default_rng(3).normal(0, noise, TRUTH.size)
    believed = TRUTH.mean() + trust * (seen - TRUTH.mean())
    blocks = replace(margin(believed, trust**0.5 * noise), unbiased=False)
    total = replace(margin(np.array([believed.sum()]), 1.0), unbiased=False)
    found = errors(blocks, total)
    assert found is not None and found.average is not None
    assert found.expected == pytest.approx(np.sqrt(np.mean((believed - TRUTH) ** 2)), rel=0.05)
    assert found.zero == pytest.approx(np.mean(TRUTH**2) ** 0.5, rel=0.03)
    assert found.average == pytest.approx(np.std(TRUTH), rel=0.06)
    taken_off = errors(replace(blocks, unbiased=True), total)
    if noise == 100.0:
        assert taken_off is not None and taken_off.average is not None
        assert taken_off.average < 0.1 * found.average


def test_pure_noise_is_no_better_than_zero() -> None:
    """Where there is nothing but noise, the baselines win."""
    noise = np.random.default_rng(2).normal(0, 5, 4000)
    found = errors(margin(noise, 5.0), margin(np.array([noise.sum()]), 5 * 4000**0.5))
    assert found is not None and found.gain < 0.5


def test_one_block_has_no_average_to_compare_with() -> None:
    """For a margin of one block, the average is the answer itself."""
    total = margin(np.array([1000.0]), 3.0)
    found = errors(total, total)
    assert found is not None and found.average is None and found.gain > 100


def test_bounds_alone_have_no_expected_error() -> None:
    """Where the deviation is unknown, nothing is claimed."""
    assert errors(margin(TRUTH, np.inf), margin(np.array([TRUTH.sum()]), 3.0)) is None


def test_agreement_counts_blocks_inside_their_intervals() -> None:
    """The share of blocks whose published total lies in its interval."""
    found = margin(np.array([10.0, 20.0, 30.0, 40.0]), 1.0)
    found.table[1] = 25
    assert agreement(found) == 0.75
