"""A lazy table of paths. SENSITIVE."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol

from quietway.errors import PrivacyError
from quietway.records.clock import Clock
from quietway.records.column import Box, Column, Coordinates
from quietway.records.paths.frames import StopPlaces, path_space
from quietway.records.trips import TripTable, open_records
from quietway.universe import PathSpace, PrivacyUnit

if TYPE_CHECKING:
    import ibis.expr.types as ir


class PathReading(Protocol):
    """How rows become paths."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """What it reads beside the places and the contributor."""
        ...

    @property
    def clock(self) -> Clock | None:
        """What dates each row, where days matter."""
        ...

    def paths(self, rows: TripTable, places: Sequence[StopPlaces]) -> ir.Table:
        """One row per path: SOUND, STATE, a place for each stop, and what tells contributors apart.

        A path depends on its own rows alone, and where people are protected
        all of its rows are one contributor's.
        """
        ...


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PathTable:
    """Paths not yet read: one row each, not yet bounded; nothing here prints a value."""

    trips: TripTable
    space: PathSpace
    places: tuple[StopPlaces, ...]

    def __repr__(self) -> str:
        return f"PathTable({self.trips.source.name}, protecting each {self.trips.unit.protects}, rows hidden)"

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("a table of paths cannot be pickled: publish a Release instead")


def open_paths(
    source: str | Path,
    *,
    stops: Sequence[str],
    places: Sequence[StopPlaces],
    reading: PathReading,
    unit: PrivacyUnit,
    user: str | None = None,
    format: str = "auto",
) -> PathTable:
    """The paths in a file, a glob or a folder, refused unless every column needed is there.

    `places` are those of each stop, in order.
    """
    space = path_space(stops, places)
    rows = open_records(
        source,
        columns=[*reading.columns, *(column for axis in dict.fromkeys(places) for column in axis.needs)],
        pairs=_pairs(places),
        unit=unit,
        user=user,
        clock=reading.clock,
        placed=True,
        format=format,
    )
    table = reading.paths(rows, places)
    return PathTable(trips=rows.with_table(table), space=space, places=tuple(places))


def _pairs(places: Iterable[StopPlaces]) -> list[Coordinates]:
    """Each pair of columns once, expected where any stop that reads it can be."""
    boxes: dict[tuple[str, str], Box] = {}
    for pair in (axis.coordinates for axis in dict.fromkeys(places)):
        if pair is not None:
            columns = (pair.lon, pair.lat)
            boxes[columns] = _around(boxes.get(columns, pair.box), pair.box)
    return [Coordinates(lon=lon, lat=lat, box=box) for (lon, lat), box in boxes.items()]


def _around(one: Box, other: Box) -> Box:
    return Box(
        min(one.west, other.west),
        min(one.south, other.south),
        max(one.east, other.east),
        max(one.north, other.north),
    )
