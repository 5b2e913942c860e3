"""Boxes as a table: GeoParquet where stops are on the ground, plain Parquet where they are numbers."""

from __future__ import annotations

import json
from dataclasses import dataclass
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
    names = distinct([column.name for column in columns], reserved=COUNTS)
    found = release.box_estimates
    counts = (release.boxes.count, found.estimate, found.low, found.high)
    values = [*(column.values for column in columns), *counts]
    table = arrow().table(dict(zip((*names, *COUNTS), values, strict=True)))
    extents = {name: c.extent for name, c in zip(names, columns, strict=True) if c.extent is not None}
    arrow("parquet").write_table(table.replace_schema_metadata(_metadata(release, extents)), path)


@dataclass(frozen=True, eq=False)
class _Column:
    """A column of one stop; of a column of polygons, how far they all reach."""

    name: str
    values: Any
    extent: list[float] | None = None


def _stop(release: PathRelease, stop: int) -> list[_Column]:
    name, frame = release.space.stops[stop], release.space.frames[stop]
    low, high = (sides(stop, bounds) for bounds in (release.boxes.low, release.boxes.high))
    numbers = (low[:, 0], high[:, 0], low[:, 1], high[:, 1])
    columns = [_Column(f"{name}_{side}", values) for side, values in zip(SIDES, numbers, strict=True)]
    if not located(frame):
        return columns
    degrees = rectangles(frame, low, high)
    reach = (
        degrees if len(degrees) else rectangles(frame, np.zeros((1, 2), np.int64), np.array([frame.shape]))
    )
    columns += [_Column(f"{name}_{side}", degrees[:, i]) for i, side in enumerate(DEGREES)]
    extent = [*reach[:, :2].min(axis=0).tolist(), *reach[:, 2:].max(axis=0).tolist()]
    return [*columns, _Column(f"{name}_area", polygons(degrees), extent)]


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


def _metadata(release: PathRelease, extents: dict[str, list[float]]) -> dict[str, str]:
    areas = {
        name: {
            "encoding": "WKB",
            "geometry_types": ["Polygon"],
            "orientation": "counterclockwise",
            "bbox": extent,
        }
        for name, extent in extents.items()
    }
    told = metadata(release)
    if areas:
        told["geo"] = json.dumps({"version": "1.1.0", "primary_column": next(iter(areas)), "columns": areas})
    return told
