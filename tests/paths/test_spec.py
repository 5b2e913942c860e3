"""A release file of paths: what it gives, and what complaints say, before any record is read."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from quietway.budget import Ledger
from quietway.errors import BudgetError, ConfigError
from quietway.mechanisms.od.registry import PATH_METHODS
from quietway.paths.spec import load_any_spec, load_path_spec
from tests.conftest import Town
from tests.paths.conftest import OneRoot, Tours

STOPS = """
[paths]
rows = "stops"
stops = ["start", "end"]
path = "tour"
sequence = "number"
"""
SIGHTINGS = """
[paths]
rows = "sightings"
time = "seen_at"
timezone = "Europe/Paris"
clock = "local"
"""
FRAMES = """
[[frames]]
name = "morning"
start = "06:00"
end = "12:00"

[[frames]]
name = "evening"
start = "17:00"
end = "24:00"
"""
STAYS = """
stops = ["first", "last"]
radius = 200
minutes = 10
"""
WIDE = """
[paths]
rows = "paths"
stops = ["start", "end"]
"""
AT = 'at = { start = ["lon0", "lat0"], end = ["lon1", "lat1"] }'
USER = 'protects = "user"\nuser = "rider"\nmax_trips = 3'
DAY = 'protects = "user-day"\nuser = "rider"\nmax_trips = 1\ntime = "seen_at"'


def long(tours: Tours, paths: str = STOPS) -> None:
    """Rows that are stops, or sightings."""
    tours.edit(WIDE, paths)
    tours.edit(AT, 'lon = "lon"\nlat = "lat"')


def complaint(tours: Tours) -> str:
    """What is said of the file."""
    with pytest.raises(ConfigError) as caught:
        load_any_spec(tours.file)
    return caught.value.message


def test_a_spec_knows_all_but_the_records(tours: Tours) -> None:
    """No record is there, and everything is resolved."""
    spec = tours.spec()
    assert spec.space.stops == ("start", "end")
    assert spec.space.shape == (4, 5, 4, 5)
    assert spec.space.frames[0].bounds == (0, 0, 10, 4)
    assert (spec.epsilon, spec.mechanism.cost.epsilon) == (Fraction(1, 2), Fraction(1, 2))
    assert spec.unit.bound == 1
    assert spec.output == tours.folder / "published"
    assert spec.ledger == tours.folder / "ledger.sqlite"
    assert spec.source == str(tours.folder / "tours.csv")
    assert spec.settings == {"fit": "even", "outside": "refuse", "rows": "paths", "stops": ["start", "end"]}


def test_a_method_is_handed_its_other_keys(tours: Tours) -> None:
    """And the manifest says so."""
    tours.edit('"one-root"', '"one-root"\npublished = true')
    spec = tours.spec()
    assert isinstance(spec.mechanism, OneRoot) and spec.mechanism.request.published
    assert spec.settings["published"] is True
    tours.edit("published = true", "published = 1")
    assert "method.published: " in complaint(tours)


def test_every_registered_method_is_built(tours: Tours) -> None:
    """Each costs what the file says, and no more."""
    for name in PATH_METHODS:
        tours.edit(tours.spec().file.method.name, name)
        assert tours.spec().mechanism.cost.epsilon == Fraction(1, 2)


def test_the_documented_example_is_accepted(tours: Tours) -> None:
    """What the page shows is a file once it has a name, records and a budget."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "release-file.md").read_text()
    shown = page.partition("```toml\n")[2].partition("```")[0]
    head = tours.file.read_text().partition("[paths]")[0].replace('[unit]\nprotects = "trip"', "")
    tours.file.write_text(f'{head}{shown}\n[method]\nname = "one-root"\n')
    assert tours.spec().space.stops == ("morning", "evening")
    assert tours.spec().space.size == 10**12


def test_a_large_grid_costs_nothing(tours: Tours) -> None:
    """A thousand rows and columns for each of four stops: 10^24 cells, none of them listed."""
    tours.edit("rows = 4", "rows = 1000")
    tours.edit("columns = 5", "columns = 1000")
    tours.edit('["start", "end"]', '["start", "a", "b", "end"]')
    tours.edit("at = {", 'at = { a = ["lon2", "lat2"], b = ["lon3", "lat3"],')
    assert tours.spec().space.size == 10**24


