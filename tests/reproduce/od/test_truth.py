"""True answers."""

from __future__ import annotations

import numpy as np
import pytest

from quietway.counts import Paths
from quietway.reproduce.od.generators import gaussian, square
from quietway.reproduce.od.truth import Truth
from quietway.universe import PrivacyUnit


@pytest.mark.parametrize("dimensions", [2, 3, 4])
def test_answers_are_those_of_a_plain_count(dimensions: int) -> None:
    """Random boxes, empty ones among them."""
    paths = gaussian(dimensions, 9.0, seed=2, points=5_000)
    rng = np.random.default_rng(1)
    low, high = (rng.integers(0, np.array(paths.space.shape) + 1, (50, paths.space.axes)) for _ in range(2))
    plain = [
        int(np.all((paths.points >= a) & (paths.points < b), axis=1).sum())
        for a, b in zip(low, high, strict=True)
    ]
    truth = Truth(paths)
    assert truth.answer(low, high).tolist() == plain and truth.total == 5_000


def test_spaces_beyond_64_bits_are_counted_too() -> None:
    """Ten stops on 1000 x 1000 cells."""
    space = square(20, 1_000)
    points = np.tile(np.arange(20, dtype=np.int32), (3, 1))
    points[2] += 1
    truth = Truth(Paths(space, points, PrivacyUnit()))
    low = np.zeros((2, 20), np.int64)
    high = np.array([np.arange(20) + 1, np.arange(20) + 2])
    assert truth.answer(low, high).tolist() == [2, 3]
