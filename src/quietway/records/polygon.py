"""An axis of zones drawn as polygons."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from quietway.errors import ConfigError, DataError
from quietway.nearest import nearest
from quietway.records.column import Box, Column, Coordinates, Kind
from quietway.records.public_file import label_of, require_public_file
from quietway.universe import Axis

if TYPE_CHECKING:
    import ibis.expr.types as ir

_numbers = count()
WGS84 = "EPSG:4326"
PARQUET = (".parquet", ".geoparquet", ".pq")
ACCEPTED = "GeoJSON, GeoPackage or GeoParquet"


class Zones(NamedTuple):
    """Ids in the order of the file, and the polygons that make each up."""

    labels: tuple[str, ...]
    shapes: NDArray[Any]
    owners: NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class PolygonAxis:
    """Zones of a public GeoJSON, GeoPackage or GeoParquet file; trips hold coordinates.

    Polygons with the same id are one zone in pieces. A point on a border that
    zones share, or in an overlap, belongs to the zone listed first.
    """

    name: str
    file: Path
    id: str
    lon: str
    lat: str

    def __post_init__(self) -> None:
        require_public_file(self.name, self.file)

    @property
    def needs(self) -> tuple[Column, ...]:
        """The columns of the records that this axis reads."""
        return (Column(name=self.lon, kind=Kind.NUMBER), Column(name=self.lat, kind=Kind.NUMBER))

    @property
    def coordinates(self) -> Coordinates:
        """Where the records' coordinates are expected."""
        import shapely

        return Coordinates(
            lon=self.lon, lat=self.lat, box=Box(*shapely.total_bounds(self._zones.shapes).tolist())
        )

    def axis(self) -> Axis:
        """The public dimension."""
        labels = self._zones.labels
        return Axis(name=self.name, size=len(labels), labels=labels)

    def places(self) -> NDArray[np.float64]:
        """A point inside each zone: in its first piece."""
        import shapely

        first = np.unique(self._zones.owners, return_index=True)[1]
        return shapely.get_coordinates(shapely.point_on_surface(self._zones.shapes[first]))

    def locate(self, table: ir.Table, into: str) -> ir.Table:
        """The table with each row's position on this axis, null when outside."""
        import ibis

        @ibis.udf.scalar.pyarrow(
            name=f"zone_of_{next(_numbers)}", signature=(("float64", "float64"), "int64")
        )
        def zone_of(lon: Any, lat: Any) -> Any:
            import pyarrow as pa

            return pa.array(self.zone_of(lon.to_numpy(), lat.to_numpy()))

        zone: Any = zone_of(table[self.lon], table[self.lat])
        return table.mutate(**{into: zone.nullif(-1)})

    def zone_of(self, lon: NDArray[np.float64], lat: NDArray[np.float64]) -> NDArray[np.int64]:
        """The zone of each point, -1 where there is none."""
        import shapely

        points, pieces = self._tree.query(shapely.points(lon, lat), predicate="intersects")
        nowhere = len(self._zones.labels)
        zones = np.full(len(lon), nowhere, dtype=np.int64)
        np.minimum.at(zones, points, self._zones.owners[pieces])
        return np.where(zones == nowhere, -1, zones)

    @cached_property
    def _tree(self) -> Any:
        from shapely import STRtree

        return STRtree(self._zones.shapes)

    @cached_property
    def _zones(self) -> Zones:
        frame = _read(self.file)
        if self.id not in frame.columns:
            known = nearest(self.id, [str(name) for name in frame.columns])
            raise DataError(f"{self.file} has no column '{self.id}'{known}")
        shapes = np.asarray(frame.geometry.array)
        nameless = frame[self.id].isna().to_numpy() | (frame[self.id] == "").to_numpy()
        if nameless.any():
            first = int(np.argmax(nameless))
            raise DataError(f"{self.file}: feature {first} has no '{self.id}'; give every zone one")
        labels = [label_of(value) for value in frame[self.id].tolist()]
        _require_polygons(self.file, shapes)
        order = {label: i for i, label in enumerate(dict.fromkeys(labels))}
        return Zones(tuple(order), shapes, np.array([order[label] for label in labels], dtype=np.int64))


def _read(path: Path) -> Any:
    """The features of a geographic file, in degrees."""
    try:
        import geopandas
    except ImportError:
        raise ConfigError("zones drawn as polygons need geopandas; install quietway[geo]") from None
    parquet = path.suffix.lower() in PARQUET
    try:
        if parquet and not _is_geoparquet(path):
            raise _without_geometry(path)
        with catch_warnings():
            # Features that share an id are pieces of one zone here; the reader's own numbers for them are not used.
            simplefilter("ignore", RuntimeWarning)
            frame: Any = geopandas.read_parquet(path) if parquet else geopandas.read_file(path)
    except (ValueError, OSError, RuntimeError, KeyError) as error:
        raise DataError(f"{path} could not be read as {ACCEPTED}: {error}") from None
    if not isinstance(frame, geopandas.GeoDataFrame):
        raise _without_geometry(path)
    return frame if frame.crs is None else frame.to_crs(WGS84)


def _is_geoparquet(path: Path) -> bool:
    """Whether the file's schema says which column holds shapes."""
    from pyarrow.parquet import read_schema

    return b"geo" in (read_schema(path).metadata or {})


def _without_geometry(path: Path) -> DataError:
    return DataError(f"{path} has no geometry; zones are drawn as polygons in {ACCEPTED}")


def _require_polygons(path: Path, shapes: NDArray[Any]) -> None:
    import shapely

    if not len(shapes):
        raise DataError(f"{path} holds no zones; it needs at least one polygon")
    polygonal = np.isin(shapely.get_type_id(shapes), (3, 6)) & ~shapely.is_empty(shapes)
    if not polygonal.all():
        raise DataError(
            f"{path}: feature {int(np.argmin(polygonal))} is not a polygon; every zone must be drawn as one"
        )
