"""Every cell on its own, however many there are."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietway.counts import Paths
from quietway.errors import ConfigError, UniverseError
from quietway.mechanisms.od.cells import cells_at, numbers, occupied, skipping
from quietway.mechanisms.od.identity import IdentityPaths
from quietway.mechanisms.threshold import quiet_threshold
from quietway.noise import seeded
from quietway.noise.testing import ConstantNoise, ZeroNoise
from quietway.universe import Frame, PathSpace, PrivacyUnit
from tests.mechanisms.od.scenes import clustered, space


def identity(epsilon: Fraction = Fraction(1), threshold: int | None = None) -> IdentityPaths:
    """With a tenth for the total."""
    return IdentityPaths(
        epsilon_total=epsilon / 10, epsilon_cells=epsilon * 9 / 10, unit=PrivacyUnit(), threshold=threshold
    )


SPACES = (
    space((7, 9)),
    space((1000, 1000), (1000, 1000)),
    space(*[(1000, 1000)] * 4),
    space(*[(3000, 4000)] * 6),
)


@pytest.mark.parametrize("where", SPACES, ids=lambda where: f"{where.size:.0e}")
def test_cells_and_numbers_are_each_others(where: PathSpace) -> None:
    """The first, the last and any others, also beyond 64 bits."""
    paths = clustered(where, 500)
    corners = np.array([[0] * where.axes, [side - 1 for side in where.shape]], dtype=np.int32)
    cells = np.concatenate([corners, paths.points])
    number = numbers(where, cells)
    assert number[0] == 0 and number[1] == where.size - 1
    assert np.array_equal(cells_at(where, number), cells)


@pytest.mark.parametrize("where", SPACES, ids=lambda where: f"{where.size:.0e}")
def test_occupied_cells_are_those_with_paths(where: PathSpace) -> None:
    """In row-major order, each once, with how many it holds."""
    paths = clustered(where, 800, spread=1e-3)
    cells, counts = occupied(where, paths.points)
    expected, times = np.unique(paths.points, axis=0, return_counts=True)
    assert np.array_equal(cells, expected) and np.array_equal(counts, times)
    assert (np.diff(numbers(where, cells)) > 0).all()


def test_no_paths_occupy_no_cells() -> None:
    """Nobody travels, and nothing breaks."""
    for where in SPACES:
        nobody = Paths(where, np.empty((0, where.axes), dtype=np.int32), PrivacyUnit())
        assert occupied(where, nobody.points)[1].size == 0
        total, cells = identity().measure(nobody, rng=ZeroNoise())
        assert total.noisy.tolist() == [0] and len(cells.noisy) == 0


@given(st.sets(st.integers(0, 40)), st.integers(1, 20))
def test_empty_cells_are_found_between_occupied_ones(taken: set[int], more: int) -> None:
    """The k-th number that is not taken, for every k."""
    free = [number for number in range(len(taken) + more) if number not in taken]
    ranks = np.arange(len(free))
    found = skipping(np.array(sorted(taken), dtype=np.int64), ranks)
    assert found.tolist() == free
    assert skipping(np.array(sorted(taken), dtype=object), ranks.astype(object)).tolist() == free


def test_a_constant_lists_every_cell() -> None:
    """With two added to every cell and a threshold of two, all are there, in order, with their counts."""
    paths = clustered(space((5, 4), (1, 3)), 40)
    _, cells = identity(threshold=2).measure(paths, rng=ConstantNoise(2))
    expected, _ = np.histogramdd(paths.points, bins=[np.arange(side + 1) - 0.5 for side in paths.space.shape])
    assert np.array_equal(cells.noisy.reshape(5, 4, 1, 3), expected + 2)
    assert np.array_equal(cells.cells, np.argwhere(expected >= 0))


@pytest.mark.parametrize("stops", [2, 4])
def test_busy_cells_are_found_among_any_number(stops: int) -> None:
    """Of 10^12 and 10^24 cells, one with a thousand paths is listed with about a thousand; noise lists few others."""
    where = space(*[(1000, 1000)] * stops)
    rest = clustered(where, 50_000).points
    busy = np.full((1000, where.axes), 123, dtype=np.int32)
    paths = Paths(where, np.concatenate([rest, busy]), PrivacyUnit())
    total, cells = identity().measure(paths, rng=seeded(2))
    assert abs(int(total.noisy[0]) - 51_000) < 200
    row = np.flatnonzero((cells.cells == 123).all(axis=1))
    assert len(row) == 1 and abs(int(cells.noisy[row[0]]) - 1000) < 30
    assert (cells.noisy >= cells.threshold).all()
    assert len(cells.noisy) < 0.02 * 51_000 and cells.cells.dtype == np.int32


def huge(stops: int, last: tuple[int, int]) -> PathSpace:
    """So many stops on the largest frames there are, and one more."""
    frames = [Frame(rows=4000, columns=4000)] * stops + [Frame(rows=last[0], columns=last[1])]
    return PathSpace(stops=tuple(f"stop {i}" for i in range(stops + 1)), frames=tuple(frames))


def test_a_space_that_cannot_be_measured_is_refused_before_anybody_pays() -> None:
    """Whatever a space is made of, its cells can be noised and their threshold found, or it is no space."""
    largest = huge(41, (128, 3579))
    assert largest.size <= 2**1000 < largest.size * 2
    paths = Paths(largest, np.zeros((500, largest.axes), dtype=np.int32), PrivacyUnit())
    cells = identity(Fraction(5)).measure(paths, rng=seeded(1))[1]
    assert (cells.cells == 0).all(axis=1).any() and len(cells.noisy) < 50
    with pytest.raises(UniverseError, match="fewer stops"):
        huge(41, (128, 3580))


@pytest.mark.parametrize("total", [2**40, 2**62])
def test_a_wild_total_lists_no_more_than_memory_holds(total: int) -> None:
    """The total is noise when epsilon is tiny, and may be anything."""
    scale = Fraction(10**9)
    threshold = quiet_threshold(10**24, scale, total)
    assert 10**24 * exp(-threshold / float(scale)) < 1.01e7


def test_a_threshold_below_one_is_refused() -> None:
    """Most cells would be listed."""
    with pytest.raises(ConfigError, match="threshold"):
        identity(threshold=0)
