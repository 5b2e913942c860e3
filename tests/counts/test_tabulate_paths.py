"""Paths as points: bounded, inside their space, read in one pass."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quietway.errors import DataError, PrivacyError
from quietway.records import PolygonAxis, TripTable
from quietway.records.faults import Soundness
from quietway.records.paths import open_paths
from quietway.universe import PrivacyUnit
from tests.records.paths.conftest import (
    LINE,
    Records,
    by_frames,
    by_sequence,
    by_stays,
    per_user,
    records,
    user_day,
)
from tests.records.paths.test_properties import READINGS
from tests.records.paths.test_sightings import DAY, seen
from tests.records.paths.test_stays import CELL, stay
from tests.records.paths.test_stops import TOUR, stop

__all__ = ["records"]


def two_stops(path: Any, start: float, end: float, user: str = "u") -> list[dict[str, Any]]:
    """A path."""
    return [stop(path, 1, start, user), stop(path, 2, end, user)]


def test_a_draw_never_looks_at_places(records: Records) -> None:
    """Paths that go outside take up their user's limit, so dropping them lets no others in."""
    rows = [row for i in range(400) for row in two_stops(i, 2, 3 if i % 2 else 77)]
    kept = len(records.cells(rows, by_sequence(), unit=per_user(200), outside="drop", seed=1))
    assert 70 < kept < 130


def test_every_path_of_a_user_is_as_likely_to_be_kept(records: Records) -> None:
    """Whatever its rows hold, and however many they are."""
    users = 2_000
    rows = [
        row
        for user in range(users)
        for path in range(3)
        for row in [stop(path, i, path, f"u{user}") for i in range(2 + path)]
    ]
    kept = Counter(records.cells(rows, by_sequence(more="first"), unit=per_user(1), seed=3))
    assert set(kept) == {(0, 0), (1, 1), (2, 2)} and sum(kept.values()) == users
    assert all(abs(number - users / 3) < 5 * (users * 2 / 9) ** 0.5 for number in kept.values())


def test_a_seed_repeats_the_draw_and_is_told(records: Records) -> None:
    """Paths of a seeded draw say so; nothing private comes of them."""
    rows = [row for i in range(300) for row in two_stops(i, i % 10, (i // 10) % 10)]
    kept = [
        records.paths(rows, by_sequence(), unit=per_user(20), seed=seed) for seed in (5, 5, 6, None, None)
    ]
    first, again, *others = [paths.points.tolist() for paths in kept]
    assert first == again and all(other != first for other in others) and others[1] != others[2]
    assert [paths.seeded for paths in kept] == [True, True, True, False, False]


@pytest.mark.parametrize("name", READINGS)
def test_the_records_are_read_once(records: Records, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Checking, ordering, bounding and locating sound paths is a single query."""
    queries: list[object] = []
    run = TripTable.collect
    monkeypatch.setattr(TripTable, "collect", lambda trips, query: queries.append(query) or run(trips, query))
    monkeypatch.setattr(Soundness, "require", queries.append)
    rows = [
        {**row, "path": 1, "sequence": i}
        for i, row in enumerate([*DAY, *stay(0, 20, 0), *stay(60, 20, CELL)])
    ]
    assert len(records.cells(rows, READINGS[name], unit=per_user(2))) == 1
    assert len(queries) == 1


def test_nothing_shows_what_the_rows_hold(records: Records) -> None:
    """Neither tables nor points of paths print, and neither is pickled."""
    paths = records.paths(TOUR, by_sequence(), 3)
    table = open_paths(records.path, stops=("a",), places=(LINE,), reading=by_sequence(), unit=PrivacyUnit())
    assert "rows hidden" in repr(paths) and "rows hidden" in repr(table)
    for thing in (paths, table):
        with pytest.raises(PrivacyError, match="cannot be pickled"):
            pickle.dumps(thing)


def test_any_number_of_cells_is_reached(records: Records) -> None:
    """Eight stops on a grid of a million cells: 10^48 of them, of which one is counted."""
    fine = replace(LINE, rows=1000, columns=1000)
    rows = [stop(1, i, i) for i in range(8)]
    paths = records.paths(rows, by_sequence(), 8, places=[fine] * 8)
    assert paths.space.size == 10**48
    assert paths.points.tolist() == [[side for i in range(8) for side in (500, 100 * i + 50)]]


def test_stops_of_one_path_may_have_places_of_their_own(records: Records) -> None:
    """The end is told in halves of the line; what is outside of one stop's places may be inside of another's."""
    halves = replace(LINE, columns=2)
    west = replace(LINE, east=5, columns=5)
    assert records.cells(TOUR, by_sequence(), 3, places=[west, LINE, halves]) == [(1, 2, 0)]
    with pytest.raises(DataError, match="stop 'stop 1' outside"):
        records.cells(two_stops(1, 2, 7), by_sequence(), places=[LINE, west])
    assert records.cells(two_stops(1, 7, 2), by_sequence(), places=[LINE, west]) == [(7, 2)]


def test_zones_may_be_polygons(records: Records, tmp_path: Path) -> None:
    """For stops, sightings and stays alike; they are ordered from west to east like any zones."""
    pytest.importorskip("geopandas")
    areas = {"far": (5, 10), "near": (0, 5)}
    features = [
        {
            "type": "Feature",
            "properties": {"id": name},
            "geometry": {
                "type": "Polygon",
                "coordinates": [[[a, 0], [b, 0], [b, 1], [a, 1], [a, 0]]],
            },
        }
        for name, (a, b) in areas.items()
    ]
    (tmp_path / "zones.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    zones = PolygonAxis(name="places", file=tmp_path / "zones.geojson", id="id", lon="lon", lat="lat")
    days = [*stay(0, 20, 0), *stay(60, 20, 5 * CELL)]
    for rows, reading in (
        (two_stops(1, 1, 8), by_sequence()),
        ([seen(8, 1), seen(20, 8)], by_frames((6, 12), (13, 24), pick="most")),
        (days, by_stays()),
    ):
        unit = PrivacyUnit() if "path" in rows[0] else user_day()
        paths = records.paths(rows, reading, unit=unit, places=[zones, zones])
        assert paths.space.frames[0].labels == ("far", "near")
        assert paths.points.tolist() == [[0, 0, 0, 1]]
