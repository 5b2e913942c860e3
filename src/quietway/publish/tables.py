"""Release tables: the published cells as Parquet and CSV, and the margins with their error bars."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quietway.publish.arrow import arrow
from quietway.publish.promise import is_private
from quietway.universe.axis import Axis
from quietway.universe.partition import Partition

if TYPE_CHECKING:
    from quietway.publish.paths.release import PathRelease
    from quietway.publish.release import Release

ROWS_AT_ONCE = 1 << 18
LARGEST_MARGIN = 5_000_000
TRIPS = "trips"
MEASURES = ("published", "estimate", "low", "high")


def write_parquet(release: Release, path: Path) -> None:
    """One row per non-empty published cell: a label per axis, and `trips`."""
    schema = _schema(release)
    with arrow("parquet").ParquetWriter(path, schema) as writer:
        for rows in _slices(release.keys.size):
            writer.write_table(_cells(release, rows, schema))


def write_csv(release: Release, path: Path) -> None:
    """The same rows as `write_parquet`, as UTF-8 text with a header."""
    schema = _schema(release)
    with arrow("csv").CSVWriter(path, schema) as writer:
        for rows in _slices(release.keys.size):
            writer.write_table(_cells(release, rows, schema))


def write_margins(release: Release, folder: Path) -> tuple[Path, ...]:
    """One CSV per named margin: its labels, the published total, the estimate and its interval.

    A margin of more than `LARGEST_MARGIN` blocks has no file: the tables of
    cells hold all that can be said of it. Returns the files written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = margin_files(release.features)
    for name, partition in release.features:
        if name in files:
            _write_margin(release, partition, folder / files[name])
    return tuple(folder / file for file in files.values())


def margin_files(features: Iterable[tuple[str, Partition]]) -> dict[str, str]:
    """The file name of each margin; a margin's name that is no file name is made one."""
    names = [name for name, partition in features if partition.blocks <= LARGEST_MARGIN]
    return {name: f"{stem}.csv" for name, stem in zip(names, distinct(map(file_stem, names)), strict=True)}


def file_stem(name: str) -> str:
    """A name that every file system takes and no link can escape its folder with."""
    return re.sub(r"[^\w-]+", "_", name).strip("_") or "unnamed"


def distinct(names: Iterable[str], reserved: Iterable[str] = ()) -> list[str]:
    """The names, with numbers behind those that are taken, whatever the case of their letters."""
    taken, made = {name.casefold() for name in reserved}, list[str]()
    for name in names:
        tried, number = name, 2
        while tried.casefold() in taken:
            tried, number = f"{name}_{number}", number + 1
        taken.add(tried.casefold())
        made.append(tried)
    return made


def metadata(release: Release | PathRelease) -> dict[str, str]:
    """What a table that travels alone must say about itself."""
    manifest = release.manifest
    return {
        "quietway.name": release.name,
        "quietway.epsilon": str(manifest.epsilon),
        "quietway.unit": json.dumps(manifest.unit.to_json(), sort_keys=True),
        "quietway.private": json.dumps(is_private(manifest)),
        "quietway.rehearsal": json.dumps(manifest.rehearsal),
        "quietway.spec_hash": manifest.spec_hash,
    }


def _write_margin(release: Release, partition: Partition, path: Path) -> None:
    margin = release.margin(partition)
    schema = _margin_schema(partition)
    with arrow("csv").CSVWriter(path, schema) as writer:
        for rows in _slices(partition.blocks):
            labels = _label_columns(partition, np.arange(rows.start, rows.stop, dtype=np.int64))
            values = [column[rows] for column in (margin.table, margin.estimate, margin.low, margin.high)]
            writer.write_table(_table([*labels, *values], schema))


def _label_columns(partition: Partition, blocks: NDArray[np.int64]) -> list[Sequence[str]]:
    labels = partition.block_labels(blocks)
    return [list(column) for column in zip(*labels, strict=True)] or [[] for _ in partition.columns]


def _margin_schema(partition: Partition) -> Any:
    pa = arrow()
    labels = distinct(partition.columns, MEASURES)
    types = (pa.int64(), pa.float64(), pa.float64(), pa.float64())
    return pa.schema([*((name, pa.string()) for name in labels), *zip(MEASURES, types, strict=True)])


def _schema(release: Release) -> Any:
    pa = arrow()
    names = distinct(release.universe.names, (TRIPS,))
    columns = [(name, _type(axis)) for name, axis in zip(names, release.universe.axes, strict=True)]
    return pa.schema([*columns, (TRIPS, pa.int64())], metadata=metadata(release))


def _type(axis: Axis) -> Any:
    pa = arrow()
    return pa.int64() if axis.labels is None else pa.dictionary(pa.int32(), pa.string(), ordered=axis.ordered)


def _cells(release: Release, rows: slice, schema: Any) -> Any:
    coordinates = release.universe.coordinates(release.keys[rows])
    columns = [_column(axis, index) for axis, index in zip(release.universe.axes, coordinates, strict=True)]
    return _table([*columns, release.counts[rows]], schema)


def _column(axis: Axis, index: NDArray[np.int64]) -> Any:
    if axis.labels is None:
        return index
    pa = arrow()
    labels = pa.array(axis.labels, pa.string())
    return pa.DictionaryArray.from_arrays(index.astype(np.int32), labels, ordered=axis.ordered)


def _table(columns: list[Any], schema: Any) -> Any:
    pa = arrow()
    return pa.table(
        [pa.array(c, field.type) for c, field in zip(columns, schema, strict=True)], schema=schema
    )


def _slices(rows: int) -> Iterator[slice]:
    """Bounded runs of rows that cover them all."""
    for start in range(0, rows, ROWS_AT_ONCE):
        yield slice(start, min(start + ROWS_AT_ONCE, rows))
