"""Published tables, read back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv

from quietway.publish import tables
from quietway.publish.release import Release
from quietway.publish.tables import distinct, file_stem, margin_files, write_csv, write_margins, write_parquet
from quietway.universe import Axis, Partition, Universe

from .conftest import ZONES, manifest, publishing


def keys_of(release: Release, columns: dict[str, list[str]]) -> np.ndarray:
    """Cell keys of rows of labels."""
    universe = release.universe
    return universe.keys(
        [
            np.array([axis.index(label) for label in columns[axis.name]], dtype=np.int64)
            for axis in universe.axes
        ]
    )


def test_parquet_reads_back_as_the_published_cells(city: Release, tmp_path: Path) -> None:
    """Each row of the Parquet table is a published cell under its labels, none more and none less."""
    write_parquet(city, tmp_path / "trips.parquet")
    columns = parquet.read_table(tmp_path / "trips.parquet").to_pydict()
    assert list(columns) == ["origin", "destination", "period", "trips"]
    assert (keys_of(city, columns) == city.keys).all()
    assert columns["trips"] == city.counts.tolist()


def test_parquet_says_what_it_is(city: Release, tmp_path: Path) -> None:
    """A Parquet table that travels alone still tells its name, epsilon, unit and whether it is private."""
    write_parquet(city, tmp_path / "trips.parquet")
    found = parquet.read_schema(tmp_path / "trips.parquet").metadata
    assert found[b"quietway.name"] == b"City trips"
    assert found[b"quietway.epsilon"] == b"1/2"
    assert json.loads(found[b"quietway.unit"])["protects"] == "trip"
    assert found[b"quietway.private"] == b"true"


def test_csv_holds_the_same_rows_as_parquet(city: Release, tmp_path: Path) -> None:
    """CSV and Parquet hold the same rows in the same order."""
    write_csv(city, tmp_path / "trips.csv")
    write_parquet(city, tmp_path / "trips.parquet")
    words = csv.ConvertOptions(column_types={"period": "string"})
    text = csv.read_csv(tmp_path / "trips.csv", convert_options=words).to_pydict()
    assert text == parquet.read_table(tmp_path / "trips.parquet").to_pydict()


def test_rows_written_in_many_runs_are_the_same_rows(city: Release, tmp_path: Path, monkeypatch) -> None:
    """How many rows are written at once changes nothing in the table."""
    write_csv(city, tmp_path / "once.csv")
    monkeypatch.setattr(tables, "ROWS_AT_ONCE", 7)
    write_csv(city, tmp_path / "runs.csv")
    write_parquet(city, tmp_path / "runs.parquet")
    assert (tmp_path / "once.csv").read_bytes() == (tmp_path / "runs.csv").read_bytes()
    assert parquet.read_table(tmp_path / "runs.parquet").num_rows == city.keys.size


def test_axes_without_labels_are_numbers(city: Release, tmp_path: Path) -> None:
    """An axis without labels is a column of whole numbers, and one named trips does not hide the counts."""
    universe = Universe((Axis(name="cell", size=50), Axis(name="trips", size=2, labels=("short", "long"))))
    release = publishing(city, np.array([3, 98]), np.array([5, 1]), universe=universe)
    write_parquet(release, tmp_path / "grid.parquet")
    columns = parquet.read_table(tmp_path / "grid.parquet").to_pydict()
    assert columns == {"cell": [1, 49], "trips_2": ["long", "short"], "trips": [5, 1]}


def test_margins_hold_what_the_release_answers(city: Release, tmp_path: Path) -> None:
    """Each margin's file holds every block in order, with the numbers the release gives for it."""
    written = write_margins(city, tmp_path / "margins")
    assert [path.name for path in written] == [
        "by_period.csv",
        "from_each_zone.csv",
        "zones_over_time.csv",
        "cells.csv",
    ]
    for path, (_, partition) in zip(written, city.features, strict=True):
        rows, margin = csv.read_csv(path).to_pydict(), city.margin(partition)
        assert rows["published"] == margin.table.tolist()
        for name in ("estimate", "low", "high"):
            assert np.allclose(rows[name], getattr(margin, name))
    labels = csv.read_csv(tmp_path / "margins" / "from_each_zone.csv")["origin"].to_pylist()
    assert labels == list(ZONES)


def test_a_margin_of_everything_has_one_row_without_labels(city: Release, tmp_path: Path) -> None:
    """The margin of all trips is one row of numbers."""
    release = replace(city, features=(("all", Partition.total(city.universe)),))
    (path,) = write_margins(release, tmp_path)
    assert csv.read_csv(path)["published"].to_pylist() == [city.total]


def test_margins_too_large_for_a_file_are_left_to_the_cells(
    city: Release, tmp_path: Path, monkeypatch
) -> None:
    """A margin with more blocks than the limit has no file."""
    monkeypatch.setattr(tables, "LARGEST_MARGIN", 96)
    names = [path.name for path in write_margins(city, tmp_path)]
    assert names == ["by_period.csv", "from_each_zone.csv", "zones_over_time.csv"]


def test_names_of_margins_cannot_leave_their_folder(city: Release) -> None:
    """A margin's name becomes a plain file name, and two names never share one."""
    total = Partition.total(city.universe)
    files = margin_files([("../../etc", total), ("A/B", total), ("a b", total), ("", total)])
    assert list(files.values()) == ["etc.csv", "A_B.csv", "a_b_2.csv", "unnamed.csv"]


@given(st.text(max_size=30))
def test_file_stems_are_safe(name: str) -> None:
    """No name makes a path of several parts, a hidden file or an empty name."""
    stem = file_stem(name)
    assert stem and not set(stem) & set("/\\.:\0 ")


@given(st.lists(st.sampled_from(["a", "A", "a_2", "b"]), max_size=8))
def test_distinct_names_stay_distinct(names: list[str]) -> None:
    """Names made distinct one after another never meet again, whatever the case."""
    made = distinct(names, ["b"])
    assert "b" not in made
    assert len({name.casefold() for name in made}) == len(names)


def test_a_rehearsal_is_not_called_private(city: Release, tmp_path: Path) -> None:
    """A table from a rehearsal carries a private flag of false."""
    release = replace(city, manifest=manifest(rehearsal=True))
    write_parquet(release, tmp_path / "trips.parquet")
    assert parquet.read_schema(tmp_path / "trips.parquet").metadata[b"quietway.private"] == b"false"


def test_an_empty_release_has_empty_tables(empty: Release, tmp_path: Path) -> None:
    """Without any published cell, tables have their header and no row, and margins add up to zero."""
    write_parquet(empty, tmp_path / "trips.parquet")
    write_csv(empty, tmp_path / "trips.csv")
    assert parquet.read_table(tmp_path / "trips.parquet").num_rows == 0
    assert (tmp_path / "trips.csv").read_text() == '"origin","destination","period","trips"\n'
    first = write_margins(empty, tmp_path)[0]
    assert sum(csv.read_csv(first)["published"].to_pylist()) == 0


def test_equal_releases_make_equal_files(city: Release, tmp_path: Path) -> None:
    """Writing twice gives the same bytes."""
    for name in ("one", "two"):
        write_parquet(city, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
