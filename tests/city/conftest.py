"""The city and its two days, made once; trips as numbers, read back from the public table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from quietway.city import DAYS, City, Day, DayName, build_city, trips


@dataclass(frozen=True, kw_only=True, eq=False)
class Recorded:
    """A day's trip table: riders, stop numbers, seconds since midnight."""

    day: Day
    rider: NDArray[np.str_]
    origin: NDArray[np.int64]
    destination: NDArray[np.int64]
    second: NDArray[np.int64]

    @property
    def period(self) -> NDArray[np.int64]:
        return self.second // 1800

    @property
    def cell(self) -> NDArray[np.int64]:
        return (self.origin * 130 + self.destination) * 48 + self.period


@pytest.fixture(scope="session")
def city() -> City:
    return build_city()


def _record(city: City, name: DayName) -> Recorded:
    columns = {column: np.asarray(values) for column, values in trips(city, name).to_pydict().items()}
    number = {stop: i for i, stop in enumerate(city.stops.ids)}
    midnight = np.datetime64(DAYS[name].date)
    since = columns["departed_at"].astype("datetime64[s]") - midnight
    return Recorded(
        day=DAYS[name],
        rider=columns["user_id"].astype(np.str_),
        origin=np.array([number[stop] for stop in columns["origin"]]),
        destination=np.array([number[stop] for stop in columns["destination"]]),
        second=since.astype(np.int64),
    )


@pytest.fixture(scope="session")
def weekday(city: City) -> Recorded:
    return _record(city, "weekday")


@pytest.fixture(scope="session")
def weekend(city: City) -> Recorded:
    return _record(city, "weekend")


@pytest.fixture(params=["weekday", "weekend"])
def recorded(request: pytest.FixtureRequest) -> Recorded:
    return request.getfixturevalue(request.param)
