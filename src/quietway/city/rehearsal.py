"""Invented trips over any universe, for rehearsals: made from public structure and public guesses alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quietway.city.draws import Draws
from quietway.city.habits import Habits
from quietway.errors import InputError

if TYPE_CHECKING:
    from quietway.universe import Universe

# Trips are drawn so many at a time: memory follows this, not the guess.
_BATCH = 2**18


@dataclass(frozen=True, kw_only=True)
class Guess:
    """What the steward believes of the trips, without looking: how many, and how many each person makes."""

    trips: int
    trips_per_user: float = 2.0

    def __post_init__(self) -> None:
        if self.trips < 0:
            raise InputError("the guessed number of trips is negative; give 0 or more")
        if not 1.0 <= self.trips_per_user < float("inf"):
            raise InputError("the guessed trips per user must be a finite number, 1 or more")


def synthetic_trips(
    universe: Universe,
    *,
    trips: int,
    trips_per_user: float = 2.0,
    places: Mapping[str, NDArray[np.float64]] | None = None,
    seed: int = 0,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cell keys (sorted) and trip counts of plausible shape, the same for the same arguments.

    People have habits: a user's trips go there and back between the same
    places, later in the day each time. Places with coordinates (`places`: axis
    name to longitude and latitude per element) attract by gravity; axes whose
    labels are times of day follow a usual day; anything else follows Zipf's law.
    No records are read, and the universe is never listed.
    """
    universe.require_keys()
    guess = Guess(trips=trips, trips_per_user=trips_per_user)
    habits = Habits.over(universe, places or {})
    parts = [
        _count(universe.keys(habits.draw(users, Draws(seed, i)))) for i, users in enumerate(_batches(guess))
    ]
    return _merge(parts)


def _batches(guess: Guess) -> Iterator[NDArray[np.int64]]:
    """User numbers of consecutive trips, counted from 0 within each batch."""
    for start in range(0, guess.trips, _BATCH):
        trip = np.arange(start, min(start + _BATCH, guess.trips))
        users = np.floor(trip / guess.trips_per_user).astype(np.int64)
        yield users - users[0]


def _count(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    cells, values = np.unique(keys, return_counts=True)
    return cells, values.astype(np.int64)


def _merge(
    parts: list[tuple[NDArray[np.int64], NDArray[np.int64]]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    none = np.zeros(0, dtype=np.int64)
    keys = np.concatenate([none, *(cells for cells, _ in parts)])
    values = np.concatenate([none, *(counts for _, counts in parts)])
    cells, cell = np.unique(keys, return_inverse=True)
    totals = np.zeros(cells.size, dtype=np.int64)
    np.add.at(totals, cell, values)
    return cells, totals
