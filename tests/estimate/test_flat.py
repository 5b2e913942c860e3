"""Independent partitions: which block lies in which, clipped and spread tables."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietway.errors import FitError
from quietway.estimate import FlatErrors, clip, spread
from quietway.estimate.flat import parents, partition_of
from quietway.measurement import Measurement
from quietway.universe import Axis, Partition, Range, Universe
from tests.estimate.trees import noisy
from tests.universe.tiny import Listed, several

TOWN = Universe((Axis(name="zone", size=4), Axis(name="hour", size=3, ordered=True)))
HUGE = Universe(tuple(Axis(name=name, size=10**6) for name in "abc"))


def total_of(universe: Universe, trips: int) -> Measurement:
    """A noisy total."""
    return Measurement(
        name="total", partition=Partition.total(universe), noisy=np.array([trips]), scale=Fraction(1)
    )


@given(several(2))
def test_parents_are_the_blocks_around(drawn: tuple[Listed, ...]) -> None:
    """Each block's parent is the block of any of its cells in the coarser partition."""
    finer, coarser = drawn[0].partition, drawn[0].partition.merge(drawn[1].partition)
    keys = np.arange(finer.universe.size)
    np.testing.assert_array_equal(parents(finer, coarser)[finer.block_of(keys)], coarser.block_of(keys))


def test_parents_cost_blocks_and_not_cells() -> None:
    """In a universe of 10^18 cells, the blocks' parents are found from the blocks."""
    fine, coarse = Partition.margin(HUGE, ["a"]), Partition.total(HUGE)
    np.testing.assert_array_equal(parents(fine, coarse), np.zeros(10**6))


@given(st.sets(st.integers(0, 3), min_size=1), st.sets(st.integers(0, 2), min_size=1))
def test_a_range_is_the_last_block_of_its_partition(zones: set[int], hours: set[int]) -> None:
    """The cells of the last block are those of the range."""
    range_ = Range.of(TOWN, {"zone": sorted(map(str, zones)), "hour": sorted(map(str, hours))})
    partition = partition_of(range_)
    inside = partition.block_of(np.arange(TOWN.size)) == partition.blocks - 1
    np.testing.assert_array_equal(np.flatnonzero(inside), range_.keys())


def test_estimates_are_averaged_by_precision() -> None:
    """A margin known from two partitions is their inverse-variance mean, and its deviation that of the mean."""
    cells = noisy(Partition.identity(TOWN), Fraction(2), 1)
    zones = noisy(Partition.margin(TOWN, ["zone"]), Fraction(7, 2), 2)
    found = FlatErrors((cells, zones)).margin(zones.partition, 0.9)
    sums, weight = cells.noisy.reshape(4, 3).sum(axis=1), 1 / (3 * cells.variance)
    precision = weight + 1 / zones.variance
    np.testing.assert_allclose(found.estimate, (weight * sums + zones.noisy / zones.variance) / precision)
    np.testing.assert_allclose(found.deviation, precision**-0.5)


def test_what_no_partition_knows_lies_between_nothing_and_the_total() -> None:
    """Where only coarser things were measured, the estimate is even and the bounds are the honest ones."""
    found = FlatErrors((total_of(HUGE, 1_000),)).range(
        Range.box(HUGE, (0, 0, 0), (250_000, 10**6, 10**6)), 0.95
    )
    assert found.estimate.tolist() == [250]
    assert found.low.tolist() == [0]
    assert 1_000 < found.high[0] < 1_010
    assert np.isinf(found.deviation).all()


def test_clipping_keeps_the_positive_cells() -> None:
    """Negative and empty cells are left out, the others keep their noisy value."""
    values = np.array([3, -1, 0, 7, -2, 0, 0, 0, 1, 0, 0, -5])
    cells = Measurement(name="cells", partition=Partition.identity(TOWN), noisy=values, scale=Fraction(1))
    solution = clip([cells])
    assert dict(zip(solution.keys.tolist(), solution.counts.tolist(), strict=True)) == {0: 3, 3: 7, 8: 1}


def test_clipping_needs_the_cells() -> None:
    """A total cannot be clipped into cells."""
    with pytest.raises(FitError, match="must be of the cells"):
        clip([total_of(TOWN, 5)])


@given(st.integers(-5, 100))
def test_spreading_is_even(trips: int) -> None:
    """Cells differ by at most one trip and add up to the total; a negative total is none."""
    solution = spread([total_of(TOWN, trips)])
    cells = np.zeros(TOWN.size, dtype=np.int64)
    cells[solution.keys] = solution.counts
    assert (solution.counts > 0).all()
    assert cells.sum() == max(0, trips)
    assert cells.max() - cells.min() <= 1


@pytest.mark.parametrize("trips", [1, 1_000, 99_991])
def test_spreading_over_a_huge_universe_stays_even(trips: int) -> None:
    """Over 10^18 cells, trips stand at equal distances, inside, each in a cell of its own."""
    solution = spread([total_of(HUGE, trips)])
    assert (
        solution.keys.tolist()[:: max(1, trips // 7)]
        == [i * HUGE.size // trips for i in range(trips)][:: max(1, trips // 7)]
    )
    assert solution.keys[-1] < HUGE.size
    assert (np.diff(solution.keys) > 0).all()
