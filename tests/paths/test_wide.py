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
