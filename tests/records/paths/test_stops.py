"""Paths made of rows that are stops."""

from __future__ import annotations

from typing import Any

import pytest

from quietway.errors import DataError
from tests.records.paths.conftest import Records, by_sequence, per_user


def stop(path: Any, sequence: float, cell: float, user: str = "u") -> dict[str, Any]:
    """One row."""
    return {"user": user, "path": path, "sequence": sequence, "lon": cell + 0.5, "lat": 0.5}


TOUR = [stop(1, 20, 2), stop(1, 30, 3), stop(1, 10, 1)]


def test_stops_are_ordered_by_their_numbers(records: Records) -> None:
    """Rows may come in any order, and numbers may leave gaps."""
    assert records.cells(TOUR, by_sequence(), 3) == [(1, 2, 3)]


def test_two_users_may_call_their_paths_alike(records: Records) -> None:
    """Where people are protected, or the column of users is named, a path never mixes two users."""
    rows = [stop(1, 1, 2, "a"), stop(1, 2, 3, "b"), stop(1, 2, 4, "a"), stop(1, 1, 5, "b")]
    expected = [(2, 4), (5, 3)]
    assert records.cells(rows, by_sequence(), unit=per_user(1)) == expected
    assert records.cells(rows, by_sequence(user="user")) == expected
    with pytest.raises(DataError, match="same number or time"):
        records.cells(rows, by_sequence())


@pytest.mark.parametrize(
    ("more", "kept"),
    [("first", (0, 1, 2)), ("last", (4, 5, 6)), ("ends", (0, 3, 6)), ("drop", None)],
)
def test_too_many_stops_are_chosen_from_as_asked(
    records: Records, more: str, kept: tuple[int, ...] | None
) -> None:
    """The first, the last, the two ends with what lies evenly between, or no path at all."""
    rows = [stop("long", i, i) for i in range(7)] + [stop("short", i, 9 - i) for i in range(3)]
    expected = [(9, 8, 7)] if kept is None else [kept, (9, 8, 7)]
    assert records.cells(rows, by_sequence(more=more), 3) == expected


def test_too_many_stops_are_refused_unless_a_rule_is_given(records: Records) -> None:
    """The complaint says what may be asked for instead."""
    with pytest.raises(
        DataError, match=r'more stops than the 2 .* set paths.more to "first", "last" or "ends"'
    ):
        records.cells(TOUR, by_sequence())


def test_a_path_of_one_stop_where_three_are_asked_is_refused_or_dropped(records: Records) -> None:
    """It is never padded."""
    rows = [*TOUR, stop(2, 1, 5)]
    with pytest.raises(DataError, match=r"fewer stops than the 3 .*paths.fewer") as caught:
        records.cells(rows, by_sequence(), 3)
    assert caught.value.sensitive == "paths of this kind: 1"
    assert records.cells(rows, by_sequence(fewer="drop"), 3) == [(1, 2, 3)]


def test_two_stops_with_one_number_are_refused_or_dropped(records: Records) -> None:
    """Which came first cannot be told, so the path has no order."""
    rows = [*TOUR, stop(2, 1, 5), stop(2, 1, 6), stop(2, 2, 6)]
    with pytest.raises(DataError, match=r"same number or time.*paths.twice"):
        records.cells(rows, by_sequence(), 3)
    assert records.cells(rows, by_sequence(twice="drop"), 3) == [(1, 2, 3)]
