"""How the synthetic transit runs: lines between hubs, shuttles, and what they take in seconds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quietway.city.places import HUBS


@dataclass(frozen=True, kw_only=True)
class Line:
    """A bus line that calls at hubs (numbers into `HUBS`), in both directions."""

    name: str
    hubs: tuple[int, ...]
    headway_seconds: int = 300


@dataclass(frozen=True, kw_only=True)
class Service:
    """Speeds and waits; every figure is public and chosen, none is measured.

    Notation: a leg costs its expected wait, plus a boarding, plus the ride
    over streets that are `circuity` times longer than a straight line.
    """

    circuity: float = 1.35
    shuttle_kmh: float = 24.0
    bus_kmh: float = 30.0
    walk_kmh: float = 4.8
    longest_walk_km: float = 0.4
    shuttle_wait: float = 135.0
    boarding: float = 20.0

    def ride(self, kilometres: NDArray[np.float64], kmh: float) -> NDArray[np.float64]:
        """Seconds to cover a straight-line distance at a speed."""
        return kilometres * (self.circuity * 3600.0 / kmh)

    def shuttle(self, kilometres: NDArray[np.float64]) -> NDArray[np.float64]:
        """Seconds of a shuttle leg, wait and boarding included."""
        return self.ride(kilometres, self.shuttle_kmh) + (self.shuttle_wait + self.boarding)


LINES = (
    Line(name="Trunk", hubs=(5, 0, 2, 3)),
    Line(name="Plymouth branch", hubs=(3, 4)),
    Line(name="State branch", hubs=(1, 0)),
)


def bus_seconds(line: Line, kilometres: NDArray[np.float64], service: Service) -> NDArray[np.float64]:
    """Hub-to-hub seconds by one line, wait and boarding included; infinite where it does not call."""
    seconds = np.full((len(HUBS), len(HUBS)), np.inf)
    hops = service.ride(kilometres[list(line.hubs[:-1]), list(line.hubs[1:])], service.bus_kmh)
    along = np.concatenate(([0.0], np.cumsum(hops + service.boarding)))
    ride = np.abs(along[:, None] - along) + (line.headway_seconds / 2)
    np.fill_diagonal(ride, np.inf)
    seconds[np.ix_(line.hubs, line.hubs)] = ride
    return seconds
