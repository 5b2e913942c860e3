"""An axis of places known by their ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quietway.errors import ConfigError, DataError
from quietway.public_csv import public_rows
from quietway.records.column import Column, Kind
from quietway.records.lookup import look_up
from quietway.records.public_file import GEOJSON, degrees, read_points, require_public_file
from quietway.universe import Axis

if TYPE_CHECKING:
    import ibis.expr.types as ir


@dataclass(frozen=True, kw_only=True)
class PlacesAxis:
    """Places listed in a public CSV file, or as points in a GeoJSON file; trips hold their ids."""

    name: str
    file: Path
    id: str
    column: str
    lon: str | None = None
    lat: str | None = None

    def __post_init__(self) -> None:
        if (self.lon is None) != (self.lat is None):
            raise ConfigError(f"axis '{self.name}': give both lon and lat, or neither")
        require_public_file(self.name, self.file)

    @property
    def needs(self) -> tuple[Column, ...]:
        """The columns of the records that this axis reads."""
        return (Column(name=self.column, kind=Kind.LABEL),)

    @property
    def coordinates(self) -> None:
        """Trips name these places; they do not hold coordinates."""

    def axis(self) -> Axis:
        """The public dimension."""
        labels = self._listed[0]
        return Axis(name=self.name, size=len(labels), labels=labels)

    def places(self) -> NDArray[np.float64] | None:
        """Longitude and latitude of each place, where the file has them."""
        return self._listed[1]

    def locate(self, table: ir.Table, into: str) -> ir.Table:
        """The table with each row's position on this axis, null when outside."""
        return look_up(table, self.column, self._listed[0], into)

    @cached_property
    def _listed(self) -> tuple[tuple[str, ...], NDArray[np.float64] | None]:
        listed = self._points() if self.file.suffix.lower() in GEOJSON else self._rows()
        if not listed[0]:
            raise DataError(f"{self.file} lists no places; axis '{self.name}' needs at least one")
        return listed

    def _rows(self) -> tuple[tuple[str, ...], NDArray[np.float64] | None]:
        located = (self.lon, self.lat) if self.lon and self.lat else ()
        rows = list(public_rows(self.file, (self.id, *located), role=f"axis '{self.name}'"))
        labels = tuple(row[0] for row in rows)
        if not located:
            return labels, None
        return labels, self._degrees([row[1] for row in rows], [row[2] for row in rows], *located)

    def _points(self) -> tuple[tuple[str, ...], NDArray[np.float64]]:
        points = read_points(self.file, self.id)
        labels, lon, lat = (tuple(point[i] for point in points) for i in range(3))
        return labels, self._degrees(lon, lat, "longitude", "latitude")

    def _degrees(
        self, lon: Sequence[str], lat: Sequence[str], lon_name: str, lat_name: str
    ) -> NDArray[np.float64]:
        return np.column_stack(
            [degrees(self.file, lon_name, lon, 180), degrees(self.file, lat_name, lat, 90)]
        )
