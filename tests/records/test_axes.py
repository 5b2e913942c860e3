"""Where a trip falls on each kind of axis."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quietway.errors import ConfigError, DataError, QuietwayError, UniverseError
from quietway.records import CategoryAxis, GridAxis, PeriodAxis, PlacesAxis, PolygonAxis
from tests.records.conftest import Count, Write, cells, hours, modes

BOX: dict[str, Any] = {"west": -84.0, "south": 42.0, "east": -83.0, "north": 44.0, "rows": 4, "columns": 4}


def grid(**changes: Any) -> GridAxis:
    """Four rows of half a degree, four columns of a quarter."""
    return GridAxis(**{"name": "cell", "lon": "x", "lat": "y", **BOX, **changes})


def square(west: float, south: float, size: float = 1.0) -> list[list[list[float]]]:
    """The rings of a square."""
    east, north = west + size, south + size
    return [[[west, south], [east, south], [east, north], [west, north], [west, south]]]


def features(path: Path, *shapes: tuple[Any, str, Any]) -> Path:
    """A GeoJSON file of ids and geometries."""
    listed = [
        {"type": "Feature", "properties": {"id": name}, "geometry": {"type": kind, "coordinates": at}}
        for name, kind, at in shapes
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": listed}))
    return path


@pytest.fixture
def zones(tmp_path: Path) -> Path:
    """Two squares side by side, a third in two pieces, and a ring around a hole."""
    pieces = [square(0, 2), square(3, 2)]
    ring = [*square(10, 10, 3), *square(11, 11)]
    shapes = (("left", "Polygon", square(0, 0)), ("right", "Polygon", square(1, 0)))
    return features(
        tmp_path / "zones.geojson", *shapes, ("far", "MultiPolygon", pieces), ("ring", "Polygon", ring)
    )


def polygons(file: Path, **changes: Any) -> PolygonAxis:
    """The axis of such zones."""
    return PolygonAxis(**{"name": "zone", "file": file, "id": "id", "lon": "x", "lat": "y", **changes})


def test_a_grid_owns_its_west_and_south_borders(write: Write, count: Count) -> None:
    """A point on an inner border is in the cell to its east and north; the outer box is closed."""
    points = {(-84.0, 42.0): 0, (-83.25, 42.0): 3, (-84.0, 42.5): 4, (-83.0, 44.0): 15, (-83.0, 42.0): 3}
    for (x, y), cell in points.items():
        assert cells(count(write(x=[x], y=[y]), grid())) == {str(cell): 1}


@pytest.mark.parametrize(
    "point", [(-84.0000001, 43.0), (-82.9999999, 43.0), (-83.5, 41.9999999), (-83.5, 44.0000001)]
)
def test_a_point_beyond_the_grid_is_outside(write: Write, count: Count, point: tuple[float, float]) -> None:
    """No point is moved into a cell it is not in."""
    assert cells(count(write(x=[point[0], -83.9], y=[point[1], 42.1]), grid())) == {"0": 1}


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(points=st.lists(st.tuples(st.floats(-84, -83), st.floats(42, 44)), min_size=1, max_size=30))
def test_every_point_of_the_box_has_one_cell(
    write: Write, count: Count, points: list[tuple[float, float]]
) -> None:
    """Nothing inside is lost, and each centre is within half a cell of its points."""
    axis = grid()
    counts = count(write(x=[x for x, _ in points], y=[y for _, y in points]), axis)
    assert counts.values.sum() == len(points)
    nearest = (
        np.abs(np.array(points)[:, None, :] - axis.places()[counts.keys][None])
        <= np.array([0.125, 0.25]) + 1e-9
    )
    assert nearest.all(axis=2).any(axis=1).all()


def test_the_centre_of_a_cell_is_in_it(write: Write, count: Count) -> None:
    """Public places and the engine's positions agree on the order of cells."""
    centres = grid().places()
    counts = count(write(x=centres[:, 0], y=centres[:, 1]), grid())
    assert counts.keys.tolist() == list(range(16))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"east": -84.0}, "must exceed west|greater than west"),
        ({"north": 41.0}, "must exceed south|greater than south"),
        ({"rows": 0}, "rows is 0"),
        ({"columns": -1}, "columns is -1"),
        ({"west": float("nan")}, "finite"),
        (
            {"west": -200.0},
            r"axis 'cell': west is -200, which is no longitude; give degrees from -180 to 180",
        ),
        ({"east": 180.5}, r"east is 180\.5, which is no longitude"),
        ({"south": -91.0}, r"south is -91, which is no latitude; give degrees from -90 to 90"),
        ({"north": 142.0}, r"north is 142, which is no latitude"),
    ],
)
def test_a_grid_needs_a_width(changes: dict[str, Any], complaint: str) -> None:
    """A grid without extent or cells is refused at birth."""
    with pytest.raises(ConfigError, match=complaint):
        grid(**changes)


