"""New York's taxi zones and a sample of its trips, as the TLC published them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyarrow import csv

Floats = NDArray[np.float64]
Index = NDArray[np.int64]
ZONES = 263
"""Numbered from 1; 264 and 265 mean that nobody knows."""


def zone_points(folder: Path) -> Floats:
    """Longitude and latitude of each zone's middle. OBJECTID is its number; LocationID repeats some."""
    with gzip.open(folder / "taxi_zones.geojson.gz", "rt", encoding="utf-8") as file:
        features = json.load(file)["features"]
    middle = {f["properties"]["OBJECTID"]: centroid(f["geometry"]) for f in features}
    return np.array([middle[zone] for zone in range(1, ZONES + 1)])


def centroid(geometry: dict[str, Any]) -> Floats:
    """By area, of the outer rings; in degrees, which is near enough."""
    polygons = geometry["coordinates"] if geometry["type"] == "MultiPolygon" else [geometry["coordinates"]]
    area, moment = 0.0, np.zeros(2)
    for polygon in polygons:
        ring = np.asarray(polygon[0], dtype=np.float64)
        start = ring[0]
        here, there = ring[:-1] - start, ring[1:] - start
        cross = here[:, 0] * there[:, 1] - there[:, 0] * here[:, 1]
        area += abs(cross.sum()) / 2
        moment += np.sign(cross.sum()) * ((here + there) * cross[:, None]).sum(axis=0) / 6
        moment += abs(cross.sum()) / 2 * start
    return moment / area


def boroughs(folder: Path) -> list[str]:
    """Of each zone."""
    table = csv.read_csv(folder / "taxi_zone_lookup.csv").to_pydict()
    borough = dict(zip(table["LocationID"], table["Borough"], strict=True))
    return [borough[zone] for zone in range(1, ZONES + 1)]


def trips(folder: Path) -> Index:
    """One row per trip between known zones: origin and destination, from 0, and hour of pick-up."""
    wanted = ["pickup_location_id", "dropoff_location_id", "pickup_datetime"]
    options = csv.ConvertOptions(include_columns=wanted)
    found = list[Index]()
    for path in sorted(folder.glob("yellow_tripdata_sample_2019-*.csv.gz")):
        table = csv.read_csv(path, convert_options=options)
        origin, destination = (table[name].to_numpy().astype(np.int64) - 1 for name in wanted[:2])
        hour = table[wanted[2]].to_numpy().astype("datetime64[h]").astype(np.int64) % 24
        found.append(np.column_stack((origin, destination, hour)))
    every = np.concatenate(found)
    return every[(every[:, :2] < ZONES).all(axis=1)]
