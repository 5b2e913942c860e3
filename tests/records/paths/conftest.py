"""Small tables of stops and sightings, and the paths they give."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from quietway.counts import Paths
from quietway.counts.tabulate_paths import tabulate_paths
from quietway.records import Clock, GridAxis
from quietway.records.column import Column, Kind
from quietway.records.paths import FramePaths, PathReading, StayPaths, StopRows, StopRules, open_paths
from quietway.records.paths.frames import StopPlaces
from quietway.universe import PrivacyUnit, Protects

LINE = GridAxis(name="places", west=0, south=0, east=10, north=1, rows=1, columns=10, lon="lon", lat="lat")
"""Ten cells in a row: a stop at longitude 3.5 is in cell 3."""

CLOCK = Clock(column="time", timezone="Europe/Paris", clock="local")


def per_user(most: int) -> PrivacyUnit:
    """Users keep so many paths."""
    return PrivacyUnit(protects=Protects.USER, max_trips=most)


def user_day() -> PrivacyUnit:
    """A user's day keeps one path."""
    return PrivacyUnit(protects=Protects.USER_DAY, max_trips=1)


def by_sequence(clock: Clock | None = None, user: str | None = None, **rules: Any) -> StopRows:
    """Stops in the order of a column of numbers."""
    order = Column(name="sequence", kind=Kind.ORDER)
    return StopRows(path="path", order=order, rules=StopRules(**rules), clock=clock, user=user)


def by_frames(*spans: tuple[int, int], **changes: Any) -> FramePaths:
    """Stops by hours of the day."""
    return FramePaths(clock=CLOCK, spans=tuple((60 * a, 60 * b) for a, b in spans), **changes)


def by_stays(radius: float = 200, minutes: int = 10, **rules: Any) -> StayPaths:
    """Stops by stays."""
    return StayPaths(
        clock=CLOCK, lon="lon", lat="lat", radius=radius, minutes=minutes, rules=StopRules(**rules)
    )


class Records:
    """A file of records, and how it is read."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "records.parquet"

    def paths(
        self,
        rows: Sequence[dict[str, Any]],
        reading: PathReading,
        stops: int = 2,
        *,
        unit: PrivacyUnit | None = None,
        places: Sequence[StopPlaces] | None = None,
        outside: Any = "refuse",
        seed: int | None = None,
    ) -> Paths:
        """The paths that these rows make."""
        pa.parquet.write_table(pa.Table.from_pylist(list(rows)), self.path)
        unit = unit or PrivacyUnit()
        table = open_paths(
            self.path,
            stops=[f"stop {i}" for i in range(stops)],
            places=places or [LINE] * stops,
            reading=reading,
            unit=unit,
            user=None if unit.protects is Protects.TRIP else "user",
        )
        return tabulate_paths(table, outside=outside, seed=seed)

    def cells(self, *given: Any, **how: Any) -> list[tuple[int, ...]]:
        """The cell of each stop of each path, on the line."""
        return [tuple(point[1::2]) for point in self.paths(*given, **how).points.tolist()]


@pytest.fixture
def records(tmp_path: Path) -> Records:
    """A file to write records into."""
    return Records(tmp_path)
