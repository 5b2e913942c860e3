"""How each axis of a universe is described, and what they have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from quietway.records.category import CategoryAxis
from quietway.records.column import Column, Coordinates
from quietway.records.grid import GridAxis
from quietway.records.period import PeriodAxis
from quietway.records.places import PlacesAxis
from quietway.records.polygon import PolygonAxis
from quietway.universe import Axis

if TYPE_CHECKING:
    import ibis.expr.types as ir

__all__ = ["CategoryAxis", "GridAxis", "PeriodAxis", "PlacesAxis", "PolygonAxis", "TripAxis"]


class TripAxis(Protocol):
    """A public dimension, and how a trip finds its position on it."""

    @property
    def name(self) -> str:
        """The axis' name in the universe."""
        ...

    @property
    def needs(self) -> tuple[Column, ...]:
        """The columns of the records that this axis reads."""
        ...

    @property
    def coordinates(self) -> Coordinates | None:
        """Where the records' coordinates are expected, for axes that read them."""
        ...

    def axis(self) -> Axis:
        """The public dimension."""
        ...

    def places(self) -> NDArray[np.float64] | None:
        """Longitude and latitude of each element, for axes that have them."""
        ...

    def locate(self, table: ir.Table, into: str) -> ir.Table:
        """The table with each row's position on this axis, null when outside; no row lost or doubled."""
        ...
