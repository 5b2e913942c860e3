"""Sparse blocks are believed as a direct sum over all true totals says."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import nbinom

from quietway.estimate.solution import Floats
from quietway.estimate.sparse_belief import CLEAR, FINE, SHAPES, believed_sparse
from tests.estimate.trees import discrete_laplace

BLOCKS = 4_000
MOST = 2_000


def directly(
    expected: Floats, noisy: NDArray[np.int64], scale: float, shape: float
) -> tuple[Floats, Floats, float]:
    """Mean and variance of each block's total, and how likely all noisy totals are, summed over every integer."""
    y = np.arange(MOST)
    law = nbinom.logpmf(y, shape, shape / (shape + expected[:, None]))
    chance = law - np.abs(noisy[:, None] - y) / scale
    best = chance.max(axis=1, keepdims=True)
    weight = np.exp(chance - best)
    evidence = weight.sum(axis=1)
    mean = weight @ y / evidence
    return mean, weight @ y**2 / evidence - mean**2, float((np.log(evidence) + best[:, 0]).sum())


def scattered(shape: float, seed: int, mean: float = 2.0) -> tuple[Floats, NDArray[np.int64]]:
    """Expectations, and negative binomial totals with this shape."""
    draw = np.random.default_rng(seed)
    expected = draw.uniform(0.1 * mean, 2 * mean, BLOCKS)
    return expected, draw.poisson(expected * draw.gamma(shape, 1 / shape, BLOCKS)).astype(np.int64)


def noised(true: NDArray[np.int64], scale: float, seed: int) -> NDArray[np.int64]:
    """The totals under noise."""
    return true + discrete_laplace(Fraction(scale), true.shape, np.random.default_rng(seed + 1))


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.floats(0.01, 40), st.integers(-60, 180)), min_size=1, max_size=12),
    st.sampled_from([0.5, 1.0, 2.0, 4.0]),
)
def test_means_and_variances_are_those_of_a_direct_sum(blocks: list[tuple[float, int]], scale: float) -> None:
    """Over every integer, where the noise is small enough for the grid to be one of integers."""
    expected, noisy = np.array([e for e, _ in blocks]), np.array([b for _, b in blocks])
    belief = believed_sparse(expected, noisy, scale)
    mean, variance, _ = directly(expected, noisy, scale, belief.shape)
    np.testing.assert_allclose(belief.mean, mean, rtol=0.02, atol=0.02)
    np.testing.assert_allclose(belief.variance, variance, rtol=0.05, atol=0.05)


@settings(max_examples=8)
@given(st.sampled_from(SHAPES), st.integers(0, 2**31), st.sampled_from([0.5, 2.0]))
def test_the_shape_is_the_likeliest_of_those_tried(shape: float, seed: int, scale: float) -> None:
    """By a direct sum, no other shape makes the noisy totals likelier by more than a trifle."""
    expected, true = (values[:150] for values in scattered(shape, seed))
    noisy = noised(true, scale, seed)
    found = believed_sparse(expected, noisy, scale).shape
    likely = {k: directly(expected, noisy, scale, k)[2] for k in SHAPES}
    assert likely[found] > max(likely.values()) - 0.5


@pytest.mark.parametrize("scale", [10.0, 40.0])
def test_a_coarse_grid_is_near_a_direct_sum(scale: float) -> None:
    """Also where noise is so large that not every integer is tried."""
    expected, true = scattered(0.1, 4, mean=20.0)
    noisy = noised(true, scale, 4)[:400]
    belief = believed_sparse(expected[:400], noisy, scale)
    mean, _, _ = directly(expected[:400], noisy, scale, belief.shape)
    small = noisy < FINE
    np.testing.assert_allclose(belief.mean[small], mean[small], rtol=0.05, atol=0.1)


@given(
    st.lists(
        st.tuples(st.one_of(st.just(0.0), st.floats(1e-12, 60)), st.integers(-5_000, 5_000)),
        min_size=1,
        max_size=20,
    ),
    st.sampled_from([0.01, 0.05, 0.2, 1.0, 20.0, 400.0]),
)
def test_belief_is_always_a_number(blocks: list[tuple[float, int]], scale: float) -> None:
    """However far noisy totals are from what was expected; positive, and not above both by more than the noise."""
    expected, noisy = np.array([e for e, _ in blocks]), np.array([b for _, b in blocks])
    belief = believed_sparse(expected, noisy, scale)
    assert np.isfinite(belief.mean).all() and (belief.mean > 0).all()
    assert np.isfinite(belief.variance).all() and (belief.variance >= 0).all()
    assert (belief.mean <= np.maximum(expected, noisy) + 2 * scale + 1).all()


@given(st.integers(FINE, 10**6), st.sampled_from([1.0, 30.0]), st.floats(0, 40))
def test_totals_far_above_the_noise_speak_for_themselves(rest: int, scale: float, expected: float) -> None:
    """They are taken as they are, with the noise's variance."""
    noisy = np.array([rest + int(CLEAR * scale) + 1])
    belief = believed_sparse(np.array([expected]), noisy, scale)
    assert belief.mean[0] == noisy[0]
    assert belief.variance[0] == 2 * scale**2


@settings(max_examples=12)
@given(st.floats(0.05, 30), st.sampled_from([0.5, 3.0, 30.0]))
def test_a_higher_noisy_total_is_never_believed_to_be_less(expected: float, scale: float) -> None:
    """Of blocks of which the same was expected."""
    noisy = np.arange(-150, 190)
    mean = believed_sparse(np.full(noisy.size, expected), noisy, scale).mean
    assert (np.diff(mean) >= -1e-6 * np.abs(mean[1:]) - 1e-9).all()


def test_few_blocks_stand_out_of_noise_that_drowns_the_rest() -> None:
    """The empty are believed to be nearly so, and the full are found."""
    true = np.zeros(BLOCKS, np.int64)
    true[:20] = 150
    belief = believed_sparse(np.full(BLOCKS, true.mean()), noised(true, 10.0, 2), 10.0)
    assert belief.mean[20:].mean() < 0.3
    assert np.abs(belief.mean[:20] - 150).mean() < 15


@pytest.mark.parametrize(("shape", "scale"), [(0.02, 3.0), (0.1, 3.0), (0.5, 1.0), (3.0, 1.0)])
def test_belief_is_nearer_to_the_truth_than_noise_and_expectation(shape: float, scale: float) -> None:
    """In mean squared error, and the variances believed say how near."""
    expected, true = scattered(shape, 7)
    noisy = noised(true, scale, 7)
    belief = believed_sparse(expected, noisy, scale)
    mine, theirs, before = (float(((guess - true) ** 2).mean()) for guess in (belief.mean, noisy, expected))
    assert mine < 0.9 * theirs
    assert mine < 0.9 * before
    assert 0.7 < mine / belief.variance.mean() < 1.4


def test_scattered_truth_is_told_from_even_truth() -> None:
    """The shape learned grows with that of the truth."""
    shapes = [believed_sparse(*_seen(shape), 1.0).shape for shape in (0.02, 0.2, 3.0)]
    assert shapes == sorted(set(shapes))
    assert shapes[0] <= 0.05 and shapes[-1] >= 1


def _seen(shape: float) -> tuple[Floats, NDArray[np.int64]]:
    expected, true = scattered(shape, 9)
    return expected, noised(true, 1.0, 9)
