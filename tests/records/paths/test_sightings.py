"""Paths made of sightings, by frames of the day."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from quietway.errors import DataError
from tests.records.paths.conftest import Records, by_frames, per_user, user_day

MONDAY = datetime(2024, 5, 13)


def seen(hour: float, cell: float, user: str = "u", day: int = 0) -> dict[str, Any]:
    """One sighting."""
    time = MONDAY + timedelta(days=day, hours=hour)
    return {"user": user, "time": time, "lon": cell + 0.5, "lat": 0.5}


DAY = [seen(9, 3), seen(7, 1), seen(8, 3), seen(10, 4), seen(12, 9), seen(14, 5), seen(13.5, 5), seen(19, 6)]


@pytest.mark.parametrize(("pick", "expected"), [("first", (1, 5)), ("last", (4, 6)), ("most", (3, 5))])
def test_a_frame_takes_one_of_its_sightings(records: Records, pick: str, expected: tuple[int, int]) -> None:
    """The first, the last, or the place seen most; what lies between frames (noon) is not looked at."""
    frames = by_frames((6, 12), (13, 24), pick=pick)
    assert records.cells(DAY, frames, unit=user_day()) == [expected]


def test_a_frame_owns_its_start_and_not_its_end(records: Records) -> None:
    """Frames that touch share no moment."""
    rows = [seen(6, 1), seen(12, 2), seen(18, 3)]
    assert records.cells(rows, by_frames((6, 12), (12, 18), (18, 24)), 3, unit=user_day()) == [(1, 2, 3)]


def test_every_day_of_a_user_is_a_path(records: Records) -> None:
    """The days of one user, and the users of one day, are apart."""
    rows = [seen(h, c, u, d) for u, d in (("a", 0), ("a", 1), ("b", 0)) for h, c in ((8, 2 * d), (20, 5))]
    expected = [(0, 5), (0, 5), (2, 5)]
    assert records.cells(rows, by_frames((6, 12), (18, 24)), unit=user_day()) == expected
    assert records.cells(rows, by_frames((6, 12), (18, 24)), unit=per_user(2)) == expected
    assert len(records.cells(rows, by_frames((6, 12), (18, 24)), unit=per_user(1))) == 2


def test_a_day_with_an_empty_frame_is_refused_or_dropped(records: Records) -> None:
    """Nobody is supposed to have been anywhere."""
    rows = [*DAY, seen(8, 1, day=1)]
    with pytest.raises(DataError, match="fewer stops than the 2"):
        records.cells(rows, by_frames((6, 12), (13, 24)), unit=user_day())
    assert records.cells(rows, by_frames((6, 12), (13, 24), fewer="drop"), unit=user_day()) == [(1, 5)]


def test_incomplete_days_take_up_no_place_in_the_draw(records: Records) -> None:
    """A user's only complete day is kept, however many others there are."""
    rows = [*DAY, *(seen(8, 1, day=day) for day in range(1, 300))]
    frames = by_frames((6, 12), (13, 24), fewer="drop")
    assert records.cells(rows, frames, unit=per_user(1)) == [(1, 5)]


@pytest.mark.parametrize("pick", ["first", "last", "most"])
def test_one_moment_at_two_places_is_settled_by_the_places(records: Records, pick: str) -> None:
    """The lower one counts, whichever row comes first."""
    rows = [seen(8, 7), seen(8, 2), seen(20, 1)]
    frames = by_frames((6, 12), (13, 24), pick=pick)
    for order in (rows, rows[::-1]):
        assert records.cells(order, frames, unit=user_day()) == [(2, 1)]
