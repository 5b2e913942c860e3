"""Boxes as a table: GeoParquet where stops are on the ground, plain Parquet where they are numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quietway.publish.arrow import arrow
from quietway.publish.paths.ground import Floats, located, rectangles, sides
from quietway.publish.tables import distinct, metadata

if TYPE_CHECKING:
    from quietway.publish.paths.release import PathRelease

SIDES = ("row_from", "row_to", "column_from", "column_to")
DEGREES = ("west", "south", "east", "north")
COUNTS = ("paths", "estimate", "low", "high")
POLYGON = np.dtype(
    [("order", "u1"), ("type", "<u4"), ("rings", "<u4"), ("points", "<u4"), ("ring", "<f8", 10)]
)


def write_boxes(release: PathRelease, path: Path) -> None:
    """One row per published box.

    For every stop the rows and columns that it spans (`..._to` left out) and,
    where the stop is on the ground, its degrees and a polygon: the file is
    GeoParquet with one geometry column per such stop, the first of them
    primary. Then `paths`, the published whole number, and the `estimate` with
    its 95 % interval from `low` to `high`.
    """
    columns = [column for stop in range(len(release.space.stops)) for column in _stop(release, stop)]
    names = distinct([name for name, _ in columns], reserved=COUNTS)
    found = release.box_estimates
    counts = (release.boxes.count, found.estimate, found.low, found.high)
    table = arrow().table(
        dict(zip((*names, *COUNTS), [*(values for _, values in columns), *counts], strict=True))
    )
    geometry = dict(zip(names, _extents(release), strict=True))
    arrow("parquet").write_table(table.replace_schema_metadata(_metadata(release, geometry)), path)


def _stop(release: PathRelease, stop: int) -> list[tuple[str, Any]]:
    """The columns of one stop, by name."""
    name, frame = release.space.stops[stop], release.space.frames[stop]
    low, high = (sides(stop, bounds) for bounds in (release.boxes.low, release.boxes.high))
    numbers = (low[:, 0], high[:, 0], low[:, 1], high[:, 1])
    columns: list[tuple[str, Any]] = [(f"{name}_{side}", n) for side, n in zip(SIDES, numbers, strict=True)]
    if located(frame):
        degrees = rectangles(frame, low, high)
        columns += [(f"{name}_{side}", degrees[:, i]) for i, side in enumerate(DEGREES)]
        columns.append((f"{name}_area", polygons(degrees)))
    return columns


def _extents(release: PathRelease) -> list[list[float] | None]:
    """For each column of the stops the extent of its polygons, or nothing."""
    extents: list[list[float] | None] = []
    for stop in range(len(release.space.stops)):
        columns = _stop(release, stop)
        extents += [None] * len(columns)
        if len(columns) > len(SIDES):
            west, south, east, north = (values for _, values in columns[len(SIDES) : -1])
            extents[-1] = [float(west.min()), float(south.min()), float(east.max()), float(north.max())]
    return extents


def polygons(degrees: Floats) -> Any:
    """Rectangles (west, south, east, north) as polygons in well-known binary, anticlockwise."""
    shapes = np.zeros(len(degrees), dtype=POLYGON)
    shapes["order"], shapes["type"], shapes["rings"], shapes["points"] = 1, 3, 1, 5
    shapes["ring"] = degrees[:, ring()]
    pa = arrow()
    offsets = np.arange(len(degrees) + 1, dtype=np.int32) * POLYGON.itemsize
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(shapes.tobytes())]
    return pa.Array.from_buffers(pa.binary(), len(degrees), buffers)


def ring() -> NDArray[np.int64]:
    """Where the corners of a rectangle stand among its sides: x and y of the south-west, and round to it again."""
    return np.array([0, 1, 2, 1, 2, 3, 0, 3, 0, 1])


def _metadata(release: PathRelease, geometry: dict[str, list[float] | None]) -> dict[str, str]:
    areas = {
        name: {
            "encoding": "WKB",
            "geometry_types": ["Polygon"],
            "orientation": "counterclockwise",
            "bbox": extent,
        }
        for name, extent in geometry.items()
        if extent is not None
    }
    told = metadata(release)
    if areas:
        told["geo"] = json.dumps({"version": "1.1.0", "primary_column": next(iter(areas)), "columns": areas})
    return told
