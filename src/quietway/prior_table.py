"""A public table of trips in a file, CSV or Parquet: trips by the labels of some axes of a universe.

Columns are read as their distinct texts, which are few, and numbers of them, one for each row.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quietway.errors import ConfigError, InputError
from quietway.estimate.prior import PublicTable
from quietway.estimate.solution import sums
from quietway.public_csv import numbered_rows
from quietway.publish.arrow import arrow
from quietway.publish.tables import TRIPS
from quietway.records.public_file import label_of
from quietway.universe import Partition, Universe

BATCH = 2**10
MOST_TRIPS = 10**15


@dataclass(frozen=True, eq=False)
class _Rows:
    """A table in Arrow, and the number that each of its rows has in the file; complaints begin with `role`."""

    table: Any
    numbers: Sequence[int]
    role: str

    def read_as(self, column: str, meaning: Callable[[str], float]) -> NDArray[np.float64]:
        """What each row's text in a column means."""
        texts, which = self._encoded(column)
        found = np.empty(len(texts))
        for i, text in enumerate(texts):
            if text == "":
                raise self._empty(column, which == i)
            try:
                found[i] = meaning(text)
            except InputError as error:
                row = self.numbers[int(np.argmax(which == i))]
                raise ConfigError(f"{self.role}: row {row}: {error.message}") from None
        return found[which]

    def _encoded(self, column: str) -> tuple[list[str], NDArray[np.int64]]:
        """The distinct texts, in the order in which they first appear, and which of them each row holds."""
        values = self.table.column(column)
        if values.null_count:
            raise self._empty(column, np.array(values.is_null().to_pylist()))
        if arrow("types").is_dictionary(values.type):
            values = values.cast(values.type.value_type)
        try:
            parts = values.dictionary_encode().unify_dictionaries().chunks
        except NotImplementedError:
            raise ConfigError(
                f"{self.role}: column '{column}' is of type {values.type}; give text or numbers"
            ) from None
        texts = [label_of(value) for value in parts[0].dictionary.to_pylist()]
        which: list[Any] = [np.from_dlpack(part.indices) for part in parts]
        return texts, np.concatenate(which).astype(np.int64)

    def _empty(self, column: str, rows: NDArray[np.bool_]) -> ConfigError:
        row = self.numbers[int(np.argmax(rows))]
        return ConfigError(
            f"{self.role}: row {row} is empty in column '{column}'; fill it in, or leave the row out"
        )


def read_table(path: Path, universe: Universe) -> PublicTable:
    """The trips that a file lists, added up."""
    role, is_parquet = f"method.prior ({path})", path.suffix == ".parquet"
    header = _parquet_header(path, role) if is_parquet else _csv_header(path, role)
    axes = [name for name in universe.names if name in header]
    if TRIPS not in header or not axes:
        raise ConfigError(
            f"{role}: its columns are {', '.join(header) or 'none'}; it needs '{TRIPS}' and at least one axis of "
            f"{', '.join(universe.names)}"
        )
    rows = (_parquet_rows if is_parquet else _csv_rows)(path, [*axes, TRIPS], role)
    return _summed(universe, axes, rows)


def _csv_header(path: Path, role: str) -> list[str]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            header = next(csv.reader(file), [])
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"{role}: it cannot be read as CSV in UTF-8: {error}") from error
    if not all(name.isprintable() for name in header):
        raise ConfigError(f"{role}: it is no text; save it as CSV in UTF-8, or as Parquet")
    return header


def _csv_rows(path: Path, columns: Sequence[str], role: str) -> _Rows:
    rows, numbers, batches = numbered_rows(path, columns, role="method.prior"), list[int](), list[Any]()
    schema = arrow().schema([(column, arrow().string()) for column in columns])
    while batch := list(islice(rows, BATCH)):
        numbers += [number for number, _ in batch]
        batches.append(
            arrow().record_batch(list(zip(*(row for _, row in batch), strict=True)), schema=schema)
        )
    return _Rows(arrow().Table.from_batches(batches, schema=schema), numbers, role)


def _parquet_header(path: Path, role: str) -> list[str]:
    try:
        header: list[str] = arrow("parquet").read_schema(path).names
    except (OSError, ValueError) as error:
        raise ConfigError(f"{role}: it cannot be read as Parquet: {error}") from error
    for name in header:
        if header.count(name) > 1:
            raise ConfigError(f"{role}: it has more than one column '{name}'; rename all but one")
    return header


def _parquet_rows(path: Path, columns: Sequence[str], role: str) -> _Rows:
    try:
        table = arrow("parquet").ParquetFile(path).read(columns)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{role}: it cannot be read as Parquet: {error}") from error
    return _Rows(table, range(1, table.num_rows + 1), role)


def _summed(universe: Universe, axes: Sequence[str], rows: _Rows) -> PublicTable:
    partition, key = Partition.margin(universe, axes), np.zeros(rows.table.num_rows, dtype=np.int64)
    trips = np.zeros(0)
    if rows.table.num_rows:
        for name in axes:
            axis = universe.axis(name)
            key = key * axis.size + rows.read_as(name, axis.index).astype(np.int64)
        trips = rows.read_as(TRIPS, _trips)
    if not trips.sum() > 0:
        raise ConfigError(f"{rows.role}: it holds no trips; use 'uniform'")
    blocks, place = np.unique(key, return_inverse=True)
    return PublicTable(partition=partition, blocks=blocks, values=sums(place, trips, len(blocks)))


def _trips(text: str) -> float:
    try:
        trips = float(text)
    except ValueError:
        trips = -1.0
    if not 0 <= trips <= MOST_TRIPS:
        raise ConfigError(f"'{text}' in column '{TRIPS}' is not a number of trips, from 0 to {MOST_TRIPS:,}")
    return trips
