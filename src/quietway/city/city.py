"""The example city: public structure only, the same on every machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from quietway.city.draws import Draws
from quietway.city.modes import MODES, assign_modes
from quietway.city.places import HUBS, ZONES, Hub, Stops, Zone, scatter_stops
from quietway.city.service import LINES, Line, Service

SEED = 20180710
TIME_ZONE = "America/Detroit"


@dataclass(frozen=True, kw_only=True, eq=False)
class City:
    """A synthetic city laid out like Ann Arbor, Michigan. Its stops and its trips are invented.

    `modes[o, d]` numbers into `mode_names`; `seconds[o, d]` is the time from
    door to door by that mode.
    """

    stops: Stops
    modes: NDArray[np.int8]
    seconds: NDArray[np.int64]
    mode_names: tuple[str, ...] = MODES
    zones: tuple[Zone, ...] = ZONES
    hubs: tuple[Hub, ...] = HUBS
    lines: tuple[Line, ...] = LINES

    @property
    def places(self) -> NDArray[np.float64]:
        """Longitude and latitude of each stop."""
        return np.column_stack((self.stops.lon, self.stops.lat))


@cache
def build_city() -> City:
    """The city; made once, then remembered (its arrays are read-only)."""
    stops = scatter_stops(Draws(SEED, 0))
    modes, seconds = assign_modes(stops, Service())
    for array in (stops.lon, stops.lat, stops.zone, stops.hub, modes, seconds):
        array.flags.writeable = False
    return City(stops=stops, modes=modes, seconds=seconds)
