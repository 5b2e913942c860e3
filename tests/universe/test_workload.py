"""Workloads: lists of counting questions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quietway.errors import UniverseError
from quietway.universe import Axis, Partition, Universe, identity, margins, prefix, random_ranges
from quietway.universe.workload import Boxes
from tests.universe.tiny import universes

HUGE = Universe(tuple(Axis(name=name, size=10**6, ordered=True) for name in "abc"))


def sparse(universe: Universe, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Some cells of a universe, and what they hold."""
    draw = np.random.default_rng(seed)
    keys = np.unique(draw.integers(0, universe.size, 200))
    return keys, draw.integers(1, 9, keys.size)


@given(universes(), st.integers(0, 9), st.sampled_from([None, 0.05, 0.3, 1.0]))
@settings(max_examples=60)
def test_range_answers_are_sums_of_the_cells_inside(
    universe: Universe, seed: int, coverage: float | None
) -> None:
    """Every answer equals the sum over the cells that the same box contains, in whatever order cells come."""
    keys, values = sparse(universe, seed)
    workload = random_ranges(universe, 12, seed=seed, coverage=coverage)
    truth = [values[workload.range(i).contains(keys)].sum() for i in range(len(workload))]
    shuffled = np.random.default_rng(seed).permutation(keys.size)
    np.testing.assert_array_equal(workload.answers(keys, values), truth)
    np.testing.assert_array_equal(workload.answers(keys[shuffled], values[shuffled]), truth)


@given(universes(), st.integers(0, 9))
def test_margins_and_identity_are_totals(universe: Universe, seed: int) -> None:
    """Margins answer a partition's totals, and the identity every cell."""
    keys, values = sparse(universe, seed)
    partition = Partition.margin(universe, universe.names[:1])
    np.testing.assert_array_equal(margins(partition).answers(keys, values), partition.totals(keys, values))
    cells = np.zeros(universe.size)
    cells[keys] = values
    np.testing.assert_array_equal(identity(universe).answers(keys, values), cells)
    assert len(identity(universe)) == universe.size


def test_prefixes_run_up_to_the_total() -> None:
    """The answer for an element counts it and all before it."""
    town = Universe((Axis(name="zone", size=2), Axis(name="hour", size=3, ordered=True)))
    answers = prefix(town, "hour").answers(np.array([0, 2, 4]), np.array([5, 1, 2]))
    assert answers.tolist() == [5, 7, 8]


def test_published_fractions_are_answered_too() -> None:
    """Estimates need not be integers."""
    town = Universe((Axis(name="zone", size=2),))
    assert margins(Partition.total(town)).answers(np.array([0, 1]), np.array([0.25, 0.5])).tolist() == [0.75]


def test_huge_universes_are_answered() -> None:
    """Ranges, margins and prefixes of 10^18 cells cost as much as the cells that hold something."""
    keys, values = sparse(HUGE, 1)
    ranges = random_ranges(HUGE, 50, seed=1, coverage=0.5)
    truth = [values[ranges.range(i).contains(keys)].sum() for i in range(50)]
    np.testing.assert_array_equal(ranges.answers(keys, values), truth)
    assert margins(Partition.margin(HUGE, ["b"])).answers(keys, values).sum() == values.sum()
    assert prefix(HUGE, "a").answers(keys, values)[-1] == values.sum()


def test_ranges_are_public_randomness() -> None:
    """The same seed asks the same questions, another seed others."""
    one, same, other = (random_ranges(HUGE, 5, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.low, same.low)
    assert (one.low != other.low).any()


@pytest.mark.parametrize("coverage", [0.01, 0.1, 0.5, 1.0])
def test_coverage_is_the_fraction_of_cells(coverage: float) -> None:
    """Boxes hold about the fraction asked for, even where one axis is too short to be cut evenly."""
    town = Universe((Axis(name="zone", size=3), Axis(name="x", size=200), Axis(name="y", size=150)))
    workload = random_ranges(town, 20, seed=3, coverage=coverage)
    cells = np.prod(workload.high - workload.low, axis=1)
    np.testing.assert_allclose(cells / town.size, coverage, rtol=0.02)


def test_every_interval_is_equally_likely() -> None:
    """Without coverage, each of the intervals of an axis comes up as often as any other."""
    drawn: Boxes = random_ranges(Universe((Axis(name="a", size=4),)), 20_000, seed=5)
    _, times = np.unique(drawn.low[:, 0] * 10 + drawn.high[:, 0], return_counts=True)
    assert len(times) == 10
    assert (abs(times - 2000) < 5 * 2000**0.5).all()


@pytest.mark.parametrize("coverage", [0.0, -0.1, 1.01, float("nan")])
def test_coverage_must_be_a_fraction(coverage: float) -> None:
    """Nothing, less than nothing, and more than everything are refused."""
    with pytest.raises(UniverseError, match="coverage is"):
        random_ranges(HUGE, 5, seed=1, coverage=coverage)


def test_what_cannot_be_listed_is_refused() -> None:
    """Every cell of 10^18, or every block of 10^12, is too much to list."""
    with pytest.raises(UniverseError, match="too big to list"):
        identity(HUGE)
    with pytest.raises(UniverseError, match="too big to list"):
        margins(Partition.margin(HUGE, ["a", "b"]))


def test_prefixes_need_an_order() -> None:
    """Up to an element means nothing on an axis without order."""
    with pytest.raises(UniverseError, match="axis 'zone' has no order"):
        prefix(Universe((Axis(name="zone", size=3),)), "zone")


def test_no_ranges_are_refused() -> None:
    """A workload asks at least one question."""
    with pytest.raises(UniverseError, match="at least one range"):
        random_ranges(HUGE, 0, seed=1)
