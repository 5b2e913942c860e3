"""A first look at a file of trips, to draft a release file from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from quietway.records.engine import connect, fetched, guarded, scan_as_guessed
from quietway.records.source import Source, find_source

Role = Literal[
    "origin",
    "destination",
    "origin_lon",
    "origin_lat",
    "destination_lon",
    "destination_lat",
    "time",
    "user",
    "mode",
]
Type = Literal["number", "whole", "time", "text", "other"]

START = r"(origin|orig|start|from|pickup|pu|o|dep|departure|src|source|board)"
FINISH = r"(destination|dest|end|to|dropoff|do|d|arr|arrival|dst|target|alight)"
LON, LAT = r"(lon|lng|long|longitude|x)", r"(lat|latitude|y)"
PLACE = r"(zone|id|stop|station|location|locationid|place|block|taz|tract|cell|name|code)"

PATTERNS: dict[Role, tuple[str, tuple[Type, ...]]] = {
    "origin_lon": (rf"{START}_?{LON}|{LON}_?{START}", ("number",)),
    "origin_lat": (rf"{START}_?{LAT}|{LAT}_?{START}", ("number",)),
    "destination_lon": (rf"{FINISH}_?{LON}|{LON}_?{FINISH}", ("number",)),
    "destination_lat": (rf"{FINISH}_?{LAT}|{LAT}_?{FINISH}", ("number",)),
    "time": (
        r".*(time|datetime|timestamp|depart|departure|started|start|pickup|date|when|hour).*",
        ("time",),
    ),
    "user": (
        r"(user|rider|person|passenger|traveller|traveler|customer|member|card|device|account|subscriber)s?_?"
        r"(id|uuid|hash|no|number)?|uid|pid",
        ("whole", "text"),
    ),
    "mode": (r"(trip_?|travel_?|transport_?)?(mode|modality|vehicle_?type|service)", ("text", "whole")),
    "origin": (rf"{START}(_?{PLACE})*|{PLACE}_?{START}", ("text", "whole")),
    "destination": (rf"{FINISH}(_?{PLACE})*|{PLACE}_?{FINISH}", ("text", "whole")),
}
assert set(PATTERNS) == set(get_args(Role))


@dataclass(frozen=True, kw_only=True)
class ColumnGuess:
    """A column, what it holds, and what it seems to be for."""

    name: str
    type: Type
    role: Role | None = None


@dataclass(frozen=True, kw_only=True)
class FileSummary:
    """What a release file can be drafted from. `rows` is SENSITIVE, and is not printed."""

    path: str
    format: str
    columns: tuple[ColumnGuess, ...]
    rows: int = field(repr=False)

    def column(self, role: Role) -> str | None:
        """The column that seems to play a role."""
        return next((column.name for column in self.columns if column.role == role), None)


def inspect(path: str | Path, format: str = "auto") -> FileSummary:
    """Column names, types and likely roles. Values are looked at by the engine alone, to tell types."""
    source = find_source(path, format)
    backend = connect()
    table = guarded(source, lambda: scan_as_guessed(backend, source))
    types: list[tuple[str, Type]] = [(name, _type(dtype)) for name, dtype in table.schema().items()]
    return FileSummary(
        path=source.name,
        format=str(source.format),
        columns=tuple(_guesses(types)),
        rows=_rows(table, source),
    )


def _rows(table: Any, source: Source) -> int:
    query = table.aggregate(rows=table.count())
    return guarded(source, lambda: fetched(query))["rows"][0].as_py()


def _guesses(columns: Sequence[tuple[str, Type]]) -> Iterator[ColumnGuess]:
    """Each role goes to the first column that fits it, and each column plays one role.

    An only column of times is the time, whatever its name: no other role is played by times.
    """
    roles: dict[str, Role] = {}
    for role, (pattern, types) in PATTERNS.items():
        for name, type_ in columns:
            if name not in roles and type_ in types and re.fullmatch(pattern, _plain(name)):
                roles[name] = role
                break
    times = [name for name, type_ in columns if type_ == "time"]
    if len(times) == 1:
        roles[times[0]] = "time"
    return (ColumnGuess(name=name, type=type_, role=roles.get(name)) for name, type_ in columns)


def _plain(name: str) -> str:
    """camelCase, spaces and dashes as snake_case."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[^a-z0-9]+", "_", spaced.lower()).strip("_")


def _type(dtype: Any) -> Type:
    if dtype.is_integer():
        return "whole"
    if dtype.is_numeric() and not dtype.is_boolean():
        return "number"
    if dtype.is_timestamp():
        return "time"
    return "text" if dtype.is_string() or dtype.is_uuid() else "other"
