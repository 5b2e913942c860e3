"""The riders' days as paths."""

from __future__ import annotations

import tomllib
from datetime import datetime
from pathlib import Path

import pytest
from pyarrow import parquet

import quietway
from quietway.city import City, DayName, paths, trips, write_example, write_path_example
from quietway.errors import OutputError
from quietway.publish.paths.release import PathRelease


@pytest.mark.parametrize("day", ["weekday", "weekend"])
def test_a_path_is_a_riders_day(city: City, day: DayName) -> None:
    """It starts where the first trip does, and ends where the last one leads; noon is where the morning led."""
    days: dict[str, list[tuple[datetime, str, str]]] = {}
    for trip in trips(city, day).to_pylist():
        days.setdefault(trip["user_id"], []).append(
            (trip["departed_at"], trip["origin"], trip["destination"])
        )
    made = {row["user_id"]: row for row in paths(city, day).to_pylist()}
    assert made.keys() == days.keys()
    for rider, travelled in days.items():
        travelled.sort()
        morning = [end for at, _, end in travelled if at.hour < 12]
        expected = (travelled[0][1], morning[-1] if morning else travelled[0][1], travelled[-1][2])
        assert (made[rider]["start"], made[rider]["noon"], made[rider]["end"]) == expected


def test_both_examples_fit_one_folder(tmp_path: Path) -> None:
    """They share the stops; writing again changes no byte, and an edited release file stays."""
    write_example(tmp_path)
    files = write_path_example(tmp_path)
    assert [path.name for path in files] == ["stops.csv", "paths.parquet", "paths.toml"]
    before = [path.read_bytes() for path in files]
    assert [path.read_bytes() for path in write_path_example(tmp_path)] == before
    files[-1].write_text("# mine\n", encoding="utf-8")
    write_path_example(tmp_path)
    assert files[-1].read_text(encoding="utf-8") == "# mine\n"


def test_the_other_day_brings_its_own_release_file(tmp_path: Path) -> None:
    """An unedited file follows the day; one edited for another day is not mixed with these paths."""
    text = write_path_example(tmp_path, "weekend")[-1].read_text(encoding="utf-8")
    assert "weekday" not in text and tomllib.loads(text)["rehearsal"]["trips"] == 7_000
    file = write_path_example(tmp_path, "weekday")[-1]
    assert "weekend" not in file.read_text(encoding="utf-8")
    file.write_text(file.read_text(encoding="utf-8") + "# mine", encoding="utf-8")
    with pytest.raises(OutputError, match="edited for another day"):
        write_path_example(tmp_path, "weekend")


def test_the_example_can_be_published_as_it_is_written(tmp_path: Path) -> None:
    """The file that is written needs no edit."""
    *_, table, file = write_path_example(tmp_path)
    spec = quietway.load_spec(file)
    quietway.Ledger.open(spec.ledger).limit(spec.file.release.dataset, spec.epsilon)
    published = quietway.release(spec)
    assert isinstance(published, PathRelease)
    riders = parquet.read_table(table).num_rows
    answer = published.query(confidence=0.9999)
    assert answer.low <= riders <= answer.high
