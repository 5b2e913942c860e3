"""How far expectations are believed is learned from the noisy totals: followed, ignored, or in between."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quietway.estimate.dispersion import LEAST_SHARE, SHAPES, believed, best_likelihood, likelihood
from quietway.estimate.solution import Floats
from tests.estimate.trees import discrete_laplace

BLOCKS = 3_000


def scattered(shape: float | None, seed: int) -> tuple[Floats, np.ndarray]:
    """Expectations, and true totals that scatter around them with this shape, or as Poisson counts do."""
    draw = np.random.default_rng(seed)
    expected = draw.uniform(60, 400, BLOCKS)
    rate = expected if shape is None else expected * draw.gamma(shape, 1 / shape, BLOCKS)
    return expected, draw.poisson(rate).astype(np.int64)


def noised(true: np.ndarray, scale: float, seed: int) -> np.ndarray:
    """The totals under noise."""
    return true + discrete_laplace(scale, true.shape, np.random.default_rng(seed + 1))


@given(st.lists(st.tuples(st.floats(1, 500), st.integers(60, 5_000)), min_size=1, max_size=40))
def test_totals_without_noise_are_followed(blocks: list[tuple[float, int]]) -> None:
    """Whatever was expected."""
    expected, true = np.array([e for e, _ in blocks]), np.array([y for _, y in blocks])
    belief = believed(expected, true, 1e-9)
    np.testing.assert_allclose(belief.mean, true, rtol=1e-6)
    assert (belief.variance <= 1e-9).all()


@given(st.integers(0, 2**31))
def test_noise_that_drowns_returns_the_expectations(seed: int) -> None:
    """Totals scattered by noise alone are not followed."""
    draw = np.random.default_rng(seed)
    expected = draw.uniform(50, 60, BLOCKS)
    scale = 5_000.0
    belief = believed(expected, noised(draw.poisson(expected), scale, seed), 2 * scale**2)
    followed = np.sqrt(((belief.mean - expected) ** 2).mean() / (2 * scale**2))
    assert followed < 0.01
    assert belief.variance.max() < 0.01 * 2 * scale**2


@given(
    st.lists(st.tuples(st.floats(1, 500), st.integers(-900, 900)), min_size=1, max_size=40),
    st.floats(0.1, 1e5),
)
def test_belief_lies_between_expectation_and_noisy_total(
    blocks: list[tuple[float, int]], variance: float
) -> None:
    """But for a trace of what was expected, below which no block falls; and it is surer than the noise."""
    expected, noisy = np.array([e for e, _ in blocks]), np.array([b for _, b in blocks])
    belief = believed(expected, noisy, variance)
    low = np.maximum(np.minimum(expected, noisy), LEAST_SHARE * expected)
    assert (belief.mean >= low - 1e-9).all()
    assert (belief.mean <= np.maximum(np.maximum(expected, noisy), LEAST_SHARE * expected) + 1e-9).all()
    assert ((belief.variance > 0) & (belief.variance <= variance)).all()


def test_the_shape_learned_tells_scattered_truth_from_poisson_truth() -> None:
    """Small where rates scatter, near the value they scatter with, and large where they do not."""
    for seed in range(3):
        shapes = dict[float | None, float]()
        for shape in (0.3, 2.0, None):
            expected, true = scattered(shape, seed)
            shapes[shape] = believed(expected, noised(true, 10.0, seed), 200.0).shape
        assert shapes[0.3] < shapes[2.0] < shapes[None]
        assert shapes[0.3] < 1.5
        assert 0.7 < shapes[2.0] < 6
        assert shapes[None] > 50


def test_belief_is_nearer_to_the_truth_than_noise_and_expectation() -> None:
    """In mean squared error, wherever both tell something."""
    for shape, scale in ((0.5, 80.0), (2.0, 80.0), (10.0, 30.0), (None, 10.0)):
        expected, true = scattered(shape, 5)
        noisy = noised(true, scale, 5)
        belief = believed(expected, noisy, 2 * scale**2)
        risk = [float(((guess - true) ** 2).mean()) for guess in (belief.mean, noisy, expected)]
        assert risk[0] < risk[1]
        assert risk[0] < 1.02 * risk[2]
    assert risk[2] > 0


def test_the_variance_believed_is_about_the_error_made() -> None:
    """Means that are said to be sure are near the truth."""
    expected, true = scattered(1.0, 8)
    scale = 60.0
    belief = believed(expected, noised(true, scale, 8), 2 * scale**2)
    assert 0.6 < float(((belief.mean - true) ** 2).mean() / belief.variance.mean()) < 1.5


def test_the_likeliest_shape_is_near_the_true_one() -> None:
    """The likelihood, which compares guesses, peaks where rates scatter as they do."""
    expected, true = scattered(1.0, 3)
    noisy = noised(true, 10.0, 3)
    best = max(SHAPES, key=lambda shape: likelihood(expected, noisy, 200.0, float(shape)))
    assert 0.5 < best < 2
    assert best_likelihood(expected, noisy, 200.0) <= likelihood(expected, noisy, 200.0, float(best))
    wrong = np.random.default_rng(0).permutation(expected)
    assert best_likelihood(expected, noisy, 200.0) > best_likelihood(wrong, noisy, 200.0)
