"""The example's files: whole, readable, and the same every time."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from quietway.city import City, DayName, trips, write_example
from quietway.errors import OutputError


def test_files_read_back_as_the_city(city: City, tmp_path: Path) -> None:
    """Stops, modes and trips come back equal to the city's."""
    stops, modes, table, _ = write_example(tmp_path / "new" / "city")
    places = csv.read_csv(stops)
    assert places.column_names == ["stop", "lon", "lat", "zone", "hub"]
    assert places["stop"].to_pylist() == list(city.stops.ids)
    assert (np.column_stack((places["lon"], places["lat"])) == city.places).all()
    ways = csv.read_csv(modes).to_pydict()
    number = {name: i for i, name in enumerate(city.mode_names)}
    assert [number[mode] for mode in ways["mode"]] == city.modes.ravel().tolist()
    assert (ways["origin"][131], ways["destination"][131]) == ("C02", "C02")
    assert parquet.read_table(table).equals(trips(city, "weekday"))


def test_columns_of_the_trips(city: City, tmp_path: Path) -> None:
    """Trips have the four documented columns; times carry no zone, as wall clocks do."""
    table = parquet.read_table(write_example(tmp_path, "weekend")[2])
    assert table.column_names == ["user_id", "origin", "destination", "departed_at"]
    assert table.schema.field("departed_at").type == pa.timestamp("us")
    assert table.num_rows == 11_700


def test_writing_again_gives_the_same_bytes_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """A second run changes no byte and leaves no draft."""
    before = [path.read_bytes() for path in write_example(tmp_path)]
    assert [path.read_bytes() for path in write_example(tmp_path)] == before
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["modes.csv", "release.toml", "stops.csv", "trips.parquet"]


def test_an_edited_release_file_stays_as_it_is(tmp_path: Path) -> None:
    """Running the example again replaces the data, never what the steward wrote."""
    release = write_example(tmp_path)[3]
    release.write_text("# mine\n", encoding="utf-8")
    (tmp_path / "stops.csv").write_text("spoilt", encoding="utf-8")
    write_example(tmp_path)
    assert release.read_text(encoding="utf-8") == "# mine\n"
    assert csv.read_csv(tmp_path / "stops.csv").num_rows == 130


def test_the_other_day_brings_its_own_release_file(tmp_path: Path) -> None:
    """An unedited file follows the day; one edited for another day is not mixed with these trips."""
    write_example(tmp_path, "weekend")
    release = write_example(tmp_path, "weekday")[3]
    assert "weekend" not in release.read_text(encoding="utf-8")
    release.write_text(release.read_text(encoding="utf-8") + "# mine", encoding="utf-8")
    before = (tmp_path / "trips.parquet").read_bytes()
    with pytest.raises(OutputError, match="edited for another day"):
        write_example(tmp_path, "weekend")
    assert (tmp_path / "trips.parquet").read_bytes() == before


@pytest.mark.parametrize(("day", "other"), [("weekday", "weekend"), ("weekend", "weekday")])
def test_the_release_file_is_of_its_day_and_fits_the_files(
    day: DayName, other: DayName, tmp_path: Path
) -> None:
    """It is valid TOML, speaks of its own day alone, and names columns that exist."""
    stops, modes, table, release = write_example(tmp_path, day)
    text = release.read_text(encoding="utf-8")
    assert day in text
    assert other not in text
    spec = tomllib.loads(text)
    assert {axis["column"] for axis in spec["axes"]} < set(parquet.read_schema(table).names)
    for group in spec["groups"].values():
        columns = csv.read_csv(stops if group["file"] == stops.name else modes).column_names
        assert {*group["labels"], group["block"]} <= set(columns)


def test_a_place_that_is_taken_is_an_error_that_says_so(tmp_path: Path) -> None:
    """A file where the folder should be, or a folder where a file should be, is named."""
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="choose another"):
        write_example(tmp_path / "file")
    (tmp_path / "stops.csv").mkdir()
    with pytest.raises(OutputError, match=r"stops\.csv"):
        write_example(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "stops.csv"]
