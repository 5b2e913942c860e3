"""Sources for tests do exactly what they say, and never pass for private."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from quietway.errors import UniverseError
from quietway.noise import NoiseSource, secure, seeded
from quietway.noise.testing import ConstantNoise, FlippedNoise, ZeroNoise

TRUE = np.array([0, 3, 10], dtype=np.int64)
ONE = Fraction(1)


@pytest.mark.parametrize(
    "source",
    [ZeroNoise(), ConstantNoise(3), FlippedNoise(secure())],
    ids=lambda source: type(source).__name__,
)
def test_none_is_private(source: NoiseSource) -> None:
    """Even over a secure source, a test source protects nobody."""
    assert not source.private


def test_zero_and_constant_noise() -> None:
    """The shift is all that is added, to empty cells too."""
    assert ZeroNoise().laplace(TRUE, ONE).tolist() == [0, 3, 10]
    assert ConstantNoise(-2).laplace(TRUE, ONE).tolist() == [-2, 1, 8]
    above = ConstantNoise(2).laplace_above(TRUE, 4, 2, ONE)
    assert (above.occupied.tolist(), above.occupied_noisy.tolist()) == ([0, 1, 2], [2, 5, 12])
    assert (above.empty.tolist(), above.empty_noisy.tolist()) == ([0, 1, 2, 3], [2, 2, 2, 2])
    above = ZeroNoise().laplace_above(TRUE, 10**18, 4, ONE)
    assert (above.occupied.tolist(), above.empty.size) == ([2], 0)


def test_constant_noise_lists_no_huge_universe() -> None:
    """Where every one of 10^18 cells would survive, the source refuses."""
    with pytest.raises(UniverseError, match="at most"):
        ConstantNoise(5).laplace_above(TRUE, 10**18, 4, ONE)


def test_flipped_noise_mirrors_its_source() -> None:
    """Noise and flipped noise of one seed add up to twice the truth."""
    for scale in (ONE, Fraction(300)):
        noisy, mirrored = seeded(6).laplace(TRUE, scale), FlippedNoise(seeded(6)).laplace(TRUE, scale)
        assert (noisy + mirrored == 2 * TRUE).all()
    above = FlippedNoise(seeded(6)).laplace_above(TRUE[:0], 1000, 1, ONE)
    assert (above.empty == np.flatnonzero(seeded(6).laplace(np.zeros(1000, dtype=np.int64), ONE) <= -1)).all()
    assert (above.empty_noisy >= 1).all()


def test_selections() -> None:
    """Without noise the first best wins; flipped selections are the source's."""
    scores = np.array([1, 7, 7], dtype=np.int64)
    assert ZeroNoise().select(scores, ONE) == ConstantNoise(9).choose(scores, ONE) == 1
    assert FlippedNoise(seeded(1)).select(scores, ONE) == seeded(1).select(scores, ONE)
    assert FlippedNoise(seeded(1)).choose(scores, ONE) == seeded(1).choose(scores, ONE)
