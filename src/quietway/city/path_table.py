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
    rider = table["user_id"].combine_chunks().dictionary_encode()
    number = np.asarray(rider.indices)
    first = np.flatnonzero(np.diff(number, prepend=-1))
    last = np.append(first[1:], number.size) - 1
    return pa.table(
        {
            "user_id": rider.dictionary.take(pa.array(number[first])),
            "start": table["origin"].take(first),
            "noon": _at_noon(table, _until_noon(table, day, first, last), first),
            "end": table["destination"].take(last),
        }
    )


def _until_noon(
    table: pa.Table, day: DayName, first: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How many trips of each rider depart before noon."""
    early = np.asarray(table["departed_at"]) < np.datetime64(DAYS[day].date, "us") + np.timedelta64(12, "h")
    before = np.concatenate([[0], np.cumsum(early)])
    return before[last + 1] - before[first]


def _at_noon(table: pa.Table, early: NDArray[np.int64], first: NDArray[np.int64]) -> pa.Array:
    """Where the last early trip led; without one, where the day starts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    led = table["destination"].take(np.maximum(first + early - 1, 0)).combine_chunks()
    start = table["origin"].take(first).combine_chunks()
    return pc.if_else(pa.array(early > 0), led, start)