def test_what_is_kept_where_does_not_change_the_hash(tours: Tours) -> None:
    """Rules and places do; folders do not."""
    before = tours.spec().hash
    tours.edit('output = "published"', 'output = "elsewhere"')
    assert tours.spec().hash == before
    tours.edit("rows = 4", "rows = 3")
    assert tours.spec().hash != before


def test_a_file_is_dispatched_by_what_it_describes(tours: Tours) -> None:
    """Axes make a table of trips, paths make paths."""
    assert type(load_any_spec(tours.file)).__name__ == "PathSpec"
    tours.edit('"tours.csv"', '"elsewhere.csv"')
    assert load_any_spec(tours.file).source.endswith("elsewhere.csv")
    tours.file.write_text(tours.file.read_text() + '[[axes]]\nname = "x"\n')
    assert re.search(r"has \[\[axes\]\], .* and \[paths\], .*keep one", complaint(tours))


def test_a_table_of_trips_is_still_one(town: Town) -> None:
    """The same function reads it."""
    assert type(load_any_spec(town.file)).__name__ == "ReleaseSpec"


def test_the_unit_tells_contributors_apart_in_words(tours: Tours) -> None:
    """Losses add up only for contributors told apart in one way."""
    tours.edit('protects = "trip"', USER)
    assert tours.spec().unit.contributor == "column rider"
    tours.edit(USER, DAY)
    tours.edit(WIDE, WIDE + 'timezone = "Europe/Paris"\nclock = "local"\n')
    assert tours.spec().unit.contributor == "column rider, by date of seen_at (local time, Europe/Paris)"
    tours.edit('rows = "paths"', 'rows = "stops"\npath = "tour"\nsequence = "number"')
    tours.edit(AT, 'lon = "lon"\nlat = "lat"')
    assert "by date of seen_at of a path's first stop" in tours.spec().unit.contributor


def test_a_path_of_several_rows_is_no_trip_of_one(tours: Tours, tmp_path: Path) -> None:
    """Whoever measured each row has measured such a path as often as it has rows: one ledger does not add the two up."""
    ledger = Ledger.open(tmp_path / "ledger.sqlite")
    ledger.limit("tours", Fraction(10))
    ledger.charge("tours", tours.spec().mechanism.cost, purpose="a row each", spec_hash="0")
    long(tours)
    assert tours.spec().unit.contributor == "all rows of one tour"
    with pytest.raises(BudgetError, match="not by all rows of one tour"):
        ledger.charge("tours", tours.spec().mechanism.cost, purpose="several rows each", spec_hash="1")
    tours.edit('protects = "trip"', 'protects = "trip"\nuser = "rider"')
    assert tours.spec().unit.contributor == "all rows of one tour of one rider"


