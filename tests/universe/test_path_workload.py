"""Boxes to ask of paths, exact counts, and the error of answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietway.errors import UniverseError
from quietway.universe import Frame, PathSpace
from quietway.universe.box_counts import counts_in_boxes
from quietway.universe.path_workload import (
    boxes_of_side,
    boxes_of_volume,
    mean_relative_error,
    random_boxes,
)

SPACE = PathSpace(stops=("a", "b"), frames=(Frame(rows=40, columns=1), Frame(rows=7, columns=100)))


def test_random_boxes_fit_and_can_be_drawn_again() -> None:
    """Every interval of an axis is as likely as any other."""
    low, high = random_boxes(SPACE, 5_000, seed=3)
    assert (low >= 0).all()
    assert (low < high).all()
    assert (high <= SPACE.shape).all()
    np.testing.assert_array_equal(low, random_boxes(SPACE, 5_000, seed=3)[0])
    assert (low != random_boxes(SPACE, 5_000, seed=4)[0]).any()
    intervals = np.unique(np.column_stack([low[:, 2], high[:, 2]]), axis=0, return_counts=True)[1]
    assert len(intervals) == 28
    assert np.abs(intervals - 5_000 / 28).max() < 5 * (5_000 / 28) ** 0.5


@pytest.mark.parametrize("fraction", [0.001, 0.01, 0.1, 1.0])
def test_boxes_of_a_side_take_that_part_of_every_axis(fraction: float) -> None:
    """Rounded, and at least one index; they come to lie anywhere."""
    low, high = boxes_of_side(SPACE, 3_000, fraction, seed=1)
    side = np.maximum(1, np.rint(np.array(SPACE.shape) * fraction))
    assert ((high - low) == side).all()
    assert (low.min(axis=0) == 0).all()
    assert (high.max(axis=0) == SPACE.shape).all()


def test_boxes_of_a_volume_take_that_part_of_the_space() -> None:
    """Axes of one index do not count."""
    space = PathSpace(stops=("a",), frames=(Frame(rows=1000, columns=1000),))
    low, high = boxes_of_volume(space, 10, 0.04, seed=1)
    assert ((high - low) == 200).all()
    low, high = boxes_of_volume(SPACE, 10, 0.001, seed=1)
    assert ((high - low) == [4, 1, 1, 10]).all()


def test_the_error_is_relative_to_the_truth_or_a_thousandth_of_everything() -> None:
    """In percent, averaged over queries."""
    error = mean_relative_error(np.array([100, 0]), np.array([110.0, 0.5]), 1_000)
    assert error == pytest.approx((10 + 50) / 2)


@pytest.mark.parametrize("make", [boxes_of_side, boxes_of_volume])
@pytest.mark.parametrize("fraction", [0.0, 1.5])
def test_coverage_is_a_fraction(make: object, fraction: float) -> None:
    """Above nothing, and at most everything."""
    with pytest.raises(UniverseError, match="fraction above 0"):
        make(SPACE, 10, fraction, seed=0)  # type: ignore[operator]


def test_no_queries_are_refused() -> None:
    """Neither to draw nor to judge."""
    with pytest.raises(UniverseError, match="at least 1"):
        random_boxes(SPACE, 0, seed=0)
    with pytest.raises(UniverseError, match="at least one"):
        mean_relative_error(np.array([]), np.array([]), 10)


@given(st.integers(1, 5), st.integers(0, 12_000), st.integers(1, 60), st.integers(0, 10**6))
def test_points_in_boxes_are_counted_exactly(axes: int, count: int, side: int, seed: int) -> None:
    """However many points fall on one place."""
    draw = np.random.default_rng(seed)
    points = (draw.random((count, axes)) ** 3 * side).astype(np.int32)
    one, other = draw.integers(0, side + 1, (2, 8, axes))
    low, high = np.minimum(one, other), np.maximum(one, other)
    expected = [((points >= a) & (points < b)).all(axis=1).sum() for a, b in zip(low, high, strict=True)]
    np.testing.assert_array_equal(counts_in_boxes(points, low, high), expected)
