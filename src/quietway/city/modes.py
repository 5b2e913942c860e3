"""Which combination of vehicles serves each origin and destination: a public function of the pair.

A letter is a vehicle boarded: S a shuttle, B a bus. Shuttles stay inside one
zone, or carry between it and a hub they reach; among all ways with at most two
buses, the one of least generalised cost (waits, boardings and rides, in
seconds) is taken. So a mode is a feature that partitions trips.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quietway.city.places import HUBS, Stops
from quietway.city.service import LINES, Service, bus_seconds

MODES = ("stay", "walk", "S", "S-S", "B", "B-B", "S-B", "S-B-B", "B-S", "B-B-S", "S-B-S", "S-B-B-S")
SHUTTLE_LEGS = np.array([mode.count("S") for mode in MODES], dtype=np.int64)


def assign_modes(stops: Stops, service: Service) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """The mode of every pair (a number into `MODES`) and the seconds from door to door."""
    kilometres = stops.kilometres()
    shuttle = _shuttle(stops, kilometres, service)
    walk = service.ride(kilometres, service.walk_kmh)
    ways = [_same_stop(stops), np.where(kilometres <= service.longest_walk_km, walk, np.inf), shuttle]
    ways += _through_hubs(stops, shuttle, kilometres, service)
    # Whole seconds, so that the choice does not hang on a last bit; ties go to the simpler mode.
    seconds = np.ceil(np.stack(ways))
    walkable = np.isfinite(seconds[1])
    seconds[2:, walkable] = np.inf
    modes = np.argmin(seconds, axis=0)
    return modes.astype(np.int8), np.min(seconds, axis=0).astype(np.int64)


def _same_stop(stops: Stops) -> NDArray[np.float64]:
    return np.where(np.eye(stops.size, dtype=np.bool_), 0.0, np.inf)


def _shuttle(stops: Stops, kilometres: NDArray[np.float64], service: Service) -> NDArray[np.float64]:
    """Seconds of one shuttle ride; infinite where no shuttle may go."""
    allowed = stops.zone[:, None] == stops.zone
    to_hub = _reaches(stops)
    allowed[:, hub_stops(stops)] |= to_hub
    allowed[hub_stops(stops), :] |= to_hub.T
    np.fill_diagonal(allowed, False)
    return np.where(allowed, service.shuttle(kilometres), np.inf)


def hub_stops(stops: Stops) -> NDArray[np.int64]:
    """The stop number of each hub, in the order of `HUBS`."""
    numbers = np.flatnonzero(stops.hub)
    # Stops are sorted by zone and keep the order of HUBS inside one, as HUBS itself is sorted.
    assert [hub.zone for hub in HUBS] == stops.zone[numbers].tolist()
    return numbers.astype(np.int64)


def _reaches(stops: Stops) -> NDArray[np.bool_]:
    return np.stack([np.isin(stops.zone, hub.reached_from) for hub in HUBS], axis=1)


def _through_hubs(
    stops: Stops, shuttle: NDArray[np.float64], kilometres: NDArray[np.float64], service: Service
) -> list[NDArray[np.float64]]:
    """Ways in the order of `MODES` from S-S on."""
    hubs = hub_stops(stops)
    one = np.stack([bus_seconds(line, kilometres[np.ix_(hubs, hubs)], service) for line in LINES])
    two = _two_buses(one)
    direct = one.min(axis=0)
    here = np.where(np.arange(stops.size)[:, None] == hubs, 0.0, np.inf)
    ride = shuttle[:, hubs]
    ways = [_join(ride, ride.T)]
    for egress in (here.T, ride.T):
        for access in (here, ride):
            ways += [_join(_join(access, bus), egress) for bus in (direct, two)]
    return ways


def _two_buses(one: NDArray[np.float64]) -> NDArray[np.float64]:
    changes = [_join(a, b) for i, a in enumerate(one) for j, b in enumerate(one) if i != j]
    two = np.min(changes, axis=0)
    np.fill_diagonal(two, np.inf)
    return two


def _join(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Least seconds of one leg and then another, over where they meet."""
    return (first[:, :, None] + second).min(axis=1)
