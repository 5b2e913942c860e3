"""Paths of real records, beside the same paths made by hand."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from textwrap import dedent
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from quietway.counts import Paths
from quietway.paths.count import count_paths
from quietway.paths.spec import load_path_spec
from tests.paths.real import real
from tests.records.paths.test_properties import Row, chains, groups, minutes

HEAD = """
    [release]
    name = "Real"
    dataset = "real"
    output = "published"

    [privacy]
    epsilon = "1"

    [method]
    name = "one-root"

    [records]
    path = "{path}"
    outside = "drop"
"""


def paths(folder: Path, records: Path, text: str) -> Paths:
    """The paths that a release file makes of some records."""
    file = folder / "release.toml"
    file.write_text(dedent(HEAD).format(path=records) + dedent(text))
    return count_paths(load_path_spec(file))


def counted(made: Paths) -> Counter[tuple[int, ...]]:
    """How often each path was made."""
    return Counter(map(tuple, made.points.tolist()))


GOWALLA = """
    [unit]
    protects = "user-day"
    user = "user"
    time = "time"
    max_trips = 1

    [paths]
    rows = "sightings"
    time = "time"
    timezone = "America/New_York"
    clock = "utc"
    pick = "{pick}"
    fewer = "drop"

    [[frames]]
    name = "day"
    start = "06:00"
    end = "17:00"

    [[frames]]
    name = "evening"
    start = "17:00"
    end = "24:00"

    [places]
    kind = "grid"
    west = -74.06
    south = 40.55
    east = -73.70
    north = 40.92
    rows = 100
    columns = 100
    lon = "lon"
    lat = "lat"
"""


@pytest.fixture(scope="module")
def gowalla(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Row]]:
    """Check-ins, as Parquet and as rows with local times."""
    import duckdb

    source, path = (
        real("gowalla_nyc/gowalla_events.csv.gz"),
        tmp_path_factory.mktemp("g") / "sightings.parquet",
    )
    names = (
        "column0 AS \"user\", column1::TIMESTAMPTZ AT TIME ZONE 'UTC' AS time, column2 AS lat, column3 AS lon"
    )
    with duckdb.connect() as engine:
        engine.sql(
            f"COPY (SELECT {names} FROM read_csv('{source}', delim = '\t', header = false)) TO '{path}'"
        )
        rows = engine.sql(f"SELECT \"user\", time, lat, lon FROM '{path}'").fetchall()
    utc, here = ZoneInfo("UTC"), ZoneInfo("America/New_York")
    local = [time.replace(tzinfo=utc).astimezone(here).replace(tzinfo=None) for _, time, *_ in rows]
    return path, [
        {"user": user, "time": time, "lat": lat, "lon": lon}
        for (user, _, lat, lon), time in zip(rows, local, strict=True)
    ]


def gowalla_cell(row: Row) -> tuple[int, int] | None:
    """Row and column, None outside."""
    if not (-74.06 <= row["lon"] <= -73.70 and 40.55 <= row["lat"] <= 40.92):
        return None
    steps = (row["lat"] - 40.55) / ((40.92 - 40.55) / 100), (row["lon"] + 74.06) / ((-73.70 + 74.06) / 100)
    return min(int(steps[0]), 99), min(int(steps[1]), 99)


@pytest.mark.parametrize("pick", ["first", "last"])
def test_check_ins_by_day_and_evening(tmp_path: Path, gowalla: tuple[Path, list[Row]], pick: str) -> None:
    """Thousands of users' days in New York, with their midnights there."""
    made = paths(tmp_path, gowalla[0], GOWALLA.format(pick=pick))
    expected = Counter(_check_ins_by_hand(gowalla[1], pick))
    assert sum(expected.values()) > 5_000
    assert counted(made) == expected


def _check_ins_by_hand(rows: list[Row], pick: str) -> Iterator[tuple[int, ...]]:
    for seen in groups(rows, lambda row: row["user"], lambda row: row["time"].date()):
        parts = [
            [row for row in seen if start <= row["time"].hour < end] for start, end in ((6, 17), (17, 24))
        ]
        if all(parts):
            chosen = [gowalla_cell(_picked(part, pick)) for part in parts]
            if None not in chosen:
                yield tuple(side for cell in chosen if cell for side in cell)


def _picked(part: list[Row], pick: str) -> Row:
    moment = (min if pick == "first" else max)(row["time"] for row in part)
    return min((row for row in part if row["time"] == moment), key=lambda row: gowalla_cell(row) or (-1, -1))


