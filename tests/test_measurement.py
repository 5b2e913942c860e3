"""Measurements know the variance of their noise."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from quietway.measurement import Measurement
from quietway.universe import Axis, Partition, Universe


def measured(scale: Fraction) -> Measurement:
    """A total with noise of a scale."""
    universe = Universe((Axis(name="a", size=2),))
    return Measurement(name="total", partition=Partition.total(universe), noisy=np.array([1]), scale=scale)


@pytest.mark.parametrize("scale", [Fraction(1, 5), Fraction(1), Fraction(50)])
def test_the_variance_is_that_of_discrete_laplace_noise(scale: Fraction) -> None:
    """The stated variance is the second moment of Pr(z) proportional to exp(-|z| / scale)."""
    value = np.arange(-5_000, 5_001)
    law = np.exp(-np.abs(value) / float(scale))
    assert measured(scale).variance == pytest.approx((law * value**2).sum() / law.sum())


def test_noise_too_small_for_a_float_still_has_a_variance() -> None:
    """Estimators divide by the variance, so it is positive even where epsilon is absurdly large."""
    assert 0 < measured(Fraction(1, 10**9)).variance < 1e-200
