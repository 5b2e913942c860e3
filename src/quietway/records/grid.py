"""An axis of cells of a regular grid."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quietway.errors import ConfigError
from quietway.records.column import Box, Column, Coordinates, Kind
from quietway.universe import Axis

if TYPE_CHECKING:
    import ibis.expr.types as ir


@dataclass(frozen=True, kw_only=True)
class GridAxis:
    """A box of degrees cut into rows from south to north and columns from west to east.

    Element `row * columns + column`. A cell owns its west and south borders;
    the outermost east and north borders belong to the last column and row.
    """

    name: str
    west: float
    south: float
    east: float
    north: float
    rows: int
    columns: int
    lon: str
    lat: str

    def __post_init__(self) -> None:
        if not all(isfinite(degree) for degree in self.box):
            raise ConfigError(f"axis '{self.name}': west, south, east and north must be finite degrees")
        for keys, limit in ((("west", "east"), 180), (("south", "north"), 90)):
            for key in keys:
                _require_degrees(self.name, key, getattr(self, key), limit)
        if self.east <= self.west:
            raise ConfigError(f"axis '{self.name}': east {self.east} must be greater than west {self.west}")
        if self.north <= self.south:
            raise ConfigError(
                f"axis '{self.name}': north {self.north} must be greater than south {self.south}"
            )
        for key, number in (("rows", self.rows), ("columns", self.columns)):
            if number < 1:
                raise ConfigError(f"axis '{self.name}': {key} is {number}; it must be 1 or more")

    @property
    def box(self) -> Box:
        """The whole grid."""
        return Box(self.west, self.south, self.east, self.north)

    @property
    def needs(self) -> tuple[Column, ...]:
        """The columns of the records that this axis reads."""
        return (Column(name=self.lon, kind=Kind.NUMBER), Column(name=self.lat, kind=Kind.NUMBER))

    @property
    def coordinates(self) -> Coordinates:
        """Where the records' coordinates are expected."""
        return Coordinates(lon=self.lon, lat=self.lat, box=self.box)

    def axis(self) -> Axis:
        """The public dimension; an element's label is its number."""
        return Axis(name=self.name, size=self.rows * self.columns)

    def places(self) -> NDArray[np.float64]:
        """The centre of each cell."""
        lon = self.west + (np.arange(self.columns) + 0.5) * (self.east - self.west) / self.columns
        lat = self.south + (np.arange(self.rows) + 0.5) * (self.north - self.south) / self.rows
        return np.column_stack([np.tile(lon, self.rows), np.repeat(lat, self.columns)])

    def locate(self, table: ir.Table, into: str) -> ir.Table:
        """The table with each row's position on this axis, null when outside."""
        import ibis

        lon: Any = table[self.lon]
        lat: Any = table[self.lat]
        column = _step(lon, self.west, self.east, self.columns)
        row = _step(lat, self.south, self.north, self.rows)
        inside = lon.between(self.west, self.east) & lat.between(self.south, self.north)
        return table.mutate(**{into: ibis.ifelse(inside, row * self.columns + column, ibis.null("int64"))})


def _require_degrees(axis: str, key: str, degrees: float, limit: int) -> None:
    if abs(degrees) > limit:
        what = "longitude" if limit == 180 else "latitude"
        raise ConfigError(
            f"axis '{axis}': {key} is {degrees:g}, which is no {what}; give degrees from -{limit} to {limit}"
        )


def _step(degrees: Any, start: float, end: float, steps: int) -> Any:
    """Which of the equal steps; clipped, because `end` belongs to the last and rounding may reach it.

    Both sides of the minimum are integers: engines would compare an integer
    and a decimal number in slow exact decimals. The cast may fail, as rows
    are not yet known to be sound.
    """
    import ibis

    @ibis.udf.scalar.builtin(name="floor", signature=(("float64",), "float64"))
    def floor(value: Any) -> Any: ...

    step: Any = floor((degrees - start) / ((end - start) / steps))
    return ibis.least(step.try_cast("int64"), ibis.literal(steps - 1, "int64"))