def test_points_fall_into_polygons(write: Write, count: Count, zones: Path) -> None:
    """Insides, both pieces of one zone, the ring but not its hole, and nowhere."""
    x = [0.5, 1.5, 0.5, 3.5, 10.5, 11.5, 7.0]
    y = [0.5, 0.5, 2.5, 2.5, 10.5, 11.5, 7.0]
    assert cells(count(write(x=x, y=y), polygons(zones))) == {"left": 1, "right": 1, "far": 2, "ring": 1}


def test_a_shared_border_belongs_to_the_first(write: Write, count: Count, zones: Path) -> None:
    """A point on a border of two zones is counted once, in the one listed first."""
    assert cells(count(write(x=[1.0, 1.0, 2.0], y=[0.5, 0.0, 1.0]), polygons(zones))) == {
        "left": 2,
        "right": 1,
    }


def test_many_points_agree_with_squares(write: Write, count: Count, zones: Path) -> None:
    """More points than one batch of the engine, against arithmetic."""
    x, y = np.random.default_rng(4).uniform(-0.5, 2.5, (2, 30_000))
    counts = count(write(x=x, y=y), polygons(zones))
    inside = (y > 0) & (y < 1)
    expected = [int((inside & (x > 0) & (x < 1)).sum()), int((inside & (x > 1) & (x < 2)).sum())]
    assert counts.values[:2].tolist() == expected


def test_two_polygon_axes_do_not_meet(write: Write, count: Count, zones: Path) -> None:
    """Origins and destinations are found in the same zones, each with its own columns."""
    ends = [polygons(zones, name=name, lon=f"{name}x", lat=f"{name}y") for name in ("from", "to")]
    source = write(fromx=[0.5], fromy=[0.5], tox=[1.5], toy=[0.5])
    assert cells(count(source, *ends)) == {"left right": 1}


@pytest.mark.parametrize("name", ["zones.gpkg", "zones.parquet"])
def test_geographic_formats_agree(write: Write, count: Count, zones: Path, name: str) -> None:
    """GeoPackage in metres and GeoParquet in degrees hold the same zones as GeoJSON."""
    import geopandas

    frame = geopandas.read_file(zones)
    other = zones.with_name(name)
    if name.endswith("gpkg"):
        frame.to_crs("EPSG:3857").to_file(other)
    else:
        frame.to_parquet(other)
    source = write("points.parquet", x=[0.5, 1.5, 11.5], y=[0.5, 0.5, 11.5])
    assert cells(count(source, polygons(other))) == cells(count(source, polygons(zones)))
    assert polygons(other).axis() == polygons(zones).axis()


def test_pieces_with_one_id_are_one_zone(write: Write, count: Count, tmp_path: Path) -> None:
    """Two features of the same id make one element; its place is inside it."""
    file = features(tmp_path / "z.geojson", (7, "Polygon", square(0, 0)), (7, "Polygon", square(5, 5)))
    axis = polygons(file)
    assert axis.axis().labels == ("7",)
    assert cells(count(write(x=[0.5, 5.5], y=[0.5, 5.5]), axis)) == {"7": 2}
    assert axis.places().tolist() == [[0.5, 0.5]]


def test_polygon_files_are_checked(tmp_path: Path, zones: Path) -> None:
    """Points, unknown columns, broken and missing files are refused by name."""
    points = features(tmp_path / "points.geojson", ("a", "Point", [0, 0]))
    broken = tmp_path / "broken.geojson"
    broken.write_text("{")
    for axis, complaint in (
        (lambda: polygons(points).axis(), "feature 0 is not a polygon"),
        (lambda: polygons(zones, id="ident").axis(), r"no column 'ident'; did you mean 'id'"),
        (lambda: polygons(broken).axis(), "broken.geojson could not be read"),
        (lambda: polygons(tmp_path / "absent.geojson"), "there is no file"),
    ):
        with pytest.raises(DataError, match=complaint):
            axis()


