"""Small files of trips, and the axes that describe them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from quietway.counts import Counts
from quietway.counts.tabulate import tabulate
from quietway.records import CategoryAxis, PeriodAxis, TripAxis, open_trips
from quietway.universe import PrivacyUnit, Protects, Universe

Write = Callable[..., Path]
Count = Callable[..., Counts]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Columns written into a Parquet file."""

    def written(name: str = "trips.parquet", **columns: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pa.parquet.write_table(pa.table(columns), path)
        return path

    return written


@pytest.fixture
def count() -> Count:
    """Trips opened and tabulated, each protected by itself unless told otherwise."""

    def counted(
        source: Path | str, *axes: TripAxis, outside: str = "drop", seed: Any = None, **how: Any
    ) -> Counts:
        universe = Universe(tuple(axis.axis() for axis in axes))
        trips = open_trips(source, axes=axes, **{"unit": PrivacyUnit(), **how})
        return tabulate(trips, universe, axes, outside=outside, seed=seed)  # type: ignore[arg-type]

    return counted


def modes(*values: str, column: str = "mode") -> CategoryAxis:
    """An axis of modes."""
    return CategoryAxis(name="mode", column=column, values=values or ("bus", "walk"))


def hours(**changes: Any) -> PeriodAxis:
    """An axis of hours."""
    plain: dict[str, Any] = {"name": "hour", "column": "time", "minutes": 60, "timezone": "Europe/Paris"}
    return PeriodAxis(**{**plain, **changes})


def per_user(most: int) -> Mapping[str, Any]:
    """Protect users who keep so many trips."""
    return {"unit": PrivacyUnit(protects=Protects.USER, max_trips=most), "user": "user"}


def per_user_day(most: int) -> Mapping[str, Any]:
    """Protect a user's days, of so many trips."""
    unit = PrivacyUnit(protects=Protects.USER_DAY, max_trips=most)
    return {"unit": unit, "user": "user", "time": "time"}


def cells(counts: Counts) -> dict[str, int]:
    """Counts by label."""
    coordinates: Sequence[Any] = counts.universe.coordinates(counts.keys)
    names = zip(
        *(
            [axis.label(int(i)) for i in index]
            for axis, index in zip(counts.universe.axes, coordinates, strict=True)
        ),
        strict=True,
    )
    return {" ".join(name): int(value) for name, value in zip(names, counts.values, strict=True)}
