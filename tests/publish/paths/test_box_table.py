"""Boxes as GeoParquet."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from pyarrow import Table

from quietway.publish.paths.box_table import polygons, write_boxes
from quietway.publish.paths.release import PathRelease

from .cases import PLACES, bare, town, zoned


@pytest.fixture(scope="module")
def published() -> PathRelease:
    """Two stops on a grid."""
    return town()


def written(release: PathRelease, folder: Path) -> Table:
    """The table, read again."""
    write_boxes(release, folder / "boxes.parquet")
    return pq.read_table(folder / "boxes.parquet")


def test_every_box_is_a_row(published: PathRelease, tmp_path: Path) -> None:
    """Its rows and columns at every stop, its degrees, its paths and its interval."""
    table = written(published, tmp_path)
    boxes = published.boxes
    assert table["paths"].to_pylist() == boxes.count.tolist()
    assert table["end_column_to"].to_pylist() == boxes.high[:, 3].tolist()
    assert table["start_row_from"].to_pylist() == boxes.low[:, 0].tolist()
    assert np.allclose(table["start_west"], 2.2 + 0.3 * boxes.low[:, 1] / 16)
    assert np.allclose(table["end_north"], 48.8 + 0.1 * boxes.high[:, 2] / 16)
    low, estimate, high = (np.asarray(table[name]) for name in ("low", "estimate", "high"))
    assert (low <= estimate).all() and (estimate <= high).all()


def test_maps_can_be_drawn_from_it(published: PathRelease, tmp_path: Path) -> None:
    """The reference reader finds a polygon per stop, valid and of the degrees said beside it."""
    geopandas = pytest.importorskip("geopandas")
    written(published, tmp_path)
    frame = geopandas.read_parquet(tmp_path / "boxes.parquet")
    assert frame.geometry.name == "start_area" and str(frame.crs) == "OGC:CRS84"
    for stop in ("start", "end"):
        area = frame.set_geometry(f"{stop}_area").geometry
        assert area.is_valid.all() and area.exterior.is_ccw.all()
        bounds = frame[[f"{stop}_{side}" for side in ("west", "south", "east", "north")]]
        assert np.array_equal(area.bounds.to_numpy(), bounds.to_numpy())


def test_the_extent_of_each_geometry_is_told(published: PathRelease, tmp_path: Path) -> None:
    """Readers may skip files by it; the boxes of a grid reach from edge to edge."""
    geo = json.loads(written(published, tmp_path).schema.metadata[b"geo"])
    assert geo["version"] == "1.1.0" and geo["primary_column"] == "start_area"
    assert np.allclose(geo["columns"]["end_area"]["bbox"], [2.2, 48.8, 2.5, 48.9])


def test_the_table_says_where_it_comes_from(published: PathRelease, tmp_path: Path) -> None:
    """A file that travels alone tells its epsilon and whether it is private."""
    told = written(published, tmp_path).schema.metadata
    assert told[b"quietway.epsilon"] == b"1/2" and told[b"quietway.private"] == b"true"


def test_zones_lie_inside_of_their_boxes(tmp_path: Path) -> None:
    """A box of zones is drawn around the points of the zones it holds, and no others."""
    release = zoned(depth=6)
    table = written(release, tmp_path)
    cell = release.space.frames[0].cell
    assert cell is not None
    for i, (low, high) in enumerate(zip(release.boxes.low[:, :2], release.boxes.high[:, :2], strict=True)):
        held = ((cell >= low) & (cell < high)).all(axis=1)
        west, south, east, north = (
            table[f"start_{side}"][i].as_py() for side in ("west", "south", "east", "north")
        )
        drawn = ((west, south) <= PLACES).all(axis=1) & ((east, north) >= PLACES).all(axis=1)
        assert np.array_equal(held, drawn)


def test_stops_that_are_nowhere_make_a_plain_table(tmp_path: Path) -> None:
    """Rows and columns alone, and no claim to be a map."""
    table = written(bare(), tmp_path)
    assert b"geo" not in table.schema.metadata
    assert table.column_names[:4] == [
        "start_row_from",
        "start_row_to",
        "start_column_from",
        "start_column_to",
    ]
    assert table.num_columns == 3 * 4 + 4


def test_polygons_are_well_known_binary() -> None:
    """The bytes are those of the reference library."""
    shapely = pytest.importorskip("shapely")
    degrees = np.array([[1.0, 2.0, 3.0, 5.0], [-7.5, 0.0, 7.5, 1e-9]])
    boxes = [shapely.Polygon([(w, s), (e, s), (e, n), (w, n), (w, s)]) for w, s, e, n in degrees.tolist()]
    assert polygons(degrees).to_pylist() == [shapely.to_wkb(box, byte_order=1) for box in boxes]
