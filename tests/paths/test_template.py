"""The release file of paths that `quietway init --paths` drafts."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from quietway.mechanisms.od.registry import PATH_METHODS
from quietway.paths.count import count_paths
from quietway.paths.spec import load_path_spec
from tests.cli.conftest import run
from tests.paths.conftest import OneRoot

__all__ = ["run"]

TABLES = {
    "paths": "rider,start_lon,start_lat,end_lon,end_lat\na,-83.9,42.1,-83.6,42.4\n",
    "stops": "rider,tour_id,seq,lon,lat\na,1,2,-83.9,42.1\na,1,1,-83.9,42.1\na,1,3,-83.6,42.4\n",
    "sightings": "rider,seen_at,lon,lat\n"
    + "".join(f"a,2026-03-04 {hour}:00:00,-83.9,42.1\n" for hour in ("07", "13", "19")),
}


@pytest.fixture(autouse=True)
def _daf(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setitem(PATH_METHODS, "daf", lambda request: OneRoot(request=request))


@pytest.mark.parametrize("rows", TABLES)
def test_a_draft_fits_the_records_it_is_drawn_from(tmp_path: Path, run: Any, rows: str) -> None:
    """What a row is, and which columns matter, is told by their names; the file reads the records as it stands."""
    (tmp_path / "records.csv").write_text(TABLES[rows])
    code, _, err = run("init", "--paths", tmp_path / "records.csv", "--output", tmp_path / "release.toml")
    assert code == 0, err
    drafted = (tmp_path / "release.toml").read_text()
    assert "EDIT" in drafted and "no such column" not in drafted
    assert tomllib.loads(drafted)["paths"]["rows"] == rows
    assert len(count_paths(load_path_spec(tmp_path / "release.toml")).points) == 1


def test_a_draft_marks_what_it_could_not_find(tmp_path: Path, run: Any) -> None:
    """Usual names stand in for columns that are not there."""
    (tmp_path / "records.csv").write_text("a,b\n1,2\n")
    run("init", "--paths", tmp_path / "records.csv", "--output", tmp_path / "release.toml")
    drafted = (tmp_path / "release.toml").read_text()
    assert 'path = "trajectory"   # EDIT: no such column was found' in drafted
    assert tomllib.loads(drafted)["unit"]["protects"] == "trip"


WIDE = {
    "numbered": ("lon0,lat0,lon1,lat1,lon2,lat2", {f"stop{i}": [f"lon{i}", f"lat{i}"] for i in range(3)}),
    "named": (
        "home_lng,home_lat,latitude_work,longitude_work",
        {"home": ["home_lng", "home_lat"], "work": ["longitude_work", "latitude_work"]},
    ),
    "ends": (
        "pickup_longitude,pickup_latitude,dropoff_longitude,dropoff_latitude",
        {
            "start": ["pickup_longitude", "pickup_latitude"],
            "end": ["dropoff_longitude", "dropoff_latitude"],
        },
    ),
}


@pytest.mark.parametrize("kind", WIDE)
def test_a_row_of_several_places_is_a_path_through_them(tmp_path: Path, run: Any, kind: str) -> None:
    """Longitudes and latitudes are paired by the rest of their names, which name the stops."""
    header, at = WIDE[kind]
    (tmp_path / "records.csv").write_text(f"{header}\n{','.join(['42.2'] * (header.count(',') + 1))}\n")
    run("init", "--paths", tmp_path / "records.csv", "--output", tmp_path / "release.toml")
    drafted = tomllib.loads((tmp_path / "release.toml").read_text())
    assert drafted["paths"] == {"rows": "paths", "stops": list(at)}
    assert drafted["places"]["at"] == at
    assert load_path_spec(tmp_path / "release.toml").space.stops == tuple(at)


@pytest.mark.parametrize(
    ("header", "key", "columns", "rows"),
    [
        ("from,to", "at", {"start": "from", "end": "to"}, "paths"),
        ("user,trajectory,sequence,place", "column", "place", "stops"),
    ],
)
def test_places_without_coordinates_are_zones(
    tmp_path: Path, run: Any, header: str, key: str, columns: Any, rows: str
) -> None:
    """The draft works with a list of them."""
    (tmp_path / "records.csv").write_text(f"{header}\n" + ",".join("a" * (header.count(",") + 1)) + "\n")
    (tmp_path / "zones.csv").write_text("id,lon,lat\na,-83.9,42.1\nb,-83.8,42.2\n")
    run("init", "--paths", tmp_path / "records.csv", "--output", tmp_path / "release.toml")
    drafted = tomllib.loads((tmp_path / "release.toml").read_text())
    assert (drafted["paths"]["rows"], drafted["places"]["kind"], drafted["places"][key]) == (
        rows,
        "zones",
        columns,
    )
    load_path_spec(tmp_path / "release.toml")


def test_stops_with_another_place_beside_their_own_stay_stops(tmp_path: Path, run: Any) -> None:
    """A home's coordinates in every row do not make a path of it."""
    (tmp_path / "records.csv").write_text("tour_id,seq,lon,lat,home_lon,home_lat\n1,1,1.5,2.5,1.5,2.5\n")
    run("init", "--paths", tmp_path / "records.csv", "--output", tmp_path / "release.toml")
    assert tomllib.loads((tmp_path / "release.toml").read_text())["paths"]["rows"] == "stops"
