"""The stops: six real hubs, and invented stops scattered around four real campuses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from quietway.city.draws import Draws

# Lengths of one degree at 42.28 north, as constants: a cosine would differ in
# its last bit between machines, and everything below hangs on these numbers.
KM_PER_LON = 82.36
KM_PER_LAT = 111.08

_MOST_DARTS = 4096


@dataclass(frozen=True, kw_only=True)
class Zone:
    """A campus: stops fall inside an ellipse with half-axes in kilometres."""

    name: str
    letter: str
    stops: int
    lon: float
    lat: float
    east: float
    north: float


@dataclass(frozen=True, kw_only=True)
class Hub:
    """A stop where buses call; shuttles of every zone listed reach it."""

    name: str
    lon: float
    lat: float
    zone: int
    reached_from: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Stops:
    """One row per stop; zones are numbers into `ZONES`, hubs stand first in their zone."""

    ids: tuple[str, ...]
    lon: NDArray[np.float64]
    lat: NDArray[np.float64]
    zone: NDArray[np.int8]
    hub: NDArray[np.bool_]

    @property
    def size(self) -> int:
        """How many stops there are."""
        return len(self.ids)

    def kilometres(self) -> NDArray[np.float64]:
        """Straight-line distances between all pairs."""
        east = (self.lon[:, None] - self.lon) * KM_PER_LON
        north = (self.lat[:, None] - self.lat) * KM_PER_LAT
        return np.sqrt(east * east + north * north)


CENTRAL, MEDICAL, NORTH, SOUTH = range(4)

ZONES = (
    Zone(name="Central", letter="C", stops=45, lon=-83.7375, lat=42.2765, east=0.85, north=0.90),
    Zone(name="Medical", letter="M", stops=20, lon=-83.7280, lat=42.2840, east=0.60, north=0.45),
    Zone(name="North", letter="N", stops=40, lon=-83.7140, lat=42.2945, east=1.25, north=0.90),
    Zone(name="South", letter="S", stops=25, lon=-83.7440, lat=42.2590, east=0.90, north=0.95),
)

HUBS = (
    Hub(name="Central Campus Transit Center", lon=-83.7351, lat=42.2780, zone=CENTRAL, reached_from=(0, 1)),
    Hub(name="State and Hoover", lon=-83.7406, lat=42.2695, zone=CENTRAL, reached_from=(0, 3)),
    Hub(name="University Hospital", lon=-83.7270, lat=42.2838, zone=MEDICAL, reached_from=(1,)),
    Hub(name="Pierpont Commons", lon=-83.7181, lat=42.2904, zone=NORTH, reached_from=(2,)),
    Hub(name="Plymouth and Huron Parkway", lon=-83.7045, lat=42.3008, zone=NORTH, reached_from=(2,)),
    Hub(name="Stadium and Crisler", lon=-83.7458, lat=42.2641, zone=SOUTH, reached_from=(3,)),
)

LEAST_APART_KM = 0.13


def scatter_stops(draws: Draws) -> Stops:
    """Hubs where they are, the other stops spread at least `LEAST_APART_KM` apart."""
    points = [(hub.lon, hub.lat) for hub in HUBS]
    zones = [hub.zone for hub in HUBS]
    for number, zone in enumerate(ZONES):
        for _ in range(zone.stops - zones.count(number)):
            points.append(_next_stop(number, np.array(points), draws))
            zones.append(number)
    return _in_zone_order(np.array(points), np.array(zones, dtype=np.int8))


def _next_stop(zone: int, taken: NDArray[np.float64], draws: Draws) -> tuple[float, float]:
    for dart in map(partial(_dart, zone), draws.uniform(2 * _MOST_DARTS).reshape(-1, 2)):
        if _own_zone(dart) == zone and _apart(dart, taken) >= LEAST_APART_KM:
            return float(dart[0]), float(dart[1])
    raise AssertionError(f"no room left in zone {ZONES[zone].name}")


def _dart(zone: int, uniform: NDArray[np.float64]) -> NDArray[np.float64]:
    at = ZONES[zone]
    east, north = (2.0 * uniform - 1.0) * (at.east, at.north)
    point = np.array([at.lon + east / KM_PER_LON, at.lat + north / KM_PER_LAT], dtype=np.float64)
    return point.round(6)


def _own_zone(dart: NDArray[np.float64]) -> int | None:
    """The zone whose ellipse holds the point most centrally, so that zones never mix."""
    reach = [_reach(dart, zone) for zone in ZONES]
    nearest = int(np.argmin(reach))
    return nearest if reach[nearest] <= 1.0 else None


def _reach(dart: NDArray[np.float64], zone: Zone) -> float:
    east = (dart[0] - zone.lon) * KM_PER_LON / zone.east
    north = (dart[1] - zone.lat) * KM_PER_LAT / zone.north
    return float(east * east + north * north)


def _apart(dart: NDArray[np.float64], taken: NDArray[np.float64]) -> float:
    east, north = ((taken - dart) * (KM_PER_LON, KM_PER_LAT)).T
    return float(np.sqrt(east * east + north * north).min())


def _in_zone_order(points: NDArray[np.float64], zones: NDArray[np.int8]) -> Stops:
    order = np.argsort(zones, kind="stable")
    ids = tuple(f"{zone.letter}{i:02d}" for zone in ZONES for i in range(1, zone.stops + 1))
    lon, lat = points[order].T.copy()
    return Stops(ids=ids, lon=lon, lat=lat, zone=zones[order], hub=order < len(HUBS))
