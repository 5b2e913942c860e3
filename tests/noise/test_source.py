"""The public sources: what they accept, refuse and promise."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from quietway.errors import ConfigError, UniverseError
from quietway.noise import NoiseSource, secure, seeded
from quietway.noise import source as module

ONES = np.ones(5, dtype=np.int64)


def test_only_secure_noise_is_private() -> None:
    """A seeded source says that it protects nobody."""
    assert secure().private
    assert not seeded(0).private


def test_laplace_keeps_shape_and_input() -> None:
    """Any shape is noised entry by entry into a new array, views and narrow integers included."""
    true = np.arange(24, dtype=np.int64).reshape(2, 3, 4)
    noisy = seeded(1).laplace(true.transpose(), Fraction(10**6))
    assert noisy.shape == (4, 3, 2)
    assert (true.ravel() == np.arange(24)).all()
    assert (noisy != true.transpose()).any()
    assert seeded(1).laplace(np.array(3, dtype=np.int64), Fraction(1)).shape == ()
    assert seeded(1).laplace(cast(Any, np.zeros(4, dtype=np.int16)), Fraction(1)).dtype == np.int64
    assert seeded(1).laplace(ONES[:0], Fraction(1)).size == 0


@pytest.mark.parametrize("scale", [Fraction(0), Fraction(-1, 2), 0.5, True, "1"])
def test_scales_are_exact_and_positive(scale: Fraction) -> None:
    """Floats, zero and negatives are refused before any noise is drawn."""
    source = seeded(1)
    for draw in (
        lambda: source.laplace(ONES, scale),
        lambda: source.laplace_above(ONES, 3, 1, scale),
        lambda: source.select(ONES, scale),
        lambda: source.choose(ONES, scale),
    ):
        with pytest.raises(ConfigError, match="scale"):
            draw()
    assert (source.laplace(ONES, Fraction(9)) == seeded(1).laplace(ONES, Fraction(9))).all()


@pytest.mark.parametrize("values", [np.ones(3), np.ones(3, dtype=np.uint64), np.ones(3, dtype=bool)])
def test_only_integers_are_noised(values: Any) -> None:
    """Floating-point, boolean and unsigned 64-bit values are refused."""
    with pytest.raises(UniverseError, match="int64"):
        seeded(1).laplace(values, Fraction(1))


@pytest.mark.parametrize("scores", [ONES[:0], ONES.reshape(1, 5)])
def test_selections_need_candidates(scores: NDArray[np.int64]) -> None:
    """No scores, or a matrix of them, is refused."""
    for draw in (seeded(1).select, seeded(1).choose):
        with pytest.raises(UniverseError, match="one or more scores"):
            draw(scores, Fraction(1))


@pytest.mark.parametrize(("empty", "threshold"), [(5, 0), (5, -3), (-1, 1), (2**1000 + 1, 1)])
def test_the_sparse_filter_has_limits(empty: int, threshold: int) -> None:
    """Thresholds start at 1 and empty cells end at 2^1000; the count stays out of the message."""
    with pytest.raises(UniverseError) as refusal:
        seeded(1).laplace_above(ONES, empty, threshold, Fraction(1))
    assert "1 or more" in refusal.value.message or "empty cells must be" in refusal.value.message
    assert str(2**1000 + 1) not in refusal.value.message


def test_occupied_cells_are_noised_then_filtered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Occupied cells keep their indices across chunks, and only noisy values decide."""
    monkeypatch.setattr(module, "_AT_ONCE", 1000)
    true = np.arange(5000, dtype=np.int64) % 50
    found = seeded(2).laplace_above(true, 0, 25, Fraction(2))
    noisy = seeded(2).laplace(true, Fraction(2))
    assert found.empty.size == found.empty_noisy.size == 0
    assert (found.occupied == np.flatnonzero(noisy >= 25)).all()
    assert (found.occupied_noisy == noisy[noisy >= 25]).all()


def test_survivors_hide_their_values() -> None:
    """The representation of survivors shows no count."""
    found = seeded(2).laplace_above(np.full(3, 987_654, dtype=np.int64), 0, 1, Fraction(1))
    assert found.occupied.size == 3
    assert "9876" not in repr(found)


def test_select_and_choose_find_the_best_at_small_scales() -> None:
    """With a tiny scale both return the best candidate."""
    scores = np.array([3, 900, -4], dtype=np.int64)
    source: NoiseSource = seeded(4)
    assert source.select(scores, Fraction(1, 9)) == source.choose(scores, Fraction(1, 9)) == 1


def test_importing_noise_compiles_nothing() -> None:
    """numba and scipy stay out until the first draw."""
    code = "import sys, quietway.noise; sys.exit('numba' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
