"""Paths whose stops stand in one row."""

from __future__ import annotations

import pytest

from quietway.errors import DataError
from tests.paths.conftest import Tours

HEADER = "rider,lon0,lat0,lon1,lat1\n"


def test_a_row_is_a_path(tours: Tours) -> None:
    """Rows run from south to north, columns from west to east; the outer borders belong to the last cells."""
    tours.write(HEADER + "a,0,0,10,4\na,3.9,1.5,4,2\n")
    assert tours.points() == [[0, 0, 3, 4], [1, 1, 2, 2]]


def test_a_stop_outside_is_refused_by_name(tours: Tours) -> None:
    """The complaint names file, columns and stop, and neither values nor numbers of paths."""
    tours.write(HEADER + "a,1,1,11.75,2\na,1,1,2,2\n")
    with pytest.raises(
        DataError, match="columns 'lon1' and 'lat1' place a path's stop 'end' outside"
    ) as caught:
        tours.points()
    assert "11.75" not in str(caught.value)


def test_a_path_with_a_stop_outside_is_dropped_whole(tours: Tours) -> None:
    """No half of a path is counted."""
    tours.edit('path = "tours.csv"', 'path = "tours.csv"\noutside = "drop"')
    tours.write(HEADER + "a,1,1,11.75,2\na,1,1,2,2\n")
    assert tours.points() == [[1, 0, 2, 1]]


def test_a_user_keeps_so_many_rows(tours: Tours) -> None:
    """Rows of one user are drawn from, whatever the others have."""
    tours.edit('protects = "trip"', 'protects = "user"\nuser = "rider"\nmax_trips = 3')
    tours.write(HEADER + "a,1,1,2,2\n" * 9 + "b,5,1,2,2\n" * 2)
    assert tours.points() == [[1, 0, 2, 1]] * 3 + [[1, 2, 2, 1]] * 2


def test_a_users_day_keeps_so_many_rows(tours: Tours) -> None:
    """Days are parted by the local midnight of the file's zone."""
    tours.edit('protects = "trip"', 'protects = "user-day"\nuser = "rider"\nmax_trips = 2\ntime = "at"')
    tours.edit('rows = "paths"', 'rows = "paths"\ntimezone = "Europe/Paris"\nclock = "utc"')
    times = ["17 20:00", "17 21:59", "17 21:30", "17 22:00", "18 21:00", "18 21:59"]
    rows = "".join(f"a,1,1,2,2,2024-05-{time}:00\n" for time in times)
    tours.write("rider,lon0,lat0,lon1,lat1,at\n" + rows)
    assert len(tours.points()) == 4
