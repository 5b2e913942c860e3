"""The prior that a release file asks for: what is held of the cells before anything is measured.

Everything read here is public: places, a table of trips that anyone may see, or a release that was paid for before.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quietway.errors import ConfigError, InputError, UniverseError
from quietway.estimate.prior import PublicTable, located_ends
from quietway.public_csv import numbered_rows
from quietway.publish.arrow import arrow
from quietway.publish.promise import is_private
from quietway.publish.store import MANIFEST, load_release
from quietway.publish.tables import TRIPS
from quietway.records.public_file import label_of
from quietway.universe import Partition, Universe

if TYPE_CHECKING:
    from quietway.config import MethodSection
    from quietway.publish.release import Release

MOST_LISTED = 20_000_000
MOST_TRIPS = 10**15
KINDS = ("none", "uniform", "gravity")

Places = Mapping[str, NDArray[np.float64]]
Row = tuple[int, list[str]]


def chosen_prior(
    method: MethodSection, folder: Path, universe: Universe, places: Places
) -> tuple[str, PublicTable | None]:
    """The kind of prior, and the table if it is one; without a word of it, the best that the universe allows."""
    if method.name != "cbdp":
        return "none", None
    if method.prior is None:
        return _usual(method, universe, places), None
    if method.prior != "none":
        _require_listed(universe)
    if method.prior == "gravity" and located_ends(universe, places) is None:
        raise ConfigError(
            "method.prior: 'gravity' needs two axes of places with coordinates; give both lon and lat, or use 'uniform'"
        )
    if method.prior in KINDS:
        return method.prior, None
    return "table", _table(folder / method.prior, universe)


def _usual(method: MethodSection, universe: Universe, places: Places) -> str:
    """Settings of the fit without a prior ask for none."""
    if universe.size > MOST_LISTED or method.weights is not None or method.fit in ("cbdp", "free"):
        return "none"
    return "uniform" if located_ends(universe, places) is None else "gravity"


def _require_listed(universe: Universe) -> None:
    if universe.size > MOST_LISTED:
        raise ConfigError(
            f"method.prior: a prior lists every cell, and {universe.size:,} are too many (at most {MOST_LISTED:,}); "
            "use coarser axes, or prior = 'none', which lists only what stands out"
        )


def _table(path: Path, universe: Universe) -> PublicTable:
    if path.is_dir():
        return _released(path, universe)
    if not path.is_file():
        raise ConfigError(
            f"method.prior: there is no file or folder {path}; name a table of trips or a published folder, "
            f"or one of {', '.join(KINDS)}"
        )
    role = f"method.prior ({path})"
    header, rows = _parquet(path, role) if path.suffix == ".parquet" else _csv(path)
    axes = [name for name in universe.names if name in header]
    if TRIPS not in header or not axes:
        raise ConfigError(
            f"{role}: its columns are {', '.join(header) or 'none'}; it needs '{TRIPS}' and at least one axis of "
            f"{', '.join(universe.names)}"
        )
    return _summed(universe, axes, rows([*axes, TRIPS]), role)


def _released(path: Path, universe: Universe) -> PublicTable:
    if not (path / MANIFEST).is_file():
        raise ConfigError(f"method.prior: {path} is not a published folder: it holds no {MANIFEST}")
    try:
        release = load_release(path)
        trips = release.total
    except InputError as error:
        raise ConfigError(f"method.prior: {error.message}") from error
    _require_private(path, release)
    if release.universe != universe:
        raise ConfigError(
            f"method.prior: the release in {path} has other axes or other labels than this file; "
            "use its table over the axes that both have, as a file"
        )
    if not trips:
        raise ConfigError(f"method.prior: the release in {path} holds no trips; use 'uniform'")
    return PublicTable(
        partition=Partition.identity(universe), blocks=release.keys, values=release.counts.astype(np.float64)
    )


def _require_private(path: Path, release: Release) -> None:
    """What was not paid for must not be published again inside of something that was."""
    if not is_private(release.manifest):
        raise ConfigError(
            f"method.prior: the release in {path} is marked NOT PRIVATE; name one that a ledger was charged for, "
            "or a table that is public"
        )


def _csv(path: Path):
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            header = next(csv.reader(file), [])
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"method.prior ({path}): it cannot be read as CSV in UTF-8: {error}") from error
    return header, lambda columns: numbered_rows(path, columns, role="method.prior")


def _parquet(path: Path, role: str):
    parquet = arrow("parquet")
    try:
        table = parquet.ParquetFile(path).read()
    except (OSError, ValueError) as error:
        raise ConfigError(f"{role}: it cannot be read as Parquet: {error}") from error

    for name in table.column_names:
        if table.column_names.count(name) > 1:
            raise ConfigError(f"{role}: it has more than one column '{name}'; rename all but one")
    return table.column_names, lambda columns: _filled(table.select(columns).to_pylist(), role)


def _filled(rows: Iterable[Mapping[str, Any]], role: str) -> Iterator[Row]:
    """Every value as text, none of them empty."""
    for number, row in enumerate(rows, start=1):
        for column, value in row.items():
            if value is None or value == "":
                raise ConfigError(
                    f"{role}: row {number} is empty in column '{column}'; fill it in, or leave the row out"
                )
        yield number, [label_of(value) for value in row.values()]


def _summed(universe: Universe, axes: Sequence[str], rows: Iterable[Row], role: str) -> PublicTable:
    partition = Partition.margin(universe, axes)
    smaller = universe.project(axes)
    found = dict[int, float]()
    for number, (*labels, trips) in rows:
        key = _key(smaller, labels, f"{role}: row {number}")
        found[key] = found.get(key, 0.0) + _trips(trips, f"{role}: row {number}")
    values = np.array(list(found.values()))
    if not values.sum() > 0:
        raise ConfigError(f"{role}: it holds no trips; use 'uniform'")
    return PublicTable(partition=partition, blocks=np.array(list(found), np.int64), values=values)


def _key(universe: Universe, labels: Sequence[str], where: str) -> int:
    key = 0
    for axis, label in zip(universe.axes, labels, strict=True):
        try:
            key = key * axis.size + axis.index(label)
        except UniverseError as error:
            raise ConfigError(f"{where}: {error.message}") from None
    return key


def _trips(text: str, where: str) -> float:
    try:
        trips = float(text)
    except ValueError:
        trips = -1.0
    if not 0 <= trips <= MOST_TRIPS:
        raise ConfigError(
            f"{where}: '{text}' in column '{TRIPS}' is not a number of trips, from 0 to {MOST_TRIPS:,}"
        )
    return trips
