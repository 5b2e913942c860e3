"""Invented paths."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from quietway.city import synthetic_paths
from quietway.errors import InputError
from quietway.universe import Frame, PathSpace

TOWN = Frame(rows=100, columns=80, bounds=(2.2, 48.8, 2.5, 48.9))
POINTS = np.random.default_rng(1).normal((2.3, 48.85), (0.05, 0.03), (40, 2))
ZONES = Frame.zones(tuple(f"Z{i}" for i in range(40)), POINTS)


def space(*frames: Frame) -> PathSpace:
    """Stops over these frames."""
    return PathSpace(stops=tuple(f"s{i}" for i in range(len(frames))), frames=frames)


@pytest.mark.parametrize(
    "frames",
    [(TOWN,), (TOWN, ZONES, TOWN), (ZONES, ZONES), (Frame(rows=1, columns=9), Frame(rows=1, columns=1))],
)
def test_paths_lie_in_their_space(frames: tuple[Frame, ...]) -> None:
    """Whatever the stops are; at zones, where zones are."""
    within = space(*frames)
    points = synthetic_paths(within, paths=3_000, seed=2)
    assert points.dtype == np.int32 and points.shape == (3_000, within.axes)
    assert (points >= 0).all() and (points < within.shape).all()
    for stop, frame in enumerate(frames):
        if frame.weight is not None:
            assert (frame.weight[points[:, 2 * stop], points[:, 2 * stop + 1]] > 0).all()


def test_the_same_seed_gives_the_same_paths() -> None:
    """And another seed others; fewer paths are no prefix that would need to be the same."""
    within = space(TOWN, ZONES)
    first, again, other = (synthetic_paths(within, paths=500, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def test_paths_cluster() -> None:
    """Half of them are in a small part of the ground; were they even, half would need half of it."""
    points = synthetic_paths(space(TOWN, TOWN), paths=20_000, seed=3)
    blocks = np.bincount(points[:, 2] // 5 * 16 + points[:, 3] // 5, minlength=320)
    assert np.sort(blocks)[::-1][:32].sum() > 0.5 * len(points)


def test_stops_depend_on_each_other() -> None:
    """Where a path starts tells of where it goes on: the stops together are rarer than by chance."""
    points = synthetic_paths(space(TOWN, TOWN), paths=20_000, seed=3)
    start, end = (points[:, 2 * i] // 20 * 4 + points[:, 2 * i + 1] // 20 for i in (0, 1))
    assert _apart(start, end) > 0.3
    assert _apart(start, np.random.default_rng(1).permutation(end)) < 0.15


def _apart(start: NDArray[np.int32], end: NDArray[np.int32]) -> float:
    """How far pairs are from independent: the sum of differences of their shares."""
    joint = np.bincount(start * 20 + end, minlength=400) / len(start)
    alone = np.outer(np.bincount(start, minlength=20), np.bincount(end, minlength=20)).ravel()
    return float(np.abs(joint - alone / len(start) ** 2).sum())


def test_many_paths_end_where_they_began() -> None:
    """Of three stops and more, about a third."""
    points = synthetic_paths(space(TOWN, TOWN, TOWN), paths=9_000, seed=5)
    assert 0.3 < (points[:, :2] == points[:, 4:]).all(axis=1).mean() < 0.4


def test_no_paths_and_fewer() -> None:
    """None is an empty table; less than none is a mistake."""
    assert synthetic_paths(space(TOWN, TOWN), paths=0).shape == (0, 4)
    with pytest.raises(InputError, match="negative"):
        synthetic_paths(space(TOWN), paths=-1)
