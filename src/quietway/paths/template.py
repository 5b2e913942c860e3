"""The release file of paths that `quietway init --paths` writes: guesses from names of columns, and what is to be decided."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quietway.template import head, privacy, quoted, unit

if TYPE_CHECKING:
    from quietway.records.inspect import FileSummary

NAMES = {
    "path": r".*(path|tour|traj|trip|journey).*",
    "sequence": r".*(seq|order|position|number|leg|stop_no).*",
    "lon": r"(.*[^a-z])?(lon|lng|long|longitude|x)",
    "lat": r"(.*[^a-z])?(lat|latitude|y)",
    "place": r"(.*[^a-z])?(place|zone|stop|station|location|taz|tract|block|cell)(_?id|_?name)?",
}
PLAIN = "stop"
LONGITUDE = r"(.*?)_?(longitude|lon|lng)_?(.*)"
LATITUDES = {"lon": "lat", "lng": "lat", "longitude": "latitude"}
EDIT = "   # EDIT: no such column was found"
GRID = """\
west = -84.0         # EDIT: the public bounds of your area, not those of the data
south = 42.0
east = -83.5
north = 42.5
rows = 100           # up to 1000 and more: what is published is drawn as finely as the noise allows
columns = 100
"""
LIST = """\
file = "zones.csv"   # EDIT: a public list of all zones, used or not, with a point of each
id = "id"
lon = "lon"
lat = "lat"
# A grid instead of zones, if the records hold coordinates: kind = "grid", west, south, east, north, rows, columns,
# and the columns of the records, {columns}
"""
ZONES = """\
# Zones instead of a grid, if the records hold their ids: kind = "zones", file = "zones.csv", id = "id",
# lon = "lon" and lat = "lat" (columns of that file), {column}
"""


def path_template(records: str, summary: FileSummary, folder: Path) -> str:
    """The text of a commented release file for these records."""
    columns = {column.role: column.name for column in summary.columns if column.role}
    for role, pattern in NAMES.items():
        named = (
            c.name
            for c in summary.columns
            if c.role in (None, role) and re.fullmatch(pattern, c.name.lower())
        )
        if (found := next(named, None)) is not None:
            columns[role] = found
    body = _body(columns, _coordinates([c.name for c in summary.columns if c.type == "number"]))
    return "\n".join([head(records, folder), unit(columns), privacy(split=False), body, REST])


def _body(columns: dict[str, str], coordinates: dict[str, tuple[str, str]]) -> str:
    """What a row seems to be: a path where it holds two places or more, a sighting, or else a stop."""
    known = set(columns)
    if {"origin_lon", "origin_lat", "destination_lon", "destination_lat"} <= known and len(coordinates) <= 2:
        ends = (("start", "origin"), ("end", "destination"))
        coordinates = {stop: (columns[f"{end}_lon"], columns[f"{end}_lat"]) for stop, end in ends}
    if len(coordinates) > 1 and PLAIN not in coordinates:
        return _wide(coordinates)
    if {"origin", "destination"} <= known and not {"lon", "lat"} <= known:
        return _wide_zones({"start": columns["origin"], "end": columns["destination"]})
    sightings = {"user", "lon", "lat", "time"} <= known and "path" not in known
    return (_sightings if sightings else _stops)(columns)


def _coordinates(numbers: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Pairs of columns named alike but for longitude and latitude, by what else their names say."""
    by_name, found = {name.lower(): name for name in numbers}, dict[str, tuple[str, str]]()
    for name in numbers:
        if (match := re.fullmatch(LONGITUDE, name.lower())) is None:
            continue
        start, end = match.span(2)
        latitude = by_name.get(name.lower()[:start] + LATITUDES[match[2]] + name.lower()[end:])
        rest = "_".join(part for part in (match[1], match[3]) if part)
        if latitude is not None:
            found[f"{PLAIN}{rest}" if rest.isdigit() or not rest else rest] = (name, latitude)
    return found


