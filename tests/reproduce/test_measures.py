"""Errors of a published table against the true one."""

from __future__ import annotations

import numpy as np
import pytest

from quietway.errors import InputError
from quietway.reproduce.measures import (
    Comparison,
    Floats,
    Keys,
    geometric_mean,
    range_error,
    relative_l1,
    relative_l2,
    summed,
)
from quietway.universe import Axis, Partition, Universe

TOWN = Universe(
    (Axis(name="origin", size=4), Axis(name="destination", size=4), Axis(name="period", size=3, ordered=True))
)
NOTHING = np.zeros(0, np.int64), np.zeros(0)


def table(seed: int, cells: int = 20) -> tuple[Keys, Floats]:
    draw = np.random.default_rng(seed)
    keys = np.sort(draw.choice(TOWN.size, cells, replace=False)).astype(np.int64)
    return keys, draw.integers(1, 9, cells).astype(np.float64)


def dense(cells: tuple[Keys, Floats]) -> Floats:
    values = np.zeros(TOWN.size)
    values[cells[0]] = cells[1]
    return values


def compare(published: tuple[Keys, Floats]) -> Comparison:
    return Comparison.of(TOWN, truth=table(1), published=published)


MARGINS = [Partition.total(TOWN), Partition.margin(TOWN, ["period"]), Partition.identity(TOWN), None]


@pytest.mark.parametrize("partition", MARGINS)
def test_an_empty_table_is_off_by_one(partition: Partition | None) -> None:
    """Publishing nothing scores exactly 1 on every relative measure."""
    nothing = compare(NOTHING)
    assert relative_l1(nothing, partition) == pytest.approx(1)
    assert relative_l2(nothing, partition) == pytest.approx(1)
    assert range_error(nothing, Partition.identity(TOWN)) == pytest.approx(1)


@pytest.mark.parametrize("partition", MARGINS)
def test_the_truth_is_off_by_nothing(partition: Partition | None) -> None:
    """Publishing the truth scores 0 on every measure."""
    same = compare(table(1))
    assert relative_l1(same, partition) == relative_l2(same, partition) == 0
    assert range_error(same, Partition.identity(TOWN)) == 0


def test_errors_are_those_of_the_dense_tables() -> None:
    """Sparse tables, with real values, are compared as if every cell were listed."""
    keys, values = table(2)
    values = values + 0.25
    error = dense((keys, values)) - dense(table(1))
    other = compare((keys, values))
    assert relative_l1(other) == pytest.approx(np.abs(error).sum() / other.total)
    assert relative_l2(other) == pytest.approx(np.linalg.norm(error) / np.linalg.norm(dense(table(1))))
    by_period = error.reshape(-1, 3).sum(axis=0)
    margin = Partition.margin(TOWN, ["period"])
    assert relative_l1(other, margin) == pytest.approx(np.abs(by_period).sum() / other.total)


def test_keys_may_stand_in_any_order_and_repeat() -> None:
    """What is published is a sum: the order of its cells means nothing."""
    keys, values = table(2)
    split = np.concatenate((keys[::-1], keys)), np.concatenate((values[::-1] / 2, values / 2))
    assert relative_l1(compare(split)) == pytest.approx(relative_l1(compare((keys, values))))


def test_margins_cancel_what_cells_do_not() -> None:
    """A trip in a wrong cell is an error of the cells, not of the total."""
    keys, values = table(1)
    moved = compare((np.setdiff1d(np.arange(TOWN.size), keys)[:20], values))
    assert relative_l1(moved, Partition.total(TOWN)) == pytest.approx(0)
    assert relative_l1(moved) == pytest.approx(2)


def test_ranges_are_public_and_fixed() -> None:
    """The same boxes are asked every time, and doubling a table errs by all of it."""
    keys, values = table(1)
    twice = compare((keys, 2 * values))
    cells = Partition.identity(TOWN)
    assert range_error(twice, cells) == pytest.approx(1)
    assert range_error(compare(table(2)), cells) == range_error(compare(table(2)), cells)
    assert range_error(compare(table(2)), cells) != range_error(compare(table(2)), cells, seed=8)


def test_a_table_without_trips_is_refused() -> None:
    """Relative to nothing, no error can be said."""
    with pytest.raises(InputError, match="no trips"):
        Comparison.of(TOWN, truth=NOTHING, published=table(1))


def test_sums_do_not_depend_on_how_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Listing all cells and sorting the keys give the same sums."""
    keys, values = table(3)
    keys, values = np.concatenate((keys, keys)), np.concatenate((values, values + 1))
    found, (listed,) = summed(keys, (values,), size=TOWN.size)
    monkeypatch.setattr("quietway.reproduce.measures.LARGEST_BINS", 1)
    again, (sorted_,) = summed(keys, (values,), size=TOWN.size)
    assert np.array_equal(found, again)
    assert np.allclose(listed, sorted_)


def test_the_geometric_mean_weighs_factors() -> None:
    """Halving one error and doubling another leaves it where it was."""
    assert geometric_mean([1.0, 4.0]) == pytest.approx(2)
    assert geometric_mean([0.5, 8.0]) == pytest.approx(2)


def test_a_lucky_zero_needs_a_floor() -> None:
    """An error of 0 counts as the floor, and without one is refused."""
    assert geometric_mean([0.0, 1.0], floor=0.01) == pytest.approx(0.1)
    with pytest.raises(InputError, match="floor"):
        geometric_mean([0.0, 1.0])
