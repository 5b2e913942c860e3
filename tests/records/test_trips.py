"""Bad files are refused in words that show nobody's values."""

from __future__ import annotations

import gzip
import json
import pickle
import traceback
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from quietway.errors import ConfigError, DataError, PrivacyError
from quietway.records import GridAxis, PolygonAxis, TripAxis, inspect, open_trips
from quietway.universe import PrivacyUnit
from tests.records.conftest import Count, Write, hours, modes, per_user

CANARY = "canary4711"
NUMBER = 47.11
PARIS = GridAxis(
    name="cell", west=2.2, south=48.8, east=2.4, north=48.9, rows=2, columns=2, lon="lon", lat="lat"
)
ZIPPED = gzip.compress(f"mode\n{CANARY}\n".encode())
Case = tuple[Callable[[Path, Write], Path], Sequence[TripAxis], str]


def text(name: str, content: str) -> Callable[[Path, Write], Path]:
    """A file with this content."""

    def made(folder: Path, _: Write) -> Path:
        (folder / name).write_text(content)
        return folder / name

    return made


def octets(name: str, content: bytes) -> Callable[[Path, Write], Path]:
    """A file with these bytes."""

    def made(folder: Path, _: Write) -> Path:
        (folder / name).write_bytes(content)
        return folder / name

    return made


def table(**columns: Any) -> Callable[[Path, Write], Path]:
    """A Parquet file with these columns."""
    return lambda _, write: write(**columns)


AT = {"lon": [2.3, 2.3], "lat": [48.85, 48.85]}
BAD: dict[str, Case] = {
    "missing": (lambda folder, _: folder / "absent.parquet", [modes()], "there is no file"),
    "empty folder": (lambda folder, _: folder, [modes()], "holds no file of records"),
    "empty file": (text("t.csv", ""), [modes()], "is empty"),
    "not parquet": (text("t.parquet", CANARY), [modes()], "is not a Parquet file"),
    "torn parquet": (text("t.parquet", f"PAR1{CANARY}"), [modes()], "cannot be read as Parquet"),
    "torn gzip": (octets("t.csv.gz", ZIPPED[:-9]), [modes()], "cut short; fetch it again"),
    "damaged gzip": (octets("t.csv.gz", ZIPPED[:12] + b"\xff" * 20), [modes()], "is not a whole gzip file"),
    "no gzip": (octets("t.csv.gz", b"mode\nbus\n"), [modes()], "is not a whole gzip file"),
    "a name that cannot be told from a pattern": (
        text("a\\b[1].csv", "mode\nbus\n"),
        [modes()],
        "with a backslash and one of *, ? and [ cannot be read; rename it",
    ),
    "unknown format": (text("t.xlsx", CANARY), [modes()], "format cannot be told"),
    "no rows": (table(mode=pa.array([], pa.string())), [modes()], "holds no trips"),
    "only a header": (text("t.csv", "mode\n"), [modes()], "holds no trips"),
    "missing column": (table(mod=[CANARY]), [modes()], "has no column 'mode'; did you mean 'mod'?"),
    "no header": (
        text("t.csv", f"{CANARY},bus\nx,bus\n"),
        [modes()],
        "has no column 'mode'; a CSV file must",
    ),
    "no header, and a value like a name": (
        text("t.csv", "modes1947-,bus\nx,bus\n"),
        [modes(column="modes1947")],
        "has no column 'modes1947'; a CSV file must begin with a header that names it",
    ),
    "missing key everywhere": (
        text("t.jsonl", '{"mod": "bus"}'),
        [modes()],
        "has no column 'mode'; did you mean 'mod'?",
    ),
    "ragged": (
        text("t.csv", "mode,x\n" + "bus,1\n" * 30_000 + f"{CANARY},1,2,3,{CANARY}\n"),
        [modes()],
        "cannot be read as CSV",
    ),
    "broken json": (
        text("t.jsonl", f'{{"mode": "bus"}}\n{{"mode": {CANARY}'),
        [modes()],
        "cannot be read as JSON",
    ),
    "text for a number": (table(lon=[CANARY], lat=[48.85]), [PARIS], "'lon' is of the wrong type"),
    "decimals for a label": (table(mode=[NUMBER]), [modes()], "'mode' is of the wrong type"),
    "date for a time": (table(time=[datetime(1947, 11, 4).date()]), [hours()], "'time' is of the wrong type"),
    "words for numbers": (
        text("t.csv", f"lon,lat\n2.3,48.85\n{CANARY},48.85\n"),
        [PARIS],
        "'lon' has values of the wrong",
    ),
    "words for times": (
        text("t.csv", f"time\n2024-01-01 00:00:00\n{CANARY}\n"),
        [hours()],
        "'time' has values of the wrong",
    ),
    "mixed zones": (
        table(time=["2024-01-01 00:00:00", "1947-11-01 00:00:00+01"]),
        [hours()],
        "all with a zone or all without",
    ),
    "named zone": (
        table(time=["2024-01-01 00:00:00", "1947-11-01 00:00:00 Europe/Paris"]),
        [hours()],
        "wrong type",
    ),
    "impossible time": (
        text("t.csv", "time\n1947-13-41 00:00:00\n"),
        [hours()],
        "'time' has values of the wrong",
    ),
    "ancient time": (table(time=["1247-11-01 00:00:00", "2024-01-01 00:00:00"]), [hours()], "before 1900"),
    "endless time": (
        text("t.csv", "time\n2024-01-01 00:00:00\ninfinity\n"),
        [hours()],
        "'time' has values of the wrong",
    ),
    "null": (
        table(mode=["bus", None]),
        [modes()],
        "'mode' has empty values; fill them, or remove those rows",
    ),
    "null number": (table(lon=[2.3, None], lat=[48.85, 48.85]), [PARIS], "'lon' has empty values"),
    "not a number": (table(lon=[2.3, float("nan")], lat=[48.85, 48.85]), [PARIS], "'lon' has empty values"),
    "blank": (text("t.csv", "mode,x\nbus,1\n,2\n"), [modes()], "'mode' has empty values"),
    "missing key": (text("t.jsonl", '{"mode": "bus"}\n{"x": 1}'), [modes()], "'mode' has empty values"),
    "beyond the globe": (
        table(lon=[2.3, 1047.11], lat=[48.85, 48.85]),
        [PARIS],
        "'lon' has coordinates outside",
    ),
    "beyond the pole": (table(lon=[2.3, 2.3], lat=[48.85, 147.11]), [PARIS], "'lat' has coordinates outside"),
    "infinite": (
        table(lon=[2.3, float("inf")], lat=[48.85, 48.85]),
        [PARIS],
        "'lon' has coordinates outside",
    ),
    "exchanged": (table(lon=[48.85, 48.8711], lat=[2.3, 2.3]), [PARIS], "'lon' and 'lat' seem exchanged"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_records_are_refused_without_values(
    tmp_path: Path, write: Write, count: Count, name: str
) -> None:
    """The message names the file and the column; values and numbers of rows are kept apart."""
    make, axes, complaint = BAD[name]
    source = make(tmp_path, write)
    with pytest.raises(DataError) as caught:
        count(source, *axes)
    error = caught.value
    assert complaint in str(error)
    assert str(source) in str(error)
    shown = "".join(traceback.format_exception(error)) + repr(error) + str(pickle.loads(pickle.dumps(error)))
    shown = shown.replace(str(source), "")
    assert not any(secret in shown for secret in (CANARY, "47.11", "1947-", "147.11", "48.8711", "1247-"))
    assert error.__context__ is None


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("words for numbers", f"1 of 2 rows, for instance '{CANARY}'"),
        ("beyond the globe", "1 of 2 rows, for instance 1047.11"),
        ("null", "1 of 2 rows"),
        ("exchanged", "of 2 rows, 0 fit as given and 2 when exchanged"),
        ("ragged", CANARY),
        ("no header", CANARY),
        ("no header, and a value like a name", "did you mean 'modes1947-'?"),
    ],
)
def test_the_steward_may_see_what_was_wrong(
    tmp_path: Path, write: Write, count: Count, name: str, detail: str
) -> None:
    """`sensitive` holds the value and how many rows are like it."""
    make, axes, _ = BAD[name]
    with pytest.raises(DataError) as caught:
        count(make(tmp_path, write), *axes)
    assert detail in (caught.value.sensitive or "")