def test_stops_may_have_places_of_their_own(tours: Tours) -> None:
    """Zones at the start, a grid at the end."""
    (tours.folder / "zones.csv").write_text("id,x,y\nz1,1,3\nz2,2,2\nz3,3,1\n")
    grid = tours.file.read_text().partition("[places]\n")[2].partition("at = ")[0]
    zones = (
        '[[places]]\nstop = "start"\nkind = "zones"\nfile = "zones.csv"\nid = "id"\nlon = "x"\nlat = "y"\n'
    )
    tours.edit("[places]\n", f'{zones}column = "zone"\n\n[[places]]\nstop = "end"\n')
    tours.edit(grid, f'{grid}lon = "lon1"\nlat = "lat1"\n')
    tours.edit(AT, "")
    spec = tours.spec()
    assert spec.space.frames[0].labels == ("z1", "z2", "z3")
    assert np.array_equal(spec.space.frames[0].cell, [[2, 0], [1, 1], [0, 2]])  # type: ignore[arg-type]
    tours.write("zone,lon1,lat1\nz3,9,3\nz1,0,0\n")
    assert tours.points() == [[2, 0, 0, 0], [0, 2, 3, 4]]


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("east = 10", "east = 0", "places: east 0.0 must be greater than west 0.0"),
        ("rows = 4", "rows = 0", "places: rows is 0; it must be 1 or more"),
        ("rows = 4", "rows = 5000", "places: a frame has 5,000 rows; give from 1 to 4,000"),
        ("west = 0", "west = nan", "places.west: input should be a finite number"),
        ("west = 0", "", "places.west: this key is missing"),
        ("west = 0", "west = 0\nwets = 0", "places.wets: unknown key; did you mean 'west'"),
        ('kind = "grid"', 'kind = "gird"', "places.kind: 'gird' is no kind of places; did you mean 'grid'"),
        ('kind = "grid"', "", "places.kind: this key is missing; known are grid, zones, polygons"),
        ('rows = "paths"', 'rows = "path"', "paths.rows: 'path' is none of paths, stops, sightings; did you"),
        ('rows = "paths"', 'rows = "paths"\nsequence = "n"', "paths: sequence goes with rows = 'stops' only"),
        ('rows = "paths"', 'rows = "paths"\nfewer = "drop"', "fewer goes with rows = 'stops' or 'sightings'"),
        ('rows = "paths"', 'rows = "stops"', "paths: rows = 'stops' needs path"),
        ('rows = "paths"', 'rows = "sightings"', "paths: rows = 'sightings' needs time"),
        ('["start", "end"]', '["start", "start"]', "paths.stops: two stops are named 'start'"),
        ('["start", "end"]', "[]", "paths.stops: the list is empty"),
        ('stops = ["start", "end"]', "", "paths.stops: name the stops of a path in order"),
        (", end = [", ", ende = [", "places.at: there is no stop 'ende'; did you mean 'end'?"),
        (', end = ["lon1", "lat1"]', "", "places.at: nothing is said of the stop 'end'"),
        (AT, 'lon = "lon"\nlat = "lat"', "places: where a row is a path each stop has columns of its own"),
        (AT, AT + '\nlon = "lon"', "places: give lon and lat, or at, not both"),
        (AT, "", "name the columns of the records that hold the places: at, the columns of each stop"),
        ("[places]", '[[places]]\nstop = "begin"', "places: stop: there is no stop 'begin'"),
        ("[places]", "[[places]]\nrows = 1\n[[places]]", "places.1.kind: this key is missing"),
        (
            '"one-root"',
            '"one-rot"',
            "method.name: 'one-rot' is no method for paths; did you mean 'one-root'?",
        ),
        ('epsilon = "1/2"', "epsilon = -1", "privacy.epsilon: "),
        ('epsilon = "1/2"', 'epsilon = "1"\nbudget = "uniform"', "privacy.budget: unknown key"),
    ],
)
def test_what_is_wrong_is_told_by_its_key(tours: Tours, before: str, after: str, says: str) -> None:
    """Nothing else of the file is needed to mend it."""
    tours.edit(before, after)
    assert says in complaint(tours)


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (
            'start = "17:00"',
            'start = "11:30"',
            "frames: 'evening' begins at 11:30, before 'morning' ends at 12:00",
        ),
        ('end = "24:00"', 'end = "17:00"', "frames.evening: end 17:00 must come after start 17:00"),
        ('end = "24:00"', 'end = "25:00"', "frames.evening.end: '25:00' is no time of day"),
        ('"evening"', '"morning"', "frames: two frames are named 'morning'"),
        (FRAMES, "", "frames: nothing says which sightings are stops"),
        ("clock = ", 'stops = ["a"]\nclock = ', "paths.stops: the frames name the stops already"),
        ("clock = ", 'more = "ends"\nclock = ', "paths.more goes with stays only"),
        ("clock = ", "radius = 200\nclock = ", "paths: stays need radius (metres) and minutes"),
        (
            "clock = ",
            "radius = 200\nminutes = 5\nclock = ",
            "frames: stops are either frames of the day or stays",
        ),
        ('"Europe/Paris"', '"Europe/Pari"', "timezone 'Europe/Pari' is not in the IANA list"),
        (
            DAY,
            'protects = "trip"',
            "unit.protects: a path of sightings is all that is seen of a user in a day",
        ),
        ("max_trips = 1", "max_trips = 2", "unit.max_trips: a user's day of sightings is one path"),
        ('\ntime = "seen_at"', '\ntime = "other"', "unit.time: the days are those of the sightings"),
    ],
)
def test_sightings_need_frames_that_agree(tours: Tours, before: str, after: str, says: str) -> None:
    """A frame that overlaps another, a day of several paths: each is told."""
    tours.edit('protects = "trip"', DAY)
    long(tours, SIGHTINGS + FRAMES)
    assert tours.spec().space.stops == ("morning", "evening")
    tours.edit(before, after)
    assert says in complaint(tours)


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("radius = 200", "radius = 0", "paths.radius: 0 is too small; give a number above 0"),
        ("minutes = 10", "minutes = 1.5", "paths.minutes: 1.5 is no whole number"),
        ("minutes = 10", "minutes = 1000", "paths.minutes: "),
        ("minutes = 10", "", "paths: stays need radius (metres) and minutes"),
        ("radius = 200", 'pick = "most"\nradius = 200', "paths.pick goes with frames only"),
    ],
)
def test_stays_need_a_radius_and_a_time(tours: Tours, before: str, after: str, says: str) -> None:
    """And coordinates to be found from."""
    tours.edit('protects = "trip"', USER)
    long(tours, SIGHTINGS + STAYS)
    assert tours.spec().settings["radius"] == 200
    tours.edit(before, after)
    assert says in complaint(tours)


