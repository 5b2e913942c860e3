"""Records that cannot be read as paths: refused before anything is spent, or left out by a rule that was given."""

from __future__ import annotations

import pytest

from quietway.errors import DataError
from tests.paths.conftest import Tours
from tests.paths.test_spec import AT, DAY, FRAMES, SIGHTINGS, STOPS, WIDE

HEADER = "rider,tour,number,lon,lat\n"
SOUND = "a,1,1,1,1\na,1,2,2,2\n"


@pytest.fixture
def long(tours: Tours) -> Tours:
    """Rows that are stops."""
    tours.edit(WIDE, STOPS)
    tours.edit(AT, 'lon = "lon"\nlat = "lat"')
    tours.edit('protects = "trip"', 'protects = "user"\nuser = "rider"\nmax_trips = 9')
    return tours


def refusal(tours: Tours) -> str:
    """What is said, the file's own name left out."""
    with pytest.raises(DataError) as caught:
        tours.points()
    return caught.value.message.replace(str(tours.folder / "tours.csv"), "FILE")


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("a,2,1,1,1\n", "FILE: a path has fewer stops than the 2 that are asked for; ask for fewer, or set "),
        ("a,2,1,1,1\na,2,2,1,1\na,2,3,1,1\n", "FILE: a path has more stops than the 2 that are asked for"),
        ("a,2,1,1,1\na,2,1,2,2\n", "FILE: two stops of a path have the same number or time"),
        ("a,2,1,1,1\na,2,1.0,2,2\n", "FILE: two stops of a path have the same number or time"),
        ("a,2,1,1,1\na,2,2,11,1\n", "FILE: columns 'lon' and 'lat' place a path's stop 'end' outside"),
        ("a,2,1,1,9\na,2,2,1,1\n", "FILE: columns 'lon' and 'lat' place a path's stop 'start' outside"),
        ("a,2,1,1,\na,2,2,1,1\n", "FILE: column 'lat' has empty values"),
        ("a,2,1,1,nan\na,2,2,1,1\n", "FILE: column 'lat' has empty values"),
        ("a,2,one,1,1\na,2,2,1,1\n", "FILE: column 'number' has values of the wrong type"),
        ("a,2,nan,1,1\na,2,2,1,1\n", "FILE: column 'number' has empty values"),
        ("a,2,,1,1\na,2,2,1,1\n", "FILE: column 'number' has empty values"),
        ("a,,1,1,1\na,,2,1,1\n", "FILE: column 'tour' has empty values"),
        (",2,1,1,1\n,2,2,1,1\n", "FILE: column 'rider' has empty values"),
        ("a,2,1,1,100\na,2,2,1,1\n", "FILE: column 'lat' has coordinates outside -90 to 90 degrees"),
    ],
)
@pytest.mark.parametrize("outside", ["refuse", "drop"])
def test_what_is_wrong_with_a_row_is_refused(long: Tours, rows: str, says: str, outside: str) -> None:
    """Each complaint names file and column; only what lies outside may be dropped by `outside`."""
    long.edit('path = "tours.csv"', f'path = "tours.csv"\noutside = "{outside}"')
    long.write(HEADER + SOUND + rows)
    if outside == "drop" and "outside" in says and "degrees" not in says:
        assert long.points() == [[1, 0, 2, 1]]
    else:
        assert says in refusal(long)


def test_a_fault_beyond_the_limit_is_found(long: Tours) -> None:
    """A user's other paths hide nothing, wherever the draw falls."""
    long.edit("max_trips = 9", "max_trips = 1")
    paths = "".join(f"a,{i},1,1,1\na,{i},2,2,2\n" for i in range(300))
    for fault, says in (
        ("a,x,1,1,\n", "empty"),
        ("a,x,1,1,1\n", "fewer"),
        ("a,x,1,77,1\na,x,2,1,1", "outside"),
    ):
        long.write(HEADER + paths + fault)
        assert says in refusal(long)