def test_a_user_column_of_decimals_is_refused(write: Write) -> None:
    """Ids that passed through floating point may have merged people."""
    with pytest.raises(DataError, match="'user' is of the wrong type"):
        open_trips(write(user=[1.0], mode=["bus"]), axes=[modes()], **per_user(1))


def test_stray_coordinates_are_only_outside(write: Write, count: Count) -> None:
    """Points elsewhere on the globe are for the policy on outsiders, unless exchanging would mend most."""
    source = write(lon=[2.3, 100.0, -5.0, 48.85], lat=[48.85, 10.0, -80.0, 2.3])
    assert count(source, PARIS).values.sum() == 1


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), 1e300, 181.0])
@pytest.mark.parametrize("drawn", [False, True], ids=["grid", "polygons"])
def test_impossible_coordinates_are_refused_whatever_reads_them(
    tmp_path: Path, write: Write, count: Count, value: float | None, drawn: bool
) -> None:
    """Also where statistics in the file, which know nothing of NaN, promise that every value is inside."""
    ring = [[2.2, 48.8], [2.4, 48.8], [2.4, 48.9], [2.2, 48.9], [2.2, 48.8]]
    zone = {
        "type": "Feature",
        "properties": {"id": "a"},
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    }
    zones = tmp_path / "zones.geojson"
    zones.write_text(json.dumps({"type": "FeatureCollection", "features": [zone]}))
    axis = PolygonAxis(name="cell", file=zones, id="id", lon="lon", lat="lat") if drawn else PARIS
    with pytest.raises(DataError, match="column 'lon' has"):
        count(write(lon=[2.3, value], lat=[48.85, 48.85]), axis)


