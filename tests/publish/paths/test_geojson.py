"""Boxes and paths as GeoJSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quietway.publish.paths import geojson
from quietway.publish.paths.geojson import write_areas, write_lines
from quietway.publish.paths.largest import telling
from quietway.publish.paths.release import PathRelease

from .cases import PLACES, ZONES, town, zoned


@pytest.fixture(scope="module")
def published() -> PathRelease:
    """Two stops on a grid."""
    return town()


def read(path: Path) -> dict[str, Any]:
    """The file, parsed."""
    return json.loads(path.read_text())


def test_a_polygon_per_stop_for_every_box_with_paths(published: PathRelease, tmp_path: Path) -> None:
    """Largest first, stop after stop, with the row of the table that each is of."""
    write_areas(published, tmp_path / "boxes.geojson")
    features = read(tmp_path / "boxes.geojson")["features"]
    filled = np.flatnonzero(published.boxes.count)
    assert len(features) == 2 * filled.size
    for feature in (features[0], features[-1]):
        told, ring = feature["properties"], np.array(feature["geometry"]["coordinates"][0])
        box, stop = told["box"], ("start", "end").index(told["stop"])
        assert told["paths"] == published.boxes.count[box]
        assert told["low"] <= told["estimate"] <= told["high"]
        low, high = (
            ends[box, 2 * stop : 2 * stop + 2] for ends in (published.boxes.low, published.boxes.high)
        )
        assert np.allclose(ring.min(axis=0), (2.2 + 0.3 * low[1] / 16, 48.8 + 0.1 * low[0] / 16), atol=1e-6)
        assert np.allclose(ring.max(axis=0), (2.2 + 0.3 * high[1] / 16, 48.8 + 0.1 * high[0] / 16), atol=1e-6)
    assert features[0]["properties"]["paths"] == published.boxes.count.max()


def test_a_line_runs_through_the_middles_of_the_stops(published: PathRelease, tmp_path: Path) -> None:
    """Of the boxes that span at most half of every axis."""
    write_lines(published, tmp_path / "paths.geojson")
    features = read(tmp_path / "paths.geojson")["features"]
    wide = (published.boxes.high - published.boxes.low).max(axis=1) > 8
    assert len(features) == (~wide & (published.boxes.count > 0)).sum() > 0
    first = features[0]
    box = first["properties"]["box"]
    low, high = published.boxes.low[box], published.boxes.high[box]
    rows, columns = (low + high)[0::2] / 32, (low + high)[1::2] / 32
    expected = np.column_stack([2.2 + 0.3 * columns, 48.8 + 0.1 * rows])
    assert np.allclose(first["geometry"]["coordinates"], expected, atol=1e-6)


def test_the_middle_of_zones_is_where_they_stand_on_average(tmp_path: Path) -> None:
    """Not the middle of the rectangle around them."""
    release = zoned()
    write_lines(release, tmp_path / "paths.geojson")
    for feature in read(tmp_path / "paths.geojson")["features"]:
        low, high = (
            ends[feature["properties"]["box"], 2:] for ends in (release.boxes.low, release.boxes.high)
        )
        held = ((ZONES.cell >= low) & (ZONES.cell < high)).all(axis=1)
        if held.any():
            assert feature["geometry"]["coordinates"][1] == pytest.approx(PLACES[held].mean(axis=0), abs=1e-5)


def test_only_the_largest_are_written(
    published: PathRelease, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A huge release makes files that a map can still open."""
    monkeypatch.setattr(geojson, "LARGEST", 5)
    write_areas(published, tmp_path / "boxes.geojson")
    kept = {feature["properties"]["box"] for feature in read(tmp_path / "boxes.geojson")["features"]}
    count = published.boxes.count
    assert len(kept) == 5 and count[list(kept)].min() >= np.sort(count)[-5]


def test_a_release_that_tells_nothing_makes_an_empty_file(tmp_path: Path) -> None:
    """One box over everything leads nowhere."""
    whole = zoned(depth=0)
    assert not telling(whole, 10).size
    write_lines(whole, tmp_path / "paths.geojson")
    assert read(tmp_path / "paths.geojson")["features"] == []


def test_the_file_says_where_it_comes_from(published: PathRelease, tmp_path: Path) -> None:
    """Epsilon and privacy travel along."""
    write_lines(published, tmp_path / "paths.geojson")
    told = read(tmp_path / "paths.geojson")
    assert told["quietway.epsilon"] == "1/2" and told["quietway.private"] == "true"
