"""The recorded trips: exact targets, plausible people, and the same bytes everywhere."""

from __future__ import annotations

import hashlib
import io
from typing import TYPE_CHECKING

import numpy as np
import pytest
from pyarrow import csv

from quietway.city import City, build_city, trips
from quietway.errors import InputError

if TYPE_CHECKING:
    from tests.city.conftest import Recorded

FINGERPRINTS = {
    "weekday": "32ccf79e2eebf79eefb1ed25486a8207cbf9dd0e3b937b26ed4d48405cc4b614",
    "weekend": "bc1ee9d73fdc6a7cc3d14c7595038a76cb7b4618e6d7a929561440d82529f751",
}


def _peak(recorded: Recorded) -> np.ndarray:
    return (recorded.second >= 8 * 3600) & (recorded.second < 10 * 3600)


def test_weekday_meets_the_papers_numbers(weekday: Recorded) -> None:
    """37,714 trips; 4,878 of them from 08:00 to 10:00, in 591 cells."""
    assert weekday.rider.size == 37_714
    assert _peak(weekday).sum() == 4_878
    assert np.unique(weekday.cell[_peak(weekday)]).size == 591


def test_weekend_meets_its_calibrated_numbers(weekend: Recorded) -> None:
    """11,700 trips; 1,500 of them from 08:00 to 10:00, in 280 cells."""
    assert weekend.rider.size == 11_700
    assert _peak(weekend).sum() == 1_500
    assert np.unique(weekend.cell[_peak(weekend)]).size == 280


def test_every_trip_goes_somewhere_on_its_day(recorded: Recorded) -> None:
    """Departures lie within the day, in all 48 half hours, and no trip ends where it starts."""
    assert recorded.second.min() >= 0
    assert recorded.second.max() < 86_400
    assert np.unique(recorded.period).size == 48
    assert (recorded.origin != recorded.destination).all()


def test_departures_are_exact_to_the_second(recorded: Recorded) -> None:
    """Seconds within the half hour are spread over all of it, not rounded."""
    within = recorded.second % 1800
    assert np.unique(within).size > 1700
    assert within.mean() == pytest.approx(900, abs=20)


def test_mornings_flow_to_the_centre_and_evenings_back(city: City, weekday: Recorded) -> None:
    """From 8 to 10 most trips go from North and South to Central and Medical; later they return."""
    outside = np.isin(city.stops.zone, (2, 3))
    inward = outside[weekday.origin] & ~outside[weekday.destination]
    outward = ~outside[weekday.origin] & outside[weekday.destination]
    evening = (weekday.second >= 16.5 * 3600) & (weekday.second < 18.5 * 3600)
    assert inward[_peak(weekday)].mean() > 0.6 > 0.3 > outward[_peak(weekday)].mean()
    assert outward[evening].mean() > 0.6 > 0.3 > inward[evening].mean()


def test_nights_are_quiet_and_cells_follow_volume(recorded: Recorded) -> None:
    """Few travel between 2 and 4; busier half hours use more cells, less than proportionally."""
    trips_in = np.bincount(recorded.period, minlength=48)
    cells_in = np.bincount(np.unique(recorded.cell) % 48, minlength=48)
    assert trips_in[4:8].sum() < 0.02 * trips_in.sum()
    busy = trips_in > 50
    slope = np.polyfit(np.log(trips_in[busy]), np.log(cells_in[busy]), 1)[0]
    assert slope == pytest.approx(0.85, abs=0.03)


def test_most_riders_make_two_trips_and_none_more_than_eight(recorded: Recorded) -> None:
    """Two is the commonest number of trips; a few riders make five and more, nobody over eight."""
    each = np.unique(recorded.rider, return_counts=True)[1]
    riders_with = np.bincount(each, minlength=9)
    assert riders_with.argmax() == 2
    assert riders_with[2] / each.size > 0.45
    assert riders_with[5:].sum() > 0
    assert each.max() <= 8


def test_no_rider_is_in_two_places_at_once(city: City, recorded: Recorded) -> None:
    """Successive trips of a rider start where the last ended, and not before it did."""
    order = np.lexsort((recorded.second, recorded.rider))
    origin, destination = recorded.origin[order], recorded.destination[order]
    arrives = recorded.second[order] + city.seconds[origin, destination]
    same = recorded.rider[order][1:] == recorded.rider[order][:-1]
    assert same.sum() > 0.3 * same.size
    assert (recorded.second[order][1:] >= arrives[:-1])[same].all()
    assert (origin[1:] == destination[:-1])[same].all()


def test_many_riders_return_the_way_they_came(recorded: Recorded) -> None:
    """Most riders of two trips go there and back."""
    order = np.lexsort((recorded.second, recorded.rider))
    origin, destination = recorded.origin[order], recorded.destination[order]
    same = recorded.rider[order][1:] == recorded.rider[order][:-1]
    back = (origin[:-1] == destination[1:]) & (destination[:-1] == origin[1:])
    assert back[same].mean() > 0.6


def test_some_people_ride_on_both_days(weekday: Recorded, weekend: Recorded) -> None:
    """The two days share riders, so releases of both compose."""
    both = np.intersect1d(weekday.rider, weekend.rider)
    assert 0 < both.size < np.unique(weekend.rider).size


def test_rows_are_shuffled(recorded: Recorded) -> None:
    """The order of rows says nothing about time or rider."""
    place = np.arange(recorded.second.size)
    assert abs(np.corrcoef(place, recorded.second)[0, 1]) < 0.03
    assert abs(np.corrcoef(place, np.unique(recorded.rider, return_inverse=True)[1])[0, 1]) < 0.03


@pytest.mark.parametrize("day", ["weekday", "weekend"])
def test_trips_are_the_same_everywhere(day: str) -> None:
    """The table has a known fingerprint, in a fresh city too."""
    text = io.BytesIO()
    csv.write_csv(trips(build_city.__wrapped__(), day), text)
    assert hashlib.sha256(text.getvalue()).hexdigest() == FINGERPRINTS[day]


def test_unknown_days_are_refused(city: City) -> None:
    """The message names the days there are."""
    with pytest.raises(InputError, match="choose weekday or weekend"):
        trips(city, "sunday")


def test_the_city_cannot_be_changed(city: City) -> None:
    """The remembered city's arrays are read-only."""
    with pytest.raises(ValueError, match="read-only"):
        city.modes[0, 0] = 3