def test_one_column_cannot_be_two_things(write: Write) -> None:
    """A column read as a label and as a number is a mistake in the release file."""
    with pytest.raises(ConfigError, match="column 'lon' is"):
        open_trips(write(**AT), axes=[PARIS, modes(column="lon")], unit=PrivacyUnit())


def test_formats_are_told_by_suffix_or_by_name(tmp_path: Path) -> None:
    """A file of unknown suffix is read as the format given; a folder of two formats is refused."""
    file = tmp_path / "trips.dat"
    file.write_text("mode\nbus\n")
    trips = open_trips(file, axes=[modes()], unit=PrivacyUnit(), format="csv")
    assert trips.collect(trips.table).num_rows == 1
    for name in ("a.csv", "b.jsonl"):
        (tmp_path / name).write_text("mode\nbus\n")
    with pytest.raises(DataError, match="mixes formats"):
        open_trips(tmp_path, axes=[modes()], unit=PrivacyUnit())


def test_quotes_in_a_path_are_only_quotes(tmp_path: Path) -> None:
    """A file's name cannot end the query that reads it."""
    file = tmp_path / "o'hare ; drop.csv"
    file.write_text("mode\nbus\n")
    trips = open_trips(file, axes=[modes()], unit=PrivacyUnit())
    assert trips.collect(trips.table).num_rows == 1


def test_a_table_of_trips_shows_nothing(write: Write) -> None:
    """Neither printing nor pickling a table gets a value out of it."""
    trips = open_trips(write(user=[CANARY], mode=["bus"]), axes=[modes()], **per_user(1))
    assert CANARY not in repr(trips) + str(trips) + repr(trips.table) + str(trips.source)
    assert "rows hidden" in repr(trips)
    with pytest.raises(PrivacyError):
        pickle.dumps(trips)


def test_only_the_columns_needed_are_read(write: Write) -> None:
    """Whatever else the file says about people never enters the query."""
    source = write(mode=["bus"], label=[CANARY])
    assert open_trips(source, axes=[modes()], unit=PrivacyUnit()).table.columns == ("mode", "quietway_sound")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_comes_with_other_delimiters(tmp_path: Path, delimiter: str) -> None:
    """The header tells how values are parted, also in a file compressed or begun by a byte order mark."""
    content = "\ufeff" + "\n".join(
        delimiter.join(row) for row in (("mode", "note"), ("bus", "#"), ('"a;,|"', "x"))
    )
    (tmp_path / "t.csv").write_text(content, encoding="utf-8")
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(content.encode()))
    for name in ("t.csv", "t.csv.gz"):
        trips = open_trips(tmp_path / name, axes=[modes()], unit=PrivacyUnit())
        assert trips.collect(trips.table)["mode"].to_pylist() == ["bus", "a;,|"]


def test_no_row_of_csv_is_taken_for_a_remark(tmp_path: Path) -> None:
    """Rows that begin with a hash, or stand before the pattern settles, are trips like others."""
    (tmp_path / "t.csv").write_text("mode,note\n#bus,1\n" + "walk,2\n" * 5 + "#bus,3\n")
    trips = open_trips(tmp_path / "t.csv", axes=[modes()], unit=PrivacyUnit())
    assert trips.collect(trips.table)["mode"].to_pylist() == ["#bus", *["walk"] * 5, "#bus"]


@pytest.mark.parametrize("values", [("007", "7"), ("2024-05-17", "2024-05-18")])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_folder_name_is_text(tmp_path: Path, suffix: str, values: tuple[str, str]) -> None:
    """A value in a folder's name stays as written: 007 is not 7, and a date may name a category."""
    for value in values:
        folder = tmp_path / f"key={value}"
        folder.mkdir()
        pa.csv.write_csv(pa.table({"mode": ["bus"]}), folder / "t.csv")
        pa.parquet.write_table(pa.table({"mode": ["bus"]}), folder / "t.parquet")
    axis = modes(values[1], column="key")
    trips = open_trips(tmp_path / "*" / f"t.{suffix}", axes=[axis], unit=PrivacyUnit())
    assert sorted(trips.collect(trips.table)["key"].to_pylist()) == list(values)


@pytest.mark.parametrize("name", ["t*.csv", "t?.csv", "t[12].csv", "t[1.csv", "it's.csv"])
def test_a_name_that_looks_like_a_pattern_is_a_name(tmp_path: Path, name: str) -> None:
    """The file that was named is read, and none that the name would match as a pattern."""
    for other in ("t1.csv", "t11.csv", "its.csv"):
        (tmp_path / other).write_text("mode\nwalk\n")
    (tmp_path / name).write_text("mode\nbus\n")
    trips = open_trips(tmp_path / name, axes=[modes()], unit=PrivacyUnit())
    assert trips.collect(trips.table)["mode"].to_pylist() == ["bus"]
    assert inspect(tmp_path / name).rows == 1
