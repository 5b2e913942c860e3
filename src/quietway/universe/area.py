"""Where one stop may be asked for: a rectangle of its frame, or any set of its places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from quietway.errors import UniverseError
from quietway.universe.frame import Floats, Frame, Ints

EARTH_METRES = 6_371_008.8
Pair = tuple[int, int]


@dataclass(frozen=True, kw_only=True, eq=False)
class Area:
    """Places of one frame: all of those in low <= (row, column) < high, or so many of each cell as `places` says."""

    frame: Frame
    low: Pair
    high: Pair
    places: Ints | None = None

    @classmethod
    def everywhere(cls, frame: Frame) -> Area:
        """All of it."""
        return cls(frame=frame, low=(0, 0), high=frame.shape)

    @classmethod
    def rectangle(cls, frame: Frame, rows: Pair, columns: Pair) -> Area:
        """The rows and columns from the first of each pair up to, and without, the second."""
        for name, (start, stop), size in zip(("rows", "columns"), (rows, columns), frame.shape, strict=True):
            if not 0 <= start < stop <= size:
                raise UniverseError(
                    f"{name} {start}..{stop} do not fit a frame of {size} {name}; give 0 <= start < stop <= {size}"
                )
        return cls(frame=frame, low=(rows[0], columns[0]), high=(rows[1], columns[1]))

    @classmethod
    def bounds(cls, frame: Frame, west: float, south: float, east: float, north: float) -> Area:
        """The cells whose centre, or the zones whose point, lies between these degrees, edges included."""
        _require_degrees(west, east, south, north)
        if west > east or south > north:
            raise UniverseError(
                f"the box from {west}, {south} to {east}, {north} is inverted; give west <= east and south <= north"
            )
        longitude, latitude = _degrees(frame)
        inside = (longitude >= west) & (longitude <= east) & (latitude >= south) & (latitude <= north)
        return cls._of(frame, inside, f"the box from {west}, {south} to {east}, {north}")

    @classmethod
    def circle(cls, frame: Frame, longitude: float, latitude: float, metres: float) -> Area:
        """The cells whose centre, or the zones whose point, lies within so many metres, on a sphere."""
        _require_degrees(longitude, longitude, latitude, latitude)
        if not (isfinite(metres) and metres > 0):
            raise UniverseError(f"a circle of {metres} metres holds nothing; give a radius above 0")
        apart = _metres(*_degrees(frame), longitude, latitude)
        return cls._of(frame, apart <= metres, f"the circle of {metres:g} m around {longitude}, {latitude}")

    @classmethod
    def zones(cls, frame: Frame, labels: Sequence[str]) -> Area:
        """Zones by their labels; one named twice counts once."""
        if frame.cell is None:
            raise UniverseError("this stop has no zones; ask for rows and columns, a box or a circle")
        if isinstance(labels, str) or not labels:
            raise UniverseError("give a list of at least one zone")
        inside = np.zeros(len(frame.labels), dtype=np.bool_)
        inside[[frame.index(label) for label in labels]] = True
        return cls._of(frame, inside, "the list of zones")

    @classmethod
    def cells(cls, frame: Frame, mask: NDArray[np.bool_]) -> Area:
        """The places in the cells that a mask of rows x columns marks."""
        if mask.shape != frame.shape:
            raise UniverseError(
                f"the mask has {' x '.join(map(str, mask.shape))} cells, but the frame {frame.rows} x {frame.columns}"
            )
        held = mask.astype(np.int64) if frame.weight is None else np.where(mask, frame.weight, 0)
        return cls._trimmed(frame, held, "the mask")

    @classmethod
    def _of(cls, frame: Frame, inside: NDArray[np.bool_], name: str) -> Area:
        """From a mark for every cell (rows x columns), or for every zone."""
        if frame.cell is None:
            return cls._trimmed(frame, inside.astype(np.int64), name)
        held = np.zeros(frame.shape, dtype=np.int64)
        np.add.at(held, tuple(frame.cell[inside].T), 1)
        return cls._trimmed(frame, held, name)

    @classmethod
    def _trimmed(cls, frame: Frame, held: Ints, name: str) -> Area:
        rows, columns = (np.flatnonzero(held.any(axis=other)) for other in (1, 0))
        if not len(rows):
            raise UniverseError(f"{name} holds no place of this stop{_extent(frame)}")
        low, high = (int(rows[0]), int(columns[0])), (int(rows[-1]) + 1, int(columns[-1]) + 1)
        window = slice(low[0], high[0]), slice(low[1], high[1])
        every = 1 if frame.weight is None else frame.weight[window]
        full = bool((held[window] == every).all())
        return cls(frame=frame, low=low, high=high, places=None if full else held)

    @property
    def everything(self) -> bool:
        """Whether it leaves nothing out."""
        return self.places is None and self.low == (0, 0) and self.high == self.frame.shape

    @property
    def chosen(self) -> Ints:
        """How many places of each cell it holds."""
        if self.places is not None:
            return self.places
        held = np.zeros(self.frame.shape, dtype=np.int64)
        window = slice(self.low[0], self.high[0]), slice(self.low[1], self.high[1])
        held[window] = 1 if self.frame.weight is None else self.frame.weight[window]
        return held


def prefix_sums(table: NDArray[np.int64] | Floats) -> Floats:
    """What lies before each corner: one row and one column more than the table, from 0."""
    sums = np.zeros((table.shape[0] + 1, table.shape[1] + 1))
    np.cumsum(table, axis=0, out=sums[1:, 1:], dtype=np.float64)
    np.cumsum(sums[1:, 1:], axis=1, out=sums[1:, 1:])
    return sums


def _degrees(frame: Frame) -> tuple[Floats, Floats]:
    """Longitudes and latitudes of cells' centres, as a row and a column, or of zones' points."""
    if frame.points is not None:
        return frame.points[:, 0], frame.points[:, 1]
    if frame.bounds is None:
        raise UniverseError("this stop has no coordinates; ask for rows and columns instead")
    west, south, east, north = frame.bounds
    longitude = west + (np.arange(frame.columns) + 0.5) * (east - west) / frame.columns
    latitude = south + (np.arange(frame.rows) + 0.5) * (north - south) / frame.rows
    return longitude[None, :], latitude[:, None]


def _metres(longitude: Floats, latitude: Floats, east: float, north: float) -> Floats:
    """Along a great circle (haversine)."""
    across, up = np.radians(longitude - east) / 2, np.radians(latitude - north) / 2
    shrunk = np.cos(np.radians(latitude)) * np.cos(np.radians(north))
    return (
        2 * EARTH_METRES * np.arcsin(np.sqrt(np.minimum(1.0, np.sin(up) ** 2 + shrunk * np.sin(across) ** 2)))
    )


def _require_degrees(west: float, east: float, south: float, north: float) -> None:
    if not all(isfinite(x) and abs(x) <= 180 for x in (west, east)) or not all(
        isfinite(y) and abs(y) <= 90 for y in (south, north)
    ):
        raise UniverseError(
            "give longitudes from -180 to 180 and latitudes from -90 to 90, in degrees, longitude first"
        )


def _extent(frame: Frame) -> str:
    if frame.bounds is None:
        return ""
    west, south, east, north = frame.bounds
    high, wide = (north - south) / frame.rows, (east - west) / frame.columns
    return (
        f", which reaches from {west}, {south} to {east}, {north} in cells of {wide:.2g} x {high:.2g} degrees; "
        "move it inside (longitude comes first), or make it large enough to hold a cell's centre"
    )