def test_exchanged_coordinates_are_told(long: Tours) -> None:
    """Where hardly a stop is where it should be, and most would be the other way round."""
    long.edit("east = 10", "east = 110")
    long.edit("west = 0", "west = 100")
    long.write(HEADER + "".join(f"a,{i},{n},1,8{i}\n" for i in range(9) for n in (1, 2)))
    assert "outside" in refusal(long)
    long.edit("east = 110", "east = 89")
    long.edit("west = 100", "west = 80")
    assert "columns 'lon' and 'lat' seem exchanged" in refusal(long)


def test_a_stop_that_only_seems_exchanged_is_outside(long: Tours) -> None:
    """A doubt about one row settles nothing about the others, and costs nobody a place in the draw."""
    long.edit('path = "tours.csv"', 'path = "tours.csv"\noutside = "drop"')
    long.write(
        HEADER
        + SOUND
        + "b,1,1,3.5,9\nb,1,2,1,1\n"
        + "".join(f"c{i},1,1,1,1\nc{i},1,2,2,2\n" for i in range(9))
    )
    assert len(long.points()) == 10


def test_a_missing_column_is_named(long: Tours) -> None:
    """With what the file might mean."""
    long.write("rider,tour,no,lon,lat\na,1,1,1,1\n")
    assert "FILE has no column 'number'; a CSV file must begin with a header that names it" in refusal(long)


def test_no_rows_are_refused_and_no_paths_are_not(long: Tours) -> None:
    """A file must hold something; what the rules leave may be nothing."""
    long.write(HEADER)
    assert "holds no trips" in refusal(long)
    long.edit('sequence = "number"', 'sequence = "number"\nfewer = "drop"')
    long.write(HEADER + "a,1,1,1,1\n")
    assert long.points() == []


def test_times_order_stops_too(long: Tours) -> None:
    """With or without a zone; one written otherwise is refused."""
    long.edit('sequence = "number"', 'time = "number"')
    long.write(HEADER + "a,1,2024-05-17 09:00:00,1,1\na,1,2024-05-17 08:00:00,3,3\n")
    assert long.points() == [[3, 1, 1, 0]]
    long.write(HEADER + "a,1,2024-05-17T09:00:00+02:00,1,1\na,1,2024-05-17T08:00:00Z,3,3\n")
    assert long.points() == [[1, 0, 3, 1]]
    long.write(HEADER + "a,1,2024-05-17 09:00:00,1,1\na,1,today,3,3\n")
    assert "column 'number' has values of the wrong type" in refusal(long)


def test_sightings_are_of_local_days(tours: Tours) -> None:
    """A user's evening is that of the wall clock, whatever day it is at Greenwich."""
    tours.edit('protects = "trip"', DAY)
    tours.edit(WIDE, SIGHTINGS.replace("Europe/Paris", "America/New_York") + 'fewer = "drop"\n' + FRAMES)
    tours.edit(AT, 'lon = "lon"\nlat = "lat"')
    tours.write(
        "rider,seen_at,lon,lat\n"
        "a,2024-05-17T12:00:00Z,1,1\n"  # 08:00 of the 17th
        "a,2024-05-18T03:00:00Z,3,3\n"  # 23:00 of the 17th
        "a,2024-05-18T12:00:00Z,5,1\n"  # 08:00 of the 18th, whose evening is empty
    )
    assert tours.points() == [[1, 0, 3, 1]]


def test_a_path_belongs_to_the_day_it_begins(long: Tours) -> None:
    """Protecting days, two paths of one day are one contributor's, also where one goes on past midnight."""
    long.edit('user = "rider"', 'user = "rider"\ntime = "number"')
    long.edit('protects = "user"', 'protects = "user-day"')
    long.edit("max_trips = 9", "max_trips = 1")
    long.edit('sequence = "number"', 'time = "number"\ntimezone = "Europe/Paris"\nclock = "local"')
    rows = [("x", "17 08:00", "17 09:00"), ("y", "17 23:00", "18 01:00"), ("z", "18 08:00", "18 09:00")]
    long.write(
        HEADER
        + "".join(f"a,{tour},2024-05-{time}:00,1,1\n" for tour, *times in rows for time in reversed(times))
    )
    assert len(long.points()) == 2
