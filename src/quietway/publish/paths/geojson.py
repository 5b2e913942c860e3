"""Boxes and the paths through them as GeoJSON, for any map."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quietway.publish.paths.box_table import ring
from quietway.publish.paths.ground import rectangles, sides
from quietway.publish.paths.largest import largest, middles, on_the_ground, telling
from quietway.publish.tables import metadata

if TYPE_CHECKING:
    from quietway.publish.paths.release import PathRelease

LARGEST = 10_000
DECIMALS = 6


def write_areas(release: PathRelease, path: Path) -> None:
    """A polygon for every stop of the 10,000 boxes that hold most paths.

    Properties: `box` (its row in boxes.parquet, from 0), `stop`, `paths`, and `estimate` with its 95 % interval.
    """
    _write(release, path, _areas(release))


def write_lines(release: PathRelease, path: Path) -> None:
    """A line through the middles of the stops of the 10,000 largest boxes that span at most half of every axis.

    Properties as for areas, without `stop`. A box whose middles are one point is a line of no length.
    """
    _write(release, path, _lines(release))


def _areas(release: PathRelease) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    chosen = largest(release, LARGEST)
    told = list(_properties(release, chosen.tolist()))
    for stop in on_the_ground(release):
        low, high = (sides(stop, bounds)[chosen] for bounds in (release.boxes.low, release.boxes.high))
        corners = rectangles(release.space.frames[stop], low, high)[:, ring()].reshape(-1, 5, 2)
        name = {"stop": release.space.stops[stop]}
        for properties, shape in zip(told, np.round(corners, DECIMALS).tolist(), strict=True):
            yield properties | name, {"type": "Polygon", "coordinates": [shape]}


def _lines(release: PathRelease) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    chosen = telling(release, LARGEST)
    shapes = np.round(middles(release, chosen), DECIMALS).tolist()
    for properties, shape in zip(_properties(release, chosen.tolist()), shapes, strict=True):
        yield properties, {"type": "LineString", "coordinates": shape}


def _properties(release: PathRelease, chosen: list[int]) -> Iterator[dict[str, Any]]:
    found, count = release.box_estimates, release.boxes.count
    for box in chosen:
        yield {
            "box": box,
            "paths": int(count[box]),
            "estimate": round(float(found.estimate[box]), 1),
            "low": round(float(found.low[box]), 1),
            "high": round(float(found.high[box]), 1),
        }


def _write(
    release: PathRelease, path: Path, features: Iterator[tuple[dict[str, Any], dict[str, Any]]]
) -> None:
    head = {"type": "FeatureCollection", "name": release.name, **metadata(release)}
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(json.dumps(head, ensure_ascii=False)[:-1] + ', "features": [')
        for i, (properties, geometry) in enumerate(features):
            feature = {"type": "Feature", "properties": properties, "geometry": geometry}
            file.write((",\n" if i else "\n") + json.dumps(feature, ensure_ascii=False))
        file.write("\n]}\n")
