"""The days of the example's riders as paths: where each was at the start, at noon, and at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quietway.city.city import City
from quietway.city.days import DAYS, DayName
from quietway.city.trip_table import trips

if TYPE_CHECKING:
    import pyarrow as pa

STOPS = ("start", "noon", "end")


def paths(city: City, day: DayName) -> pa.Table:
    """user_id, start, noon and end: a row per rider who travelled that day.

    The day starts where the first trip does and ends where the last one does;
    at noon a rider is where the last trip before twelve led, or at the start.
    """
    import pyarrow as pa

    table = trips(city, day).sort_by([("user_id", "ascending"), ("departed_at", "ascending")])
    rider, origin, destination = (_names(table, name) for name in ("user_id", "origin", "destination"))
    first = np.flatnonzero(np.append(True, rider[1:] != rider[:-1]))
    last = np.append(first[1:], rider.size) - 1
    early = _until_noon(table, day, first, last)
    noon = np.where(early > 0, destination[np.maximum(first + early - 1, 0)], origin[first])
    columns = (rider[first], origin[first], noon, destination[last])
    return pa.table(dict(zip(("user_id", *STOPS), map(pa.array, columns), strict=True)))


def _names(table: pa.Table, column: str) -> NDArray[np.str_]:
    return np.asarray(table[column]).astype(np.str_)


def _until_noon(
    table: pa.Table, day: DayName, first: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How many trips of each rider depart before noon."""
    early = np.asarray(table["departed_at"]) < np.datetime64(DAYS[day].date, "us") + np.timedelta64(12, "h")
    before = np.concatenate([[0], np.cumsum(early)])
    return before[last + 1] - before[first]
