"""Where a stop should be, as people write it: zones, a circle, a box of degrees, rows and columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite

from quietway.errors import UniverseError
from quietway.universe.frame import Frame
from quietway.universe.paths import PathSpace
from quietway.universe.region import Region

Where = str | Sequence[str]
FORMS = (
    "write zones (A,B), circle:LON,LAT,500m, a box WEST,SOUTH..EAST,NORTH, or rows:FROM..TO,columns:FROM..TO"
)
UNITS = {"": 1.0, "m": 1.0, "km": 1000.0}


def region(space: PathSpace, wanted: Mapping[str, Where]) -> Region:
    """The paths whose stops are where they are wanted; stops that are not named may be anywhere.

    Each place is a list of zones, or text: `"A,B"` for zones,
    `"circle:-73.98,40.75,500m"`, `"-74.02,40.70..-73.97,40.75"` for the box
    from its south-western to its north-eastern corner (longitude first), or
    `"rows:10..20,columns:5..9"` (the last left out).
    """
    found = Region.everywhere(space)
    for stop, where in wanted.items():
        frame = space.frames[space.position(stop)]
        labels = _labels(frame, where) if isinstance(where, str) else where
        found = _restricted(found, stop, frame, str(where)) if labels is None else found.zones(stop, labels)
    return found


def _labels(frame: Frame, text: str) -> list[str] | None:
    """The zones that a text names, if it names any: one as it stands, or several between commas."""
    parts = [part.strip() for part in text.split(",")]
    if text in frame.labels:
        return [text]
    return parts if frame.labels and set(parts) <= set(frame.labels) else None


def _restricted(found: Region, stop: str, frame: Frame, text: str) -> Region:
    if text.startswith("circle:"):
        longitude, latitude, metres = _circle(stop, text)
        return found.circle(stop, longitude, latitude, metres=metres)
    if text.startswith(("rows:", "columns:")):
        spans = _spans(stop, text)
        rows, columns = (
            _span(stop, spans.get(name, ".."), side)
            for name, side in zip(("rows", "columns"), frame.shape, strict=True)
        )
        return found.rectangle(stop, rows, columns)
    if ".." in text:
        west, south, east, north = _corners(stop, text)
        return found.bounds(stop, west, south, east, north)
    if frame.labels:
        return found.zones(stop, [part.strip() for part in text.split(",")])
    raise UniverseError(f"'{stop}={text}' says no place; this stop has no zones: {FORMS}")


def _circle(stop: str, text: str) -> tuple[float, float, float]:
    parts = text.removeprefix("circle:").split(",")
    size = re.fullmatch(r"\s*([0-9.]+)\s*(m|km|)\s*", parts[-1])
    if len(parts) != 3 or size is None:
        raise UniverseError(f"'{stop}={text}' is no circle; write circle:LON,LAT,500m or circle:LON,LAT,2km")
    longitude, latitude, radius = _numbers(stop, text, [parts[0], parts[1], size[1]])
    return longitude, latitude, radius * UNITS[size[2]]


def _corners(stop: str, text: str) -> tuple[float, float, float, float]:
    parts = [part for corner in text.split("..") for part in corner.split(",")]
    if text.count("..") != 1 or len(parts) != 4:
        raise UniverseError(f"'{stop}={text}' is no box of two corners; write WEST,SOUTH..EAST,NORTH")
    west, south, east, north = _numbers(stop, text, parts)
    return west, south, east, north


def _spans(stop: str, text: str) -> dict[str, str]:
    named = [part.strip().partition(":") for part in text.split(",")]
    spans = {name: span for name, _, span in named}
    if not set(spans) <= {"rows", "columns"} or len(spans) < len(named):
        raise UniverseError(f"'{stop}={text}' names other things than rows and columns, once each; {FORMS}")
    return spans


def _span(stop: str, text: str, side: int) -> tuple[int, int]:
    match = re.fullmatch(r"\s*(-?\d*)\s*\.\.\s*(-?\d*)\s*", text)
    if match is None or "-" in match.groups():
        raise UniverseError(
            f"stop '{stop}': '{text}' is no span of rows or columns; write FROM..TO, such as 10..20"
        )
    return int(match[1] or 0), int(match[2] or side)


def _numbers(stop: str, text: str, parts: Sequence[str]) -> list[float]:
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        numbers = []
    if not numbers or not all(map(isfinite, numbers)):
        raise UniverseError(f"'{stop}={text}' holds something that is no number; {FORMS}")
    return numbers
