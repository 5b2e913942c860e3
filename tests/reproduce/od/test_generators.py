"""The paper's invented points."""

from __future__ import annotations

import numpy as np
import pytest

from quietway.errors import InputError
from quietway.reproduce.od.generators import gaussian, width, zipf

POINTS = 20_000


@pytest.mark.parametrize("dimensions", [2, 3, 4, 5, 6])
def test_every_number_of_dimensions_has_its_axes(dimensions: int) -> None:
    """Odd ones end with a line, whose only row adds no dimension."""
    for paths in (
        gaussian(dimensions, 4.0, seed=0, points=POINTS),
        zipf(dimensions, 1.5, seed=0, points=POINTS),
    ):
        assert paths.space.dimensions == dimensions and len(paths.points) == POINTS
        assert set(paths.space.shape) <= {1, width(dimensions, POINTS)}


def test_the_width_is_the_root_of_the_number_of_points() -> None:
    """A million points: 1000, 100, 32, 16 and 10 cells wide."""
    assert [width(dimensions) for dimensions in (2, 3, 4, 5, 6)] == [1000, 100, 32, 16, 10]


def test_the_cloud_is_normal_around_its_centre() -> None:
    """Mean, deviation and the share within one deviation, where the borders are far; a deviation that is off is seen."""
    paths = gaussian(2, 25.0, seed=3, points=POINTS, side=4000)
    for column in paths.points.T.astype(float):
        middle = column.mean()
        assert 200 < middle < 3800
        assert column.std() == pytest.approx(5.0, rel=0.03)
        assert np.mean(np.abs(column - np.median(column)) <= 5) == pytest.approx(0.729, abs=0.02)


def test_clouds_of_one_seed_share_their_centre() -> None:
    """So that errors at different variances differ by the variance alone."""
    narrow, wide = (
        gaussian(2, v, seed=5, points=POINTS, side=4000).points.mean(axis=0) for v in (1.0, 100.0)
    )
    assert np.allclose(narrow, wide, atol=0.5)
    other = gaussian(2, 1.0, seed=6, points=POINTS, side=4000).points.mean(axis=0)
    assert not np.allclose(narrow, other, atol=5)


def test_what_falls_outside_is_drawn_again() -> None:
    """A cloud far wider than the matrix fills it evenly, borders not more than the rest."""
    points = gaussian(2, 1e8, seed=1, points=200_000, side=10).points
    shares = np.bincount(points[:, 0], minlength=10) / len(points)
    assert np.allclose(shares, 0.1, atol=0.005)


def test_zipf_follows_its_law() -> None:
    """The second element has 2^-a of the first, and all ten together their share of the law cut off."""
    points = zipf(2, 2.0, seed=1, points=200_000, side=10).points
    law = np.arange(1, 11) ** -2.0
    for column in points.T:
        assert np.allclose(np.bincount(column, minlength=10) / len(column), law / law.sum(), atol=0.005)
    assert np.corrcoef(points.T)[0, 1] == pytest.approx(0, abs=0.02)


def test_the_same_seed_gives_the_same_points() -> None:
    """And another seed others."""
    first, again, other = (gaussian(4, 4.0, seed=seed, points=POINTS).points for seed in (7, 7, 8))
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def test_impossible_parameters_are_refused() -> None:
    """With a sentence that says what would do."""
    with pytest.raises(InputError, match="positive"):
        gaussian(2, 0.0, seed=0)
    with pytest.raises(InputError, match="0 or more"):
        zipf(2, -1.0, seed=0)
    with pytest.raises(InputError, match="1 or more"):
        gaussian(0, 1.0, seed=0)
