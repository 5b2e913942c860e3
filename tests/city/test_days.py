"""What is asked of the days adds up before any trip is drawn."""

from __future__ import annotations

import numpy as np
import pytest

from quietway.city import DAYS, DayName
from quietway.city.days import PEAK


@pytest.mark.parametrize("name", ["weekday", "weekend"])
def test_targets_add_up(name: DayName) -> None:
    """Trips and cells per half hour sum to the day's exact numbers, with at least a trip in each cell."""
    day = DAYS[name]
    trips, cells = day.trips_by_period(), day.cells_by_period()
    assert trips.sum() == day.trips
    assert trips[PEAK].sum() == day.peak_trips
    assert cells[PEAK].sum() == day.peak_cells
    assert (cells >= 1).all()
    assert (cells <= trips).all()


def test_days_are_a_wednesday_and_a_saturday_of_one_week() -> None:
    """The dates carry the weekdays their names promise."""
    assert DAYS["weekday"].date.strftime("%a %Y-%m-%d") == "Wed 2017-09-13"
    assert DAYS["weekend"].date.strftime("%a %Y-%m-%d") == "Sat 2017-09-16"


def test_mornings_turn_into_evenings() -> None:
    """The share of travel that goes the way of the morning falls, from all to none on a weekday."""
    for day in DAYS.values():
        assert (np.diff(day.morning) <= 0).all()
    assert DAYS["weekday"].morning[[16, 40]].tolist() == [1.0, 0.0]
