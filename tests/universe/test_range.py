"""Ranges: sets of elements on each axis."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietway.errors import UniverseError
from quietway.universe import Axis, Range, Universe

HOURS = ("06:00", "07:00", "08:00", "09:00")
TOWN = Universe(
    (
        Axis(name="origin", size=3, labels=("Quay", "Mill", "Fort")),
        Axis(name="hour", size=4, labels=HOURS, ordered=True),
        Axis(name="cell", size=5),
    )
)
SELECTIONS = st.fixed_dictionaries(
    {},
    optional={
        "origin": st.lists(st.sampled_from(("Quay", "Mill", "Fort")), min_size=1),
        "hour": st.tuples(st.integers(0, 3), st.integers(1, 4))
        .filter(lambda ends: ends[0] < ends[1])
        .map(lambda ends: slice(HOURS[ends[0]], HOURS[ends[1]] if ends[1] < 4 else None)),
        "cell": st.sampled_from("01234"),
    },
)


@given(SELECTIONS)
def test_keys_contains_and_cells_agree(selections: dict[str, object]) -> None:
    """A range is the same set of cells however it is asked."""
    range_ = Range.of(TOWN, selections)  # type: ignore[arg-type]
    dense = np.isin(np.arange(TOWN.size), range_.keys())
    assert (np.diff(range_.keys()) > 0).all()
    np.testing.assert_array_equal(range_.contains(np.arange(TOWN.size)), dense)
    assert range_.cells == dense.sum()
    masks = [np.ones(a.size, bool) if m is None else m for a, m in zip(TOWN.axes, range_.masks, strict=True)]
    np.testing.assert_array_equal(
        dense.reshape(TOWN.shape), masks[0][:, None, None] & masks[1][:, None] & masks[2]
    )


def test_nothing_asked_is_everything() -> None:
    """Axes that are not mentioned are not restricted."""
    assert Range.of(TOWN).cells == TOWN.size


def test_a_slice_leaves_out_its_stop() -> None:
    """From 07:00 to 09:00 is two hours, and an open end goes to the end."""
    assert Range.of(TOWN, {"hour": slice("07:00", "09:00")}).masks[1].tolist() == [False, True, True, False]  # type: ignore[union-attr]
    assert Range.of(TOWN, {"hour": slice("08:00", None)}).cells == 2 * 15
    assert Range.of(TOWN, {"hour": slice("08:00", "24:00")}).cells == 2 * 15


def test_a_box_is_a_range_of_positions() -> None:
    """Lower bounds are inside, upper bounds outside."""
    box = Range.box(TOWN, (1, 0, 2), (3, 4, 3))
    chosen = Range.of(TOWN, {"origin": ["Mill", "Fort"], "cell": "2"})
    np.testing.assert_array_equal(box.keys(), chosen.keys())


@pytest.mark.parametrize(
    ("selections", "says"),
    [
        ({"hour": slice("09:00", "07:00")}, r"ends at or before its start \(09:00 .. 07:00\); swap them"),
        ({"hour": slice("07:00", "07:00")}, "ends at or before its start"),
        ({"hour": slice("07:00", "09:00", 2)}, "has a step"),
        ({"hour": slice("07:00", "10:00")}, "no element '10:00'; did you mean"),
        ({"origin": slice("Quay", "Mill")}, "axis 'origin' has no order"),
        ({"origin": []}, "chooses nothing on axis 'origin'"),
        ({"origin": ["Quay", "Mil"]}, "no element 'Mil'; did you mean 'Mill'"),
        ({"orgin": "Quay"}, "no axis 'orgin'"),
        ({"cell": "5"}, "give a number below 5"),
    ],
)
def test_a_range_that_means_nothing_is_refused(selections: dict[str, object], says: str) -> None:
    """Inverted, stepped, unordered, empty and unknown selections say what is wrong and where."""
    with pytest.raises(UniverseError, match=says):
        Range.of(TOWN, selections)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("low", "high"), [((0, 0, 0), (4, 4, 5)), ((2, 0, 0), (2, 4, 5)), ((-1, 0, 0), (1, 4, 5))]
)
def test_a_box_outside_is_refused(low: tuple[int, ...], high: tuple[int, ...]) -> None:
    """A box must lie inside the universe and hold something."""
    with pytest.raises(UniverseError, match="does not fit axis 'origin' of size 3"):
        Range.box(TOWN, low, high)


def test_ranges_work_in_a_huge_universe() -> None:
    """A range of 10^18 cells costs as much as its axes."""
    huge = Universe(tuple(Axis(name=name, size=10**6) for name in "abc"))
    box = Range.box(huge, (5, 0, 7), (10, 10**6, 8))
    inside = huge.keys([np.array([5, 4, 9]), np.array([3, 3, 3]), np.array([7, 7, 8])])
    assert box.contains(inside).tolist() == [True, False, False]
    assert box.cells == 5 * 10**6


def test_an_axis_too_long_to_choose_from_is_refused_unless_whole() -> None:
    """A billion elements are not listed to choose among; the whole axis needs no list."""
    long = Universe((Axis(name="a", size=10**10), Axis(name="b", size=2)))
    assert Range.box(long, (0, 1), (10**10, 2)).cells == 10**10
    with pytest.raises(UniverseError, match=r"about 1\.0e10 elements, too many to choose among"):
        Range.of(long, {"a": "7"})
