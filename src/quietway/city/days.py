"""What is asked of the two example days: how many trips, when, and how concentrated."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from quietway.city.apportion import apportion

DayName = Literal["weekday", "weekend"]

PERIODS = 48
PERIOD_SECONDS = 1800
PEAK = slice(16, 20)  # 08:00 to 10:00

# Trips fall on fewer cells than their number: cells grow as volume to this power.
_CELLS_POWER = 0.85


@dataclass(frozen=True, kw_only=True)
class Day:
    """The numbers a day must meet exactly, and the shape it should have.

    `profile` is relative, one value per half hour. `morning` is, per half hour,
    the share of travel that goes the way of the morning rush.
    """

    name: DayName
    date: date
    trips: int
    peak_trips: int
    peak_cells: int
    profile: tuple[int, ...]
    morning: NDArray[np.float64]
    seed: int

    def trips_by_period(self) -> NDArray[np.int64]:
        """Trips that depart in each half hour; the peak and the day add up exactly."""
        volume = np.array(self.profile, dtype=np.float64)
        trips = np.zeros(PERIODS, dtype=np.int64)
        trips[PEAK] = apportion(self.peak_trips, volume[PEAK])
        rest = np.delete(np.arange(PERIODS), PEAK)
        trips[rest] = apportion(self.trips - self.peak_trips, volume[rest])
        return trips

    def cells_by_period(self) -> NDArray[np.int64]:
        """Origin-destination pairs in use in each half hour; the peak adds up exactly."""
        trips = self.trips_by_period()
        spread = trips.astype(np.float64) ** _CELLS_POWER
        cells = np.rint(spread * (self.peak_cells / spread[PEAK].sum())).astype(np.int64)
        cells[PEAK] = apportion(self.peak_cells, spread[PEAK])
        return np.minimum(np.maximum(cells, 1), trips)


def _morning(first: float, last: float, until: float, after: float) -> NDArray[np.float64]:
    """From `first` until one hour, sliding to `last` after another."""
    hours = (np.arange(PERIODS) + 0.5) / 2
    return first + (last - first) * np.clip((hours - until) / (after - until), 0.0, 1.0)


_WEEKDAY = (
    *(60, 40, 30, 20, 10, 5, 5, 5, 5, 10, 30, 60, 120, 220, 380, 620),
    *(1180, 1290, 1250, 1158, 1080, 1060, 1040, 1080, 1120, 1100, 1060, 1080, 1090, 1120, 1180, 1260),
    *(1340, 1420, 1450, 1360, 1150, 960, 800, 680, 600, 540, 500, 460, 400, 340, 260, 180),
)
_WEEKEND = (
    *(170, 150, 130, 100, 60, 40, 20, 10, 10, 10, 15, 20, 30, 50, 90, 150),
    *(310, 370, 400, 420, 400, 390, 390, 400, 410, 410, 410, 400, 400, 400, 390, 390),
    *(380, 380, 370, 360, 350, 330, 310, 290, 270, 250, 240, 230, 220, 210, 200, 190),
)

DAYS: dict[DayName, Day] = {
    "weekday": Day(
        name="weekday",
        date=date(2017, 9, 13),
        trips=37_714,
        peak_trips=4_878,
        peak_cells=591,
        profile=_WEEKDAY,
        morning=_morning(1.0, 0.0, 10.0, 16.5),
        seed=1,
    ),
    "weekend": Day(
        name="weekend",
        date=date(2017, 9, 16),
        trips=11_700,
        peak_trips=1_500,
        peak_cells=280,
        profile=_WEEKEND,
        morning=_morning(0.7, 0.3, 11.0, 17.0),
        seed=2,
    ),
}