@pytest.mark.parametrize("name", ["zones.csv", "zones.parquet", "zones.gpkg"])
def test_a_table_without_shapes_draws_no_zones(tmp_path: Path, name: str) -> None:
    """A file of the right kind or not, without a geometry it is told what would have one."""
    import pyogrio

    file, rows = tmp_path / name, pa.table({"id": ["a"], "x": [1.5]})
    if name.endswith("csv"):
        file.write_text("id,x\na,1.5\n")
    elif name.endswith("parquet"):
        pa.parquet.write_table(rows, file)
    else:
        pyogrio.write_dataframe(rows.to_pandas(), file)
    with pytest.raises(DataError, match=r"has no geometry; .* GeoJSON, GeoPackage or GeoParquet") as caught:
        polygons(file).axis()
    assert str(file) in str(caught.value) and "pandas" not in str(caught.value).replace(str(file), "")


@pytest.mark.parametrize("ids", [("a", None), ("a", ""), (7, None)])
def test_a_zone_needs_a_name(tmp_path: Path, ids: tuple[Any, Any]) -> None:
    """A polygon whose id is missing or empty is refused by its place in the file."""
    drawn = ((name, "Polygon", square(5 * i, 0)) for i, name in enumerate(ids))
    file = features(tmp_path / "z.geojson", *drawn)
    with pytest.raises(DataError, match=r"z\.geojson: feature 1 has no 'id'; give every zone one"):
        polygons(file).axis()


def test_a_grid_may_span_the_globe() -> None:
    """The borders of the globe are degrees like others."""
    assert grid(west=-180, south=-90, east=180, north=90).box == (-180, -90, 180, 90)


def places(file: Path, **changes: Any) -> PlacesAxis:
    """Stations by id."""
    return PlacesAxis(**{"name": "station", "file": file, "id": "id", "column": "at", **changes})


def test_places_are_found_by_id(write: Write, count: Count, tmp_path: Path) -> None:
    """Ids are text, with their zeros; those not listed are outside."""
    file = tmp_path / "stations.csv"
    file.write_text("id,name\n007,a\n7,b\nX,c\n")
    source = write(at=["007", "007", "7", "x"])
    assert cells(count(source, places(file))) == {"007": 2, "7": 1}
    assert places(file).places() is None


def test_ids_in_csv_keep_their_zeros(count: Count, tmp_path: Path) -> None:
    """A column of digits is not turned into numbers on the way."""
    (tmp_path / "stations.csv").write_text("id\n007\n7\n")
    (tmp_path / "trips.csv").write_text("at\n007\n007\n7\n")
    assert cells(count(tmp_path / "trips.csv", places(tmp_path / "stations.csv"))) == {"007": 2, "7": 1}


def test_numeric_ids_match_their_text(write: Write, count: Count, tmp_path: Path) -> None:
    """Whole numbers in the records match the same digits in the list, from CSV or GeoJSON."""
    listed = tmp_path / "stations.csv"
    listed.write_text("id,lon,lat\n12,1.5,2.5\n30,3,4\n")
    drawn = features(tmp_path / "stations.geojson", (12, "Point", [1.5, 2.5]), (30.0, "Point", [3, 4]))
    source = write(at=pa.array([12, 30, 12, 99], pa.int32()))
    for axis in (places(listed, lon="lon", lat="lat"), places(drawn)):
        assert cells(count(source, axis)) == {"12": 2, "30": 1}
        assert axis.places().tolist() == [[1.5, 2.5], [3, 4]]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "changes", "complaint"),
    [
        ("id\na\n", {"id": "idd"}, "no column 'idd'; did you mean 'id'"),
        ("id\n", {}, "lists no places"),
        ("id\na\na\n", {}, "repeats the label 'a'"),
        ("id,lon,lat\na,1,95\n", {"lon": "lon", "lat": "lat"}, "column 'lat' must hold"),
        ("id,lon,lat\na,one,5\n", {"lon": "lon", "lat": "lat"}, "column 'lon' must hold"),
        ("id,lon\na,1\n", {"lon": "lon"}, "both lon and lat"),
        ("id,lon,lat\na,1,2\nb,1\n", {}, r"axis 'station' \(.*stations.csv\): row 3 has 2 columns"),
        ("id,zone\na,x\n,x\n", {}, "row 3 is empty in column 'id'"),
        ("id,lon,lat\na,,5\n", {"lon": "lon", "lat": "lat"}, "row 2 is empty in column 'lon'"),
    ],
)
def test_lists_of_places_are_checked(
    tmp_path: Path, text: str, changes: dict[str, Any], complaint: str
) -> None:
    """The complaint names the public file and what it should hold."""
    file = tmp_path / "stations.csv"
    file.write_text(text)
    with pytest.raises(QuietwayError, match=complaint):
        places(file, **changes).axis()