@pytest.mark.parametrize("town", ["Melb", "Toro"])
def test_photo_tours(tmp_path: Path, town: str) -> None:
    """Rows of a tour are not in order; tours of more than three stops keep their ends and their middle."""
    records, places = real(f"flickr_tours/traj-{town}.csv"), real(f"flickr_tours/poi-{town}.csv")
    made = paths(
        tmp_path,
        records,
        f"""
        [unit]
        protects = "user"
        user = "userID"
        max_trips = 1000

        [paths]
        rows = "stops"
        stops = ["start", "middle", "end"]
        path = "trajID"
        sequence = "startTime"
        fewer = "drop"
        more = "ends"
        twice = "drop"

        [places]
        kind = "zones"
        file = "{places}"
        id = "poiID"
        lon = "poiLon"
        lat = "poiLat"
        column = "poiID"
        """,
    )
    expected = Counter(_tours_by_hand(_read(records), _read(places)))
    assert sum(expected.values()) > 300
    assert counted(made) == expected


def _tours_by_hand(rows: list[Row], places: list[Row]) -> Iterator[tuple[int, ...]]:
    lon, lat = (sorted({float(place[name]) for place in places}) for name in ("poiLon", "poiLat"))
    cell = {
        place["poiID"]: (lat.index(float(place["poiLat"])), lon.index(float(place["poiLon"])))
        for place in places
    }
    for tour in groups(rows, lambda row: row["userID"], lambda row: row["trajID"]):
        stops = {int(row["startTime"]): cell[row["poiID"]] for row in tour}
        if len(stops) == len(tour) >= 3:
            ordered = [stops[time] for time in sorted(stops)]
            yield (*ordered[0], *ordered[(len(ordered) - 1) // 2], *ordered[-1])


def test_modelled_tours(tmp_path: Path) -> None:
    """Every user keeps four tours at most, and those with two stops or more are all that count."""
    records = real("activitysim_sf/survey_trips.csv")
    rows = _read(records)
    zones = sorted({int(row["destination"]) for row in rows})
    listed = "".join(f"{zone},{zone % 14},{zone // 14}\n" for zone in zones)
    (tmp_path / "zones.csv").write_text("id,lon,lat\n" + listed)
    made = paths(
        tmp_path,
        records,
        """
        [unit]
        protects = "user"
        user = "person_id"
        max_trips = 4

        [paths]
        rows = "stops"
        stops = ["out", "back"]
        path = "tour_id"
        sequence = "trip_id"
        more = "ends"

        [places]
        kind = "zones"
        file = "zones.csv"
        id = "id"
        lon = "lon"
        lat = "lat"
        column = "destination"
        """,
    )
    own = Counter(person for person, _ in {(row["person_id"], row["tour_id"]) for row in rows})
    assert len(made.points) == sum(min(4, tours) for tours in own.values())


def test_stays_of_a_few_people(tmp_path: Path) -> None:
    """A sighting every few seconds, for months: the first two stays of each day that has them."""
    with gzip.open(real("geolife_sample/geolife_11users_points.csv.gz"), "rt") as file:
        rows = [row for row in csv.DictReader(file) if row["user"] in ("000", "004", "005")]
    points = [_point(row) for row in rows]
    records = tmp_path / "points.csv"
    records.write_text(
        "user,time,lon,lat\n" + "".join(f"{p['user']},{p['time']},{p['lon']},{p['lat']}\n" for p in points)
    )
    made = paths(
        tmp_path,
        records,
        """
        [unit]
        protects = "user"
        user = "user"
        max_trips = 1000

        [paths]
        rows = "sightings"
        stops = ["from", "to"]
        time = "time"
        timezone = "Asia/Shanghai"
        clock = "local"
        radius = 200
        minutes = 20
        fewer = "drop"
        more = "first"

        [places]
        kind = "grid"
        west = 115
        south = 39
        east = 118
        north = 41
        rows = 200
        columns = 300
        lon = "lon"
        lat = "lat"
        """,
    )
    expected = Counter(_days_by_hand(points))
    assert sum(expected.values()) >= 3
    assert counted(made) == expected


def _days_by_hand(points: list[Row]) -> Iterator[tuple[int, ...]]:
    for seen in groups(points, lambda row: row["user"], lambda row: row["time"].date()):
        stays = [chain for chain in chains(seen, 20) if minutes(chain[0], chain[-1]) >= 20]
        middles = [
            tuple(float(np.median([row[name] for row in chain])) for name in ("lat", "lon"))
            for chain in stays
        ]
        if len(middles) >= 2 and all(39 <= lat <= 41 and 115 <= lon <= 118 for lat, lon in middles[:2]):
            yield tuple(
                int((x - low) / 0.01)
                for middle in middles[:2]
                for x, low in zip(middle, (39, 115), strict=True)
            )


def _point(row: dict[str, str]) -> Row:
    time = datetime.fromisoformat(row["datetime_utc"]).replace(tzinfo=None)
    return {"user": row["user"], "time": time, "lon": float(row["lon"]), "lat": float(row["lat"])}


def _read(path: Path) -> list[dict[str, Any]]:
    with path.open(newline="") as file:
        rows: Iterable[dict[str, Any]] = csv.DictReader(file)
        return list(rows)
