"""The trips of one example day, one row each, as an operator would have recorded them."""

from __future__ import annotations

from datetime import date
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quietway.city.chains import Journeys, link_into_days
from quietway.city.city import SEED, City
from quietway.city.days import DAYS, PERIOD_SECONDS, Day, DayName
from quietway.city.demand import draw_demand
from quietway.city.draws import Draws
from quietway.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

# Riders known to the operator; the same people may ride on both days.
_RIDERS = 30_000


def trips(city: City, day: DayName) -> pa.Table:
    """A table of user_id, origin, destination and departed_at (wall clock, no zone), in no order."""
    if day not in DAYS:
        raise InputError(f"there is no example day '{day}'; choose {' or '.join(DAYS)}")
    return _table(city, DAYS[day])


def _table(city: City, day: Day) -> pa.Table:
    draws = Draws(SEED, day.seed, 1)
    journeys = _draw_journeys(city, day, draws)
    rider = draws.order(_RIDERS)[link_into_days(journeys, draws)]
    return _as_arrow(city, day.date, journeys, rider, draws.order(rider.size))


def _draw_journeys(city: City, day: Day, draws: Draws) -> Journeys:
    demand = draw_demand(city, day)
    origin, destination, period = (
        np.repeat(column, demand.trips) for column in (demand.origin, demand.destination, demand.period)
    )
    starts = period * PERIOD_SECONDS + draws.below(PERIOD_SECONDS, period.size)
    ends = starts + city.seconds[origin, destination]
    return Journeys(origin=origin, destination=destination, starts=starts, ends=ends)


def _as_arrow(
    city: City, on: date, journeys: Journeys, rider: NDArray[np.int64], order: NDArray[np.int64]
) -> pa.Table:
    import pyarrow as pa

    names = pa.array(city.stops.ids)
    midnight = np.datetime64(on, "us")
    return pa.table(
        {
            "user_id": pa.array(_rider_names()).take(pa.array(rider[order])),
            "origin": names.take(pa.array(journeys.origin[order])),
            "destination": names.take(pa.array(journeys.destination[order])),
            "departed_at": pa.array(midnight + journeys.starts[order].astype("timedelta64[s]")),
        }
    )


@cache
def _rider_names() -> list[str]:
    return [f"R{number:05d}" for number in range(_RIDERS)]