def test_a_list_of_places_in_another_encoding_is_told_as_such(tmp_path: Path) -> None:
    """What a spreadsheet saved in Latin-1 is a mistake with a remedy, not a defect."""
    file = tmp_path / "stations.csv"
    file.write_bytes("id\nGenève\n".encode("latin-1"))
    with pytest.raises(ConfigError, match=r"axis 'station' .*stations\.csv\): .* save it as UTF-8"):
        places(file).axis()


POINT = {"type": "Point", "coordinates": [1, 2]}


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ([], "not a GeoJSON FeatureCollection"),
        ({"type": "FeatureCollection"}, "not a GeoJSON FeatureCollection"),
        ({"features": None}, "'features' must be a list"),
        ({"features": []}, "lists no places"),
        ({"features": [None]}, "feature 1 has no property 'id'; there is none"),
        ({"features": [{"properties": None, "geometry": POINT}]}, "feature 1 has no property 'id'; there is"),
        ({"features": [{"geometry": POINT}]}, "feature 1 has no property 'id'; there is none"),
        ({"features": [{"properties": {"idd": 1}, "geometry": POINT}]}, "did you mean 'idd'"),
        ({"features": [{"properties": {"id": None}, "geometry": POINT}]}, "feature 1 has an empty 'id'"),
        ({"features": [{"properties": {"id": 1}}]}, "feature 1 is not a point"),
        ({"features": [{"properties": {"id": 1}, "geometry": None}]}, "feature 1 is not a point"),
        (
            {"features": [{"properties": {"id": 1}, "geometry": {"type": "Point"}}]},
            "feature 1 is not a point",
        ),
        ({"features": [{"properties": {"id": 1}, "geometry": {**POINT, "coordinates": [1]}}]}, "not a point"),
        (
            {"features": [{"properties": {"id": 1}, "geometry": {**POINT, "coordinates": [None, 1]}}]},
            "column 'longitude' must hold",
        ),
        (
            {"features": [{"properties": {"id": 1}, "geometry": {**POINT, "type": "Polygon"}}]},
            "polygons have a kind of their own",
        ),
    ],
)
def test_points_of_geojson_are_checked(tmp_path: Path, document: Any, complaint: str) -> None:
    """Whatever part of a feature is missing or null, the complaint names the file and the feature."""
    file = tmp_path / "stations.geojson"
    file.write_text(json.dumps(document))
    with pytest.raises(DataError, match=f"stations.geojson.*{complaint}"):
        places(file).axis()


def test_geojson_in_another_encoding_is_refused(tmp_path: Path) -> None:
    """GeoJSON is UTF-8."""
    file = tmp_path / "stations.geojson"
    file.write_bytes('{"features": ["é"]}'.encode("latin-1"))
    with pytest.raises(DataError, match="in UTF-8"):
        places(file).axis()


def test_a_window_keeps_its_own_periods(write: Write, count: Count) -> None:
    """From start up to, but without, end."""
    axis = hours(start="07:30", end="09:30", minutes=30)
    assert axis.axis().labels == ("07:30", "08:00", "08:30", "09:00") and axis.axis().ordered
    times = [f"2024-05-17 {time}" for time in ("07:29:59", "07:30:00", "09:29:59.999999", "09:30:00")]
    assert cells(count(write(time=times), axis)) == {"07:30": 1, "09:00": 1}


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"minutes": 0}, "divide"),
        ({"minutes": 7}, "divide"),
        ({"minutes": 60, "start": "00:30"}, "does not divide the window"),
        ({"start": "10:00", "end": "09:00"}, "must come after"),
        ({"start": "25:00"}, "start is '25:00'"),
        ({"end": "8"}, "end is '8'"),
        ({"end": "08:61"}, "end is '08:61'"),
        ({"timezone": "Paris"}, "not in the IANA list"),
    ],
)
def test_periods_fill_their_window(changes: dict[str, Any], complaint: str) -> None:
    """A period that does not fit the window or the day is refused at birth."""
    with pytest.raises(ConfigError, match=complaint):
        hours(**changes)


def test_categories_are_listed(write: Write, count: Count) -> None:
    """Values match as text: words, numbers and truths alike."""
    assert cells(count(write(mode=[1, 2, 3]), modes("1", "3"))) == {"1": 1, "3": 1}
    assert cells(count(write(mode=[True, False, True]), modes("true", "false"))) == {"true": 2, "false": 1}
    with pytest.raises(ConfigError, match="lists no values"):
        CategoryAxis(name="mode", column="mode", values=())
    with pytest.raises(UniverseError, match="repeats"):
        modes("bus", "bus")


def test_axes_without_places_have_none() -> None:
    """Periods and categories are nowhere."""
    assert hours().places() is None and modes().places() is None
    assert isinstance(hours(), PeriodAxis) and hours().coordinates is None
