"""Shares add up, and stay within one of what is exact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietway.city.apportion import apportion, integer_weights
from quietway.errors import InputError

_WEIGHTS = st.lists(st.floats(0, 1e6), min_size=1, max_size=30).filter(lambda weights: sum(weights) > 1e-3)


@given(total=st.integers(0, 10**6), weights=_WEIGHTS)
def test_parts_add_up_and_stay_near(total: int, weights: list[float]) -> None:
    """The parts sum to the total, and none is a whole unit away from its share."""
    shares = np.array(weights)
    parts = apportion(total, shares)
    assert parts.sum() == total
    assert np.abs(parts - total * shares / shares.sum()).max() < 1 + 1e-6


def test_weights_without_sense_are_refused() -> None:
    """Nothing can be shared over no weights, negative ones or zeros only."""
    for weights in ([], [1.0, -1.0], [0.0, 0.0]):
        with pytest.raises(InputError, match="not negative and not all zero"):
            apportion(10, np.array(weights))


def test_integer_weights_forget_the_last_bit() -> None:
    """Weights a rounding error apart become the same integers."""
    weights = np.array([1.0, 0.3, 0.7])
    assert (integer_weights(weights) == integer_weights(np.nextafter(weights, 0))).all()
    assert not (integer_weights(weights) == integer_weights(weights * (1, 1.1, 1))).all()
