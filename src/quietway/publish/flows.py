"""Flows as GeoJSON lines, for any map."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quietway.errors import OutputError
from quietway.publish.arrow import arrow
from quietway.publish.pairs import Pairs, pairs, summed
from quietway.publish.tables import metadata
from quietway.universe.axis import Axis
from quietway.universe.ends import period_axis

if TYPE_CHECKING:
    from quietway.publish.release import Release

FLOWS_AT_ONCE = 20_000
DECIMALS = 6


def write_geojson(
    release: Release,
    path: Path,
    *,
    origin: str = "origin",
    destination: str = "destination",
    period: str | None = None,
    largest: int | None = None,
) -> None:
    """A line from origin to destination for every published flow, largest first.

    Properties: `origin`, `destination`, `trips` and, where an axis tells when
    (`period`, or the universe's only other ordered axis), `periods`: the trips
    of each period that has any. Trips that stay in one place are points; a flow
    to or from nowhere known has no geometry. `largest` keeps that many flows.
    """
    require_places(release, origin, destination)
    flows = pairs(release, origin=origin, destination=destination)
    kept = len(flows) if largest is None else min(largest, len(flows))
    when = period or period_axis(release.universe, origin, destination)
    writer = _Writer(release, flows, _by_period(release, flows, when) if when else None)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        head = {"type": "FeatureCollection", "name": release.name, **metadata(release)}
        file.write(json.dumps(head, ensure_ascii=False)[:-1] + ', "features": [')
        for start in range(0, kept, FLOWS_AT_ONCE):
            lines = writer.features(slice(start, min(start + FLOWS_AT_ONCE, kept)))
            file.write((",\n" if start else "\n") + ",\n".join(lines))
        file.write("\n]}\n")


def require_places(release: Release, *axes: str) -> None:
    """Refuse to draw places that nobody located."""
    for name in axes:
        release.universe.axis(name)
        if name not in release.places:
            raise OutputError(
                f"nothing says where the elements of axis '{name}' are, so they cannot be drawn; "
                "give the axis a file of zones with coordinates, or leave GeoJSON out"
            )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Periods:
    """Trips by flow and period: flow i owns entries starts[i] to starts[i + 1]."""

    axis: Axis
    starts: NDArray[np.int64]
    index: NDArray[np.int64]
    trips: NDArray[np.int64]


def _by_period(release: Release, flows: Pairs, period: str) -> _Periods:
    universe = release.universe
    axis, coordinates = universe.axis(period), universe.coordinates(release.keys)
    width = universe.axis(flows.destination).size
    pair = (
        coordinates[universe.position(flows.origin)] * width
        + coordinates[universe.position(flows.destination)]
    )
    ranked = flows.origins * width + flows.destinations
    by_pair = np.argsort(ranked)
    rank = by_pair[np.searchsorted(ranked[by_pair], pair)]
    cells, trips = summed(rank * axis.size + coordinates[universe.position(period)], release.counts)
    owner, index = np.divmod(cells, axis.size)
    starts = np.searchsorted(owner, np.arange(len(flows) + 1))
    return _Periods(axis=axis, starts=starts, index=index, trips=trips)


class _Writer:
    """Builds features as text, column by column: no step of it visits one flow at a time."""

    def __init__(self, release: Release, flows: Pairs, periods: _Periods | None) -> None:
        self.flows, self.periods = flows, periods
        self.origin = _Places(release, flows.origin)
        self.destination = _Places(release, flows.destination)
        self.keys = None if periods is None else _strings([f"{label}: " for label in _labels(periods.axis)])

    def features(self, rows: slice) -> list[str]:
        """One line of JSON per flow."""
        start, end = self.flows.origins[rows], self.flows.destinations[rows]
        parts = [
            '{"type": "Feature", "properties": {"origin": ',
            self.origin.labels.take(start),
            ', "destination": ',
            self.destination.labels.take(end),
            ', "trips": ',
            _text(self.flows.trips[rows]),
            *self._periods(rows),
            '}, "geometry": ',
            self._geometry(start, end),
            "}",
        ]
        return _joined(parts).to_pylist()

    def _periods(self, rows: slice) -> list[Any]:
        if self.periods is None or self.keys is None:
            return []
        pa, pc = arrow(), arrow("compute")
        starts = self.periods.starts[rows.start : rows.stop + 1]
        cells = slice(int(starts[0]), int(starts[-1]))
        entries = _joined([self.keys.take(self.periods.index[cells]), _text(self.periods.trips[cells])])
        lists = pa.ListArray.from_arrays((starts - starts[0]).astype(np.int32), entries)
        return [', "periods": {', pc.binary_join(lists, ", "), "}"]

    def _geometry(self, start: NDArray[np.int64], end: NDArray[np.int64]) -> Any:
        pc = arrow("compute")
        near, far = self.origin.points.take(start), self.destination.points.take(end)
        line = _joined(['{"type": "LineString", "coordinates": [', near, ", ", far, "]}"])
        point = _joined(['{"type": "Point", "coordinates": ', near, "}"])
        return pc.fill_null(pc.if_else(pc.equal(near, far), point, line), "null")


class _Places:
    """Labels and positions of an axis as JSON text; no position where the coordinates are not numbers."""

    def __init__(self, release: Release, axis: str) -> None:
        pa = arrow()
        self.labels = _strings(_labels(release.universe.axis(axis)))
        rounded = np.round(np.asarray(release.places[axis], dtype=np.float64), DECIMALS) + 0.0
        self.points = pa.array([_position(lon, lat) for lon, lat in rounded.tolist()], pa.string())


def _position(lon: float, lat: float) -> str | None:
    return f"[{lon!r}, {lat!r}]" if isfinite(lon + lat) else None


def _labels(axis: Axis) -> Iterator[str]:
    return (json.dumps(axis.label(i), ensure_ascii=False) for i in range(axis.size))


def _strings(values: Any) -> Any:
    pa = arrow()
    return pa.array(list(values), pa.string())


def _text(values: NDArray[np.int64]) -> Any:
    pa, pc = arrow(), arrow("compute")
    return pc.cast(pa.array(values), pa.string())


def _joined(parts: list[Any]) -> Any:
    pc = arrow("compute")
    return pc.binary_join_element_wise(*parts, "")
