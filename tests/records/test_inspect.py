"""A first look at a file."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from quietway.errors import DataError
from quietway.records import inspect
from tests.records.conftest import Write

START = datetime(2024, 5, 17, 8)


def test_roles_are_guessed_from_names_and_types(write: Write) -> None:
    """A common layout is recognised whole."""
    summary = inspect(
        write(
            rider_id=["a"],
            departed_at=[START],
            pickup_longitude=[2.3],
            pickup_latitude=[48.8],
            dropoff_longitude=[2.3],
            dropoff_latitude=[48.8],
            mode=["bus"],
            fare=[2.5],
        )
    )
    assert {column.name: column.role for column in summary.columns} == {
        "rider_id": "user",
        "departed_at": "time",
        "pickup_longitude": "origin_lon",
        "pickup_latitude": "origin_lat",
        "dropoff_longitude": "destination_lon",
        "dropoff_latitude": "destination_lat",
        "mode": "mode",
        "fare": None,
    }
    assert summary.format == "parquet" and summary.rows == 1


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("origin", "destination"),
        ("PULocationID", "DOLocationID"),
        ("start_station_id", "end_station_id"),
        ("from_zone", "to_zone"),
        ("originZone", "destinationZone"),
        ("From Stop", "To Stop"),
    ],
)
def test_places_by_id_are_recognised(write: Write, start: str, end: str) -> None:
    """Origins and destinations under the names that operators use."""
    summary = inspect(write(**{start: [1], end: [2], "other": [3]}))
    assert summary.column("origin") == start
    assert summary.column("destination") == end


def test_one_column_plays_each_role(write: Write) -> None:
    """Two times: the first is the departure, the second is left alone."""
    summary = inspect(write(start_time=[START], end_time=[START]))
    assert [column.role for column in summary.columns] == ["time", None]


def test_every_format_has_a_summary(tmp_path: Path) -> None:
    """CSV and JSON lines tell the same as Parquet would."""
    row: dict[str, Any] = {"user": "a", "origin": 3, "lon": 2.5, "time": "2024-05-17 08:00:00"}
    (tmp_path / "t.csv").write_text(",".join(row) + "\n" + ",".join(map(str, row.values())) + "\n")
    (tmp_path / "t.jsonl").write_text(json.dumps(row))
    of_csv, of_json = (inspect(tmp_path / name) for name in ("t.csv", "t.jsonl"))
    assert of_csv.columns == of_json.columns
    assert [column.type for column in of_csv.columns] == ["text", "whole", "number", "time"]
    assert of_csv.rows == of_json.rows == 1


def test_a_summary_shows_no_number_of_rows(write: Write) -> None:
    """How many trips there are is not for printing."""
    summary = inspect(write(name="x.parquet", mode=["bus"] * 47))
    assert summary.rows == 47
    assert "47" not in repr(summary).replace(summary.path, "")


def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    """What cannot be opened is refused by name, not in the engine's words."""
    (tmp_path / "t.parquet").write_text("PAR1canary")
    with pytest.raises(DataError, match="cannot be read as Parquet") as caught:
        inspect(tmp_path / "t.parquet")
    assert "canary" not in str(caught.value)


def test_an_only_column_of_times_is_the_time(write: Write) -> None:
    """Whatever it is called; of two with telling names neither is guessed."""
    assert inspect(write(mode=["bus"], beginning=[START])).column("time") == "beginning"
    assert inspect(write(beginning=[START], finish=[START])).column("time") is None
    assert inspect(write(beginning=[START], hour=[START])).column("time") == "hour"


def test_words_are_no_times(write: Write) -> None:
    """Without a column of times, none plays the role."""
    assert inspect(write(beginning=["early"])).column("time") is None
