"""How many trips each origin, destination and half hour has: exact where the day demands it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quietway.city.apportion import integer_weights
from quietway.city.city import SEED, City
from quietway.city.days import PERIODS, Day
from quietway.city.draws import Draws
from quietway.city.modes import hub_stops

# Pairs of stops between which anyone travels at all; the rest stay empty, as in real networks.
_POOL = 360

# How people travel between zones (Central, Medical, North, South) in the
# morning: out of dormitories and park-and-rides, into lecture halls and wards.
_MORNING = np.array(
    [
        [0.15, 0.50, 0.30, 0.15],
        [0.35, 0.05, 0.20, 0.15],
        [1.00, 0.75, 0.25, 0.15],
        [0.90, 0.70, 0.25, 0.05],
    ]
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Demand:
    """Non-empty cells: stop numbers, the half hour, and how many trips."""

    origin: NDArray[np.int64]
    destination: NDArray[np.int64]
    period: NDArray[np.int64]
    trips: NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Pool:
    """Pairs in use, each in both directions; `busy` is shared by the two."""

    origin: NDArray[np.int64]
    destination: NDArray[np.int64]
    gravity: NDArray[np.float64]
    busy: NDArray[np.float64]
    morning: NDArray[np.float64]
    evening: NDArray[np.float64]

    def pull(self, morning: float) -> NDArray[np.float64]:
        """How strongly each pair draws when so much of the travel goes the morning way."""
        return morning * self.morning + (1.0 - morning) * self.evening


def draw_demand(city: City, day: Day) -> Demand:
    """Cells for a day; every period holds exactly its number of cells and of trips."""
    draws = Draws(SEED, day.seed, 0)
    pool = _draw_pool(city)
    trips, cells = day.trips_by_period(), day.cells_by_period()
    # Forty-eight periods, each drawn as a whole.
    parts = [_draw_period(pool, day.morning[t], int(cells[t]), int(trips[t]), draws) for t in range(PERIODS)]
    chosen = np.concatenate([pairs for pairs, _ in parts])
    return Demand(
        origin=pool.origin[chosen],
        destination=pool.destination[chosen],
        period=np.repeat(np.arange(PERIODS), cells),
        trips=np.concatenate([counts for _, counts in parts]),
    )


def _draw_period(
    pool: _Pool, morning: float, cells: int, trips: int, draws: Draws
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    pull = pool.pull(morning)
    pairs = draws.pick_distinct(integer_weights(pool.gravity * pull), cells)
    weights = pool.busy[pairs] * pull[pairs] * draws.lognormal(0.3, cells)
    extra = draws.pick(integer_weights(weights), trips - cells)
    return pairs, 1 + np.bincount(extra, minlength=cells)


def _draw_pool(city: City) -> _Pool:
    """The pairs in use: the same on both days, since they are the same people's city."""
    draws = Draws(SEED, 0, 1)
    gravity = _gravity(city, draws)
    zone = city.stops.zone
    morning = _MORNING[zone[:, None], zone]
    a, b = np.triu_indices(city.stops.size, k=1)
    chosen = draws.pick_distinct(integer_weights(gravity[a, b] * (morning + morning.T)[a, b]), _POOL)
    origin, destination = np.concatenate((a[chosen], b[chosen])), np.concatenate((b[chosen], a[chosen]))
    return _Pool(
        origin=origin,
        destination=destination,
        gravity=gravity[origin, destination],
        busy=np.tile(draws.lognormal(0.6, _POOL), 2),
        morning=morning[origin, destination],
        evening=morning[destination, origin],
    )


def _gravity(city: City, draws: Draws) -> NDArray[np.float64]:
    """Popularity of both ends, less where one would walk and less far away."""
    weight = _popularity(city, draws)
    squared = city.stops.kilometres() ** 2
    return weight[:, None] * weight * squared / (squared + 0.36) / (1.0 + squared / 9.0)


def _popularity(city: City, draws: Draws) -> NDArray[np.float64]:
    """Rank to the power -0.6 in a random order; a hub has three tenths of what the first stop has."""
    rank = draws.order(city.stops.size) + 1
    weight = rank.astype(np.float64) ** -0.6
    weight[hub_stops(city.stops)] = 0.3
    return weight
