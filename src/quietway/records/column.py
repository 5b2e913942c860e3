"""What a column of the records must hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from quietway.errors import ConfigError


class Kind(StrEnum):
    """What the values of a column are read as; the text says what is accepted."""

    PERSON = "text or whole numbers that tell people apart"
    LABEL = "text or whole numbers that name places or categories"
    PATH = "text or whole numbers that tell paths apart"
    ORDER = "numbers that put the stops of a path in order"
    NUMBER = "decimal numbers"
    TIME = "dates with a time of day, such as 2024-05-17 08:30:00 or 2024-05-17T08:30:00+02:00"
    DAY = "dates, with or without a time of day, such as 2024-05-17"


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column that must be there, and the kind of values it needs."""

    name: str
    kind: Kind


class Box(NamedTuple):
    """Bounds in degrees, borders included."""

    west: float
    south: float
    east: float
    north: float


@dataclass(frozen=True, kw_only=True)
class Coordinates:
    """A pair of columns that place one end of a trip, and where it is expected to be."""

    lon: str
    lat: str
    box: Box


def merge_columns(columns: Iterable[Column]) -> tuple[Column, ...]:
    """Each column once; a column asked for as two different things is refused."""
    kinds: dict[str, Kind] = {}
    for column in columns:
        kind = kinds.setdefault(column.name, column.kind)
        if {kind, column.kind} == {Kind.TIME, Kind.DAY}:
            kinds[column.name] = Kind.TIME
        elif kind is not column.kind:
            raise ConfigError(
                f"column '{column.name}' is needed as {kind} and as {column.kind}; use two columns"
            )
    return tuple(Column(name=name, kind=kind) for name, kind in kinds.items())
