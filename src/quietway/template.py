"""The release file that `quietway init` writes: what it could guess, and where the steward must decide.

Guesses come from the names and types of columns only. Nothing that depends on
rows goes in, because a release file is public.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quietway.records.inspect import FileSummary


def release_template(trips: str, summary: FileSummary, folder: Path) -> str:
    """The text of a commented release file for these trips."""
    columns = {column.role: column.name for column in summary.columns if column.role}
    sections = (
        head(trips, folder),
        unit(columns),
        privacy(),
        *(_place_axis(end, columns) for end in ("origin", "destination")),
        _period(columns),
        FEATURES,
    )
    return "\n".join(sections)


def head(trips: str, folder: Path) -> str:
    """What is published, and from which records."""
    path = trips if Path(trips).is_absolute() else os.path.relpath(trips, folder or ".")
    return f"""\
# Lines marked EDIT need a decision of yours. Everything in this file is public: decide without looking at the rows.

[release]
name = {quoted(_stem(trips))}
dataset = {quoted(_stem(trips))}   # EDIT: the ledger's name for these people's data; the same for every release of them
output = "published"

[records]
path = {quoted(path)}
outside = "refuse"   # rows outside the universe: "refuse" stops and tells; "drop" leaves them out, silently
"""


def unit(columns: dict[str, str]) -> str:
    """Whose presence is hidden."""
    if "user" not in columns:
        return """\
[unit]
protects = "trip"    # EDIT: no column of user ids was found; name it to protect people:
# protects = "user"
# user = "rider_id"
# max_trips = 4      # how many trips each may keep, at random
neighbours = "add-remove"   # "replace-one" if the number of people is public
"""
    return f"""\
[unit]
protects = "user"    # whose presence is hidden: "user", "user-day" or "trip"
user = {quoted(columns["user"])}
{f"time = {quoted(columns['time'])}" if "time" in columns else '# time = "departed_at"'}   # only for "user-day": its local date makes the day
max_trips = 4        # EDIT: how many trips each may keep, at random; more trips, more noise
neighbours = "add-remove"   # "replace-one" if the number of people is public
"""


def privacy(*, split: bool = True) -> str:
    """What may be spent, and how it may be divided (`split`)."""
    budget = """\
# budget = "uniform"   # how it is divided: or "geometric", "cube-root", "custom" with shares = [1, 2, ...]
"""
    return f"""\
[privacy]
epsilon = "1"        # EDIT: what this release spends; text keeps it exact ("0.1", "1/3")
ledger = "ledger.sqlite"   # one for the whole organisation
{budget if split else ""}"""


def _place_axis(end: str, columns: dict[str, str]) -> str:
    if end in columns:
        return f"""\
[[axes]]
name = "{end}"
kind = "places"
column = {quoted(columns[end])}
file = "places.csv"  # EDIT: a public list of all places, used or not
id = "id"
# lon = "lon"        # for maps: columns of that list
# lat = "lat"
"""
    return f"""\
[[axes]]
name = "{end}"
kind = "grid"        # or "polygons" with file = "zones.geojson" and id = "zone"
lon = {_column(columns, f"{end}_lon", f"{end}_lon")}
lat = {_column(columns, f"{end}_lat", f"{end}_lat")}
west = -84.0         # EDIT: the public bounds of your area, not those of the data
south = 42.0
east = -83.5
north = 42.5
rows = 20
columns = 20
"""


def _period(columns: dict[str, str]) -> str:
    return f"""\
[[axes]]
name = "period"
kind = "periods"
column = {_column(columns, "time", "departed_at")}
minutes = 30
timezone = "America/Detroit"   # EDIT
clock = "local"      # EDIT: "local" if the column is wall-clock time, "utc" if it is not
"""


FEATURES = """\
# Margins that matter: they decide what is measured, and each is published by name.
[[features]]
name = "period"
by = ["period"]

# [groups.zone]
# file = "places.csv"
# labels = ["id"]
# block = "zone"
#
# [[features]]
# name = "zone pair by period"
# by = ["origin:zone", "destination:zone", "period"]

[method]
name = "cbdp"        # or "hierarchy", "laplace", "identity", "uniform", "threshold"
# prior = "gravity"  # how trips fill cells that are too small to measure: "gravity" (places need lon and lat), "uniform",
                     # a public table's file, an earlier release's folder, or "none" to measure every cell

[rehearsal]
trips = 100_000      # EDIT: a public guess of the number of trips, for `quietway rehearse`
"""


def _column(columns: dict[str, str], role: str, usual: str) -> str:
    """The column found for a role, or a usual name to be replaced."""
    return quoted(columns[role]) if role in columns else f"{quoted(usual)}   # EDIT: no such column was found"


def _stem(trips: str) -> str:
    """A file's or folder's name without endings and wildcards."""
    return re.sub(r"[^\w-]+", "-", Path(trips).name.split(".")[0]).strip("-") or "trips"


def quoted(text: str) -> str:
    """A TOML string."""
    return json.dumps(text, ensure_ascii=False)