def _wide(coordinates: dict[str, tuple[str, str]]) -> str:
    at = ", ".join(
        f"{_key(stop)} = [{quoted(lon)}, {quoted(lat)}]" for stop, (lon, lat) in coordinates.items()
    )
    return f"""\
{_whole(coordinates)}
[places]
kind = "grid"
at = {{ {at} }}   # the columns of each stop: longitude, latitude
{GRID}{ZONES.format(column='at = { start = "from_zone", end = "to_zone" }')}"""


def _wide_zones(columns: dict[str, str]) -> str:
    at = ", ".join(f"{_key(stop)} = {quoted(column)}" for stop, column in columns.items())
    return f"""\
{_whole(columns)}
[places]
kind = "zones"
at = {{ {at} }}   # the column of each stop
{LIST.format(columns='at = { start = ["lon0", "lat0"], end = ["lon1", "lat1"] }')}"""


def _whole(stops: Iterable[str]) -> str:
    return f"""\
[paths]
rows = "paths"       # one row a path; or "stops" (one row a stop), or "sightings" (of users): see docs/release-file.md
stops = [{", ".join(quoted(stop) for stop in stops)}]   # EDIT: in order, as in ["start", "museum", "end"]
"""


def _stops(columns: dict[str, str]) -> str:
    return f"""\
[paths]
rows = "stops"       # one row a stop, in any order; or "paths" (one row a path), or "sightings": see docs/release-file.md
stops = ["start", "middle", "end"]   # EDIT: how many stops of a path are told, and what they are called
path = {_column(columns, "path", "trajectory")}
sequence = {_column(columns, "sequence", "sequence")}
# time = "arrived_at"   # instead of sequence: stops in the order of time
fewer = "drop"       # paths of fewer stops: "drop" leaves them out, "refuse" stops and tells
more = "ends"        # paths of more: "ends" keeps both ends and what lies evenly between; or "first", "last", "drop", "refuse"

{_one_place(columns)}"""


def _sightings(columns: dict[str, str]) -> str:
    return f"""\
[paths]
rows = "sightings"   # a path is what is seen of a user in a day; or "stops", "paths": see docs/release-file.md
time = {_column(columns, "time", "seen_at")}
timezone = "America/Detroit"   # EDIT
clock = "local"      # EDIT: "local" if the column is wall-clock time, "utc" if it is not
pick = "first"       # of the sightings in a frame: "first", "last", or the place seen "most"
fewer = "drop"       # days with an empty frame: "drop" leaves them out, "refuse" stops and tells

# Each frame of the day is a stop. Instead of frames, stays: in [paths], stops = ["from", "to"], radius = 200 (metres),
# minutes = 10 (the least stay), more = "ends", and neither pick nor [[frames]].
[[frames]]
name = "morning"
start = "06:00"
end = "12:00"

[[frames]]
name = "afternoon"
start = "12:00"
end = "18:00"

[[frames]]
name = "evening"
start = "18:00"
end = "24:00"

{_one_place(columns)}"""


def _one_place(columns: dict[str, str]) -> str:
    if "place" in columns and not {"lon", "lat"} & set(columns):
        return f"""\
[places]
kind = "zones"
column = {quoted(columns["place"])}   # of the records
{LIST.format(columns='lon = "lon" and lat = "lat"')}"""
    return f"""\
[places]
kind = "grid"
lon = {_column(columns, "lon", "lon")}
lat = {_column(columns, "lat", "lat")}
{GRID}{ZONES.format(column='column = "zone" (of the records)')}"""


REST = """\
[method]
name = "daf"

[rehearsal]
trips = 100_000      # EDIT: a public guess of the number of paths, for `quietway rehearse`
"""


def _column(columns: dict[str, str], role: str, usual: str) -> str:
    return quoted(columns[role]) if role in columns else f"{quoted(usual)}{EDIT}"


def _key(name: str) -> str:
    """A TOML key, in quotes where it needs them."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quoted(name)