def test_stays_are_not_found_from_zones(tours: Tours) -> None:
    """There are no metres between ids."""
    (tours.folder / "zones.csv").write_text("id,x,y\nz1,1,3\n")
    tours.edit('protects = "trip"', USER)
    text = tours.file.read_text()
    places = text[text.index("[places]") : text.index("[method]")]
    tours.edit(WIDE, SIGHTINGS + STAYS)
    tours.edit(
        places,
        '[places]\nkind = "zones"\nfile = "zones.csv"\nid = "id"\nlon = "x"\nlat = "y"\ncolumn = "z"\n',
    )
    assert "places: stays are found from coordinates" in complaint(tours)


def test_stops_need_one_order(tours: Tours) -> None:
    """A column of numbers or one of times."""
    long(tours)
    load_path_spec(tours.file)
    tours.edit('sequence = "number"', 'sequence = "number"\ntime = "at"')
    assert "needs either sequence or time" in complaint(tours)


def test_zones_need_coordinates(tours: Tours) -> None:
    """Without them nobody knows which are neighbours."""
    (tours.folder / "zones.csv").write_text("id,x,y\nz1,1,3\n")
    text = tours.file.read_text()
    places = text[text.index("[places]") : text.index("[method]")]
    tours.edit(
        places, '[places]\nkind = "zones"\nfile = "zones.csv"\nid = "id"\nat = { start = "a", end = "b" }\n'
    )
    assert "name the columns with a longitude and latitude of each (lon, lat)" in complaint(tours)
    tours.edit('"zones.csv"', '"zoned.csv"')
    assert "places: there is no file" in complaint(tours)


def test_days_are_parted_by_a_clock_that_is_given(tours: Tours) -> None:
    """Where days are protected, and only there."""
    tours.edit(WIDE, WIDE + 'timezone = "Europe/Paris"\nclock = "local"\n')
    assert "leave them out where no day is protected" in complaint(tours)
    tours.edit('timezone = "Europe/Paris"\nclock = "local"\n', "")
    tours.edit('protects = "trip"', DAY)
    assert "paths.timezone and paths.clock are missing" in complaint(tours)


def test_a_stop_needs_both_of_its_columns(tours: Tours) -> None:
    """A longitude without a latitude is told from a key left out."""
    tours.edit('end = ["lon1", "lat1"]', 'end = ["lon1"]')
    assert "places.at.end: the list is too short; it needs 2 entries" in complaint(tours)
