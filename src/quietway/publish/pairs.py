"""Published trips summed by origin and destination, largest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quietway.errors import UniverseError
from quietway.universe.universe import Universe

if TYPE_CHECKING:
    from quietway.publish.release import Release

Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Pairs:
    """Origins, destinations (indices on their axes) and the trips between them, largest first."""

    origin: str
    destination: str
    origins: Ints
    destinations: Ints
    trips: Ints

    def __len__(self) -> int:
        return self.trips.size


def pairs(release: Release, *, origin: str, destination: str) -> Pairs:
    """Sum the published cells over every other axis; equal flows stand in the order of their places."""
    universe = release.universe
    require_two_axes(universe, origin, destination)
    coordinates = universe.coordinates(release.keys)
    width = universe.axis(destination).size
    pair = coordinates[universe.position(origin)] * width + coordinates[universe.position(destination)]
    keys, trips = summed(pair, release.counts)
    largest = np.lexsort((keys, -trips))
    origins, destinations = np.divmod(keys[largest], width)
    return Pairs(
        origin=origin,
        destination=destination,
        origins=origins,
        destinations=destinations,
        trips=trips[largest],
    )


def summed(keys: Ints, values: Ints) -> tuple[Ints, Ints]:
    """Distinct keys, sorted, and the exact sum of the values of each."""
    if not keys.size:
        return keys, values
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    first = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))
    return keys[first], np.add.reduceat(values, first)


def require_two_axes(universe: Universe, origin: str, destination: str) -> None:
    """Refuse an axis that does not exist, or the same one twice."""
    if universe.position(origin) == universe.position(destination):
        raise UniverseError(f"origin and destination are both axis '{origin}'; name two different axes")
