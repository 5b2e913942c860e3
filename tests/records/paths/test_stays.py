"""Paths made of stays."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from quietway.errors import DataError
from tests.records.paths.conftest import LINE, Records, by_stays, user_day

MONDAY = datetime(2024, 5, 13)
METRE = 1 / 111_320


def seen(minute: float, metres: float, north: float = 0, user: str = "u") -> dict[str, Any]:
    """A sighting so many metres east of longitude 1, near the equator."""
    lat = 0.001 + north * METRE
    return {
        "user": user,
        "time": MONDAY + timedelta(minutes=600 + minute),
        "lon": 1 + metres * METRE,
        "lat": lat,
    }


def stay(start: int, minutes: int, metres: float) -> list[dict[str, Any]]:
    """A sighting each minute, to and fro within 100 metres."""
    return [seen(start + i, metres + 100 * (i % 2)) for i in range(minutes + 1)]


def walk(start: int, minutes: int, metres: float, speed: float) -> list[dict[str, Any]]:
    """A sighting each minute, on the move."""
    return [seen(start + i, metres + speed * i) for i in range(1, minutes)]


CELL = 111_320


def test_a_stop_is_where_a_user_lingered(records: Records) -> None:
    """Two stays and a ride between them are a path of two stops."""
    rows = [*stay(0, 15, 50_000), *walk(15, 10, 50_000, 11_000), *stay(25, 30, 160_000)]
    assert records.cells(rows, by_stays(), unit=user_day()) == [(1, 2)]


def test_a_stay_lasts_as_long_as_it_was_seen(records: Records) -> None:
    """Ten minutes are enough, nine are not."""
    for minutes, expected in ((10, [(1, 2)]), (9, [])):
        rows = [*stay(0, minutes, 50_000), *stay(60, 30, 160_000)]
        assert records.cells(rows, by_stays(fewer="drop"), unit=user_day()) == expected


def test_moving_on_is_no_stay(records: Records) -> None:
    """A walk of 5 km/h, seen every minute, never stands within 400 metres for ten minutes."""
    rows = [*stay(0, 15, 0), *walk(15, 60, 0, 83), *stay(90, 15, 5 * CELL)]
    assert records.cells(rows, by_stays(), unit=user_day()) == [(1, 6)]


def test_two_sightings_far_apart_in_time_are_a_stay(records: Records) -> None:
    """Nobody was seen elsewhere in between."""
    rows = [seen(0, 0), seen(120, 50), seen(180, 2 * CELL), seen(300, 2 * CELL)]
    assert records.cells(rows, by_stays(), unit=user_day()) == [(1, 3)]


@pytest.mark.parametrize(("metres", "fits"), [(300, True), (500, False)])
@pytest.mark.parametrize("latitude", [0, 60, -75])
def test_a_box_is_as_wide_in_metres_wherever_it_is(
    records: Records, latitude: int, metres: float, fits: bool
) -> None:
    """A degree of longitude is shorter in the north; 300 metres fit into twice 200, 500 do not."""
    degrees = metres * METRE / math.cos(math.radians(latitude))
    rows = [{**seen(minute, 0), "lon": lon, "lat": latitude} for minute, lon in ((0, 5), (20, 5 + degrees))]
    globe = replace(LINE, south=-90, north=90)
    paths = records.cells(rows, by_stays(fewer="drop"), 1, unit=user_day(), places=[globe])
    assert paths == ([(5,)] if fits else [])


def test_sparse_days_are_refused_unless_dropped(records: Records) -> None:
    """One stay where two are asked is no path."""
    with pytest.raises(DataError, match="fewer stops than the 2"):
        records.cells(stay(0, 15, 0), by_stays(), unit=user_day())


def test_many_stays_are_chosen_from(records: Records) -> None:
    """The ends of a day stand for it."""
    rows = [row for i in range(5) for row in stay(60 * i, 20, i * CELL)]
    assert records.cells(rows, by_stays(more="ends"), 3, unit=user_day()) == [(1, 3, 5)]
    assert records.cells(rows, by_stays(more="last"), 2, unit=user_day()) == [(4, 5)]
