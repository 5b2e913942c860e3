"""Writes the example city as files a release can start from."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from quietway.city.city import City, build_city
from quietway.city.days import DAYS, DayName
from quietway.city.path_table import paths
from quietway.city.trip_table import trips
from quietway.errors import OutputError

if TYPE_CHECKING:
    import pyarrow as pa


def write_example(folder: Path | str, day: DayName = "weekday") -> list[Path]:
    """Write stops.csv, modes.csv, trips.parquet and release.toml into a folder, and return their paths.

    A file appears whole or not at all, and is the same every time.
    """
    folder, city = Path(folder), build_city()
    table = trips(city, day)
    _make_folder(folder)
    text = _text_for(folder / "release.toml", day, release_file)
    return [
        _write_whole(folder / "stops.csv", lambda path: _write_csv(stops_table(city), path)),
        _write_whole(folder / "modes.csv", lambda path: _write_csv(modes_table(city), path)),
        _write_whole(folder / "trips.parquet", lambda path: _write_parquet(table, path)),
        _write_whole(folder / "release.toml", lambda path: path.write_text(text, encoding="utf-8")),
    ]


def write_path_example(folder: Path | str, day: DayName = "weekday") -> list[Path]:
    """The same city's days as paths: stops.csv, paths.parquet and paths.toml. Both examples fit one folder."""
    folder, city = Path(folder), build_city()
    table = paths(city, day)
    _make_folder(folder)
    text = _text_for(folder / "paths.toml", day, path_file)
    return [
        _write_whole(folder / "stops.csv", lambda path: _write_csv(stops_table(city), path)),
        _write_whole(folder / "paths.parquet", lambda path: _write_parquet(table, path)),
        _write_whole(folder / "paths.toml", lambda path: path.write_text(text, encoding="utf-8")),
    ]


def _text_for(path: Path, day: DayName, written: Callable[[DayName], str]) -> str:
    """The day's release file; what a steward has edited stays, unless it is for the other day."""
    kept = path.read_text(encoding="utf-8") if path.exists() else None
    if kept is None or kept in map(written, DAYS):
        return written(day)
    if any(f"example-city-{other}" in kept for other in DAYS if other != day):
        raise OutputError(f"'{path}' was edited for another day than the {day}; write the example elsewhere")
    return kept


def path_file(day: DayName) -> str:
    """The release file of a day's paths, with comments to learn from."""
    text = _shipped("paths.toml")
    return text if day == "weekday" else text.replace("weekday", "weekend").replace("20_000", "7_000")


def _shipped(name: str) -> str:
    return files("quietway.city").joinpath(name).read_text(encoding="utf-8")


def release_file(day: DayName) -> str:
    """The release file of a day, with comments to learn from."""
    text = _shipped("release.toml")
    if day == "weekday":
        return text
    return (
        text.replace("weekday of 37,714 trips", "weekend day")
        .replace("weekday", "weekend")
        .replace("trips = 40_000", "trips = 12_000")
    )


def stops_table(city: City) -> pa.Table:
    """stop, lon, lat, zone, hub: one row per stop."""
    import pyarrow as pa

    zones = pa.array([zone.name for zone in city.zones])
    return pa.table(
        {
            "stop": pa.array(city.stops.ids),
            "lon": pa.array(city.stops.lon),
            "lat": pa.array(city.stops.lat),
            "zone": zones.take(pa.array(city.stops.zone)),
            "hub": pa.array(city.stops.hub),
        }
    )


def modes_table(city: City) -> pa.Table:
    """origin, destination, mode: one row per pair of stops."""
    import pyarrow as pa

    def names(labels: tuple[str, ...], numbers: NDArray[np.integer]) -> pa.Array:
        return pa.array(labels).take(pa.array(numbers))

    each = np.arange(city.stops.size)
    return pa.table(
        {
            "origin": names(city.stops.ids, np.repeat(each, each.size)),
            "destination": names(city.stops.ids, np.tile(each, each.size)),
            "mode": names(city.mode_names, city.modes.ravel()),
        }
    )


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the folder '{folder}': {error.strerror}; choose another") from error


def _write_whole(path: Path, write: Callable[[Path], object]) -> Path:
    """Write beside the target, then move over it in one step."""
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        write(draft)
        draft.replace(path)
    except OSError as error:
        raise OutputError(
            f"cannot write '{path}': {error.strerror}; free the place or choose another"
        ) from error
    finally:
        draft.unlink(missing_ok=True)
    return path


def _write_csv(table: pa.Table, path: Path) -> None:
    from pyarrow import csv

    csv.write_csv(table, path, csv.WriteOptions(quoting_style="none", quoting_header="none"))


def _write_parquet(table: pa.Table, path: Path) -> None:
    from pyarrow import parquet

    parquet.write_table(table, path)
