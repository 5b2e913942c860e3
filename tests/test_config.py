"""release.toml: what is accepted, and what complaints say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from quietway.config import ReleaseFile, read_release_file
from quietway.errors import ConfigError

MINIMAL = """
[release]
name = "Town"
dataset = "town"
output = "published"

[records]
path = "trips.csv"

[unit]
protects = "trip"

[privacy]
epsilon = "1/3"

[[axes]]
name = "mode"
kind = "categories"
column = "mode"
values = ["walk", "bus"]

[[axes]]
name = "period"
kind = "periods"
column = "departed_at"
minutes = 60
timezone = "Europe/Paris"
clock = "local"

[[axes]]
name = "start"
kind = "grid"
west = 2
south = 48.5
east = 3
north = 49
rows = 4
columns = 5
lon = "lon"
lat = "lat"

[groups.kind]
file = "kinds.csv"
labels = ["mode"]
block = "kind"

[[features]]
name = "by mode"
by = ["mode"]

[method]
name = "hierarchy"
"""


def read(folder: Path, *changes: tuple[str, str]) -> ReleaseFile:
    """The minimal file, changed."""
    text = MINIMAL
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    (folder / "release.toml").write_text(text, encoding="utf-8")
    return read_release_file(folder / "release.toml")


def complaint(folder: Path, *changes: tuple[str, str]) -> str:
    """What is said of the changed file."""
    with pytest.raises(ConfigError) as caught:
        read(folder, *changes)
    return caught.value.message


def test_a_minimal_file_has_sensible_defaults(tmp_path: Path) -> None:
    """What is left out is the documented default; nothing weakens privacy."""
    file = read(tmp_path)
    assert (file.records.outside, file.unit.neighbours, file.privacy.budget) == ("refuse", "add-remove", None)
    assert (file.method.name, file.method.fit, file.rehearsal.trips) == ("hierarchy", None, 100_000)
    assert file.unit.unit.bound == 1


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    """Files saved by editors that add a mark are read like others."""
    (tmp_path / "release.toml").write_text(MINIMAL, encoding="utf-8-sig")
    assert read_release_file(tmp_path / "release.toml").release.name == "Town"


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ('name = "Town"', 'nmae = "Town"', "release.nmae: unknown key; did you mean 'name'?"),
        ("[records]", "[record]", "record: unknown key; did you mean 'records'"),
        ("path =", 'format = "csv"\npth =', "records.pth: unknown key; did you mean 'path'?"),
        ("epsilon =", "epsilonn =", "privacy.epsilonn: unknown key; did you mean 'epsilon'?"),
        ("protects =", "max_trip = 2\nprotects =", "unit.max_trip: unknown key; did you mean 'max_trips'?"),
        ("values =", "vales =", "axes.mode.vales: unknown key; did you mean 'values'?"),
        ("timezone =", "timezne =", "axes.period.timezne: unknown key; did you mean 'timezone'?"),
        ("rows =", "rosw =", "axes.start.rosw: unknown key; did you mean 'rows'"),
        ("labels =", "label =", "groups.kind.label: unknown key; did you mean 'labels'"),
        ("by =", "bye =", "features.by mode.bye: unknown key; did you mean 'by'?"),
        ('name = "hierarchy"', "level = []", "method.level: unknown key; did you mean 'levels'?"),
        ("[method]", "[rehearsal]\ntrip = 3\n[method]", "rehearsal.trip: unknown key; did you mean 'trips'?"),
    ],
)
def test_an_unknown_key_is_answered_with_the_nearest(
    tmp_path: Path, before: str, after: str, says: str
) -> None:
    """Every table's misspelt key is named with its table and the key that was meant."""
    assert says in complaint(tmp_path, (before, after))


@pytest.mark.parametrize(
    "epsilon",
    ["0", "-1", "-0.5", "nan", "inf", "true", "[1]", '"0"', '"-1/2"', '"1/0"', '"lots"', '""', '"nan"'],
)
def test_epsilon_must_be_a_positive_number(tmp_path: Path, epsilon: str) -> None:
    """Zero, negative, endless, non-numbers and `true` are refused, once, under their key."""
    said = complaint(tmp_path, ('"1/3"', epsilon))
    assert "privacy.epsilon: epsilon is" in said
    assert "give a positive number, such as 0.1 or '1/3'" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("epsilon", ["0.1", "2", '"0.1"', '"1/3"', "1e-2"])
def test_epsilon_may_be_written_in_many_ways(tmp_path: Path, epsilon: str) -> None:
    """Numbers, decimals and fractions in quotes are all fine."""
    assert read(tmp_path, ('"1/3"', epsilon)).privacy.epsilon


@pytest.mark.parametrize(
    ("unit", "says"),
    [
        ('protects = "user"\nuser = "rider"', "unit: unit 'user' needs max_trips"),
        ('protects = "user"\nmax_trips = 3', "unit: protects = 'user' needs user = \"...\""),
        ('protects = "user-day"\nuser = "rider"\nmax_trips = 3', "unit: protects = 'user-day' needs time"),
        ('protects = "user"\nuser = "rider"\nmax_trips = 0', "unit: max_trips is 0; it must be 1 or more"),
        (
            'protects = "user"\nuser = "rider"\nmax_trips = true',
            "unit.max_trips: True is no whole number",
        ),
        ('protects = "trip"\nmax_trips = 3', "unit: unit 'trip' keeps every trip"),
        (
            'protects = "users"',
            "unit.protects: 'users' is none of trip, user, user-day; did you mean 'user'?",
        ),
        (
            'protects = "trip"\nneighbours = "both"',
            "unit.neighbours: 'both' is none of add-remove, replace-one",
        ),
        ("", "unit.protects: this key is missing"),
    ],
)
def test_the_unit_must_be_complete(tmp_path: Path, unit: str, says: str) -> None:
    """People need a column and a bound; nothing about whom is protected is guessed."""
    assert says in complaint(tmp_path, ('protects = "trip"', unit))


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ('name = "period"', 'name = "mode"', "axes: two axes are named 'mode'"),
        ('name = "period"', 'name = "a:b"', "axes: the axis name 'a:b' holds ':' or ','"),
        (
            'kind = "periods"',
            'kind = "period"',
            "axes.period.kind: 'period' is no kind of axis; did you mean 'periods'",
        ),
        ('kind = "periods"', "", "axes.period.kind: this key is missing; known are places, polygons"),
        ("minutes = 60", "", "axes.period.minutes: this key is missing"),
        ("minutes = 60", 'minutes = "60"', "axes.period.minutes: '60' is no whole number"),
        ('clock = "local"', 'clock = "gmt"', "axes.period.clock: 'gmt' is none of local, utc"),
        ("west = 2", "west = nan", "axes.start.west: input should be a finite number"),
        ("west = 2", "west = true", "axes.start.west: true is no number; write one without quotes"),
        ('name = "mode"\nkind', "kind", "axes.1.name: this key is missing"),
        (
            'values = ["walk", "bus"]',
            "values = [1, 2]",
            "axes.mode.values.0: 1 is no text; write it in quotes",
        ),
        ('by = ["mode"]', "by = []", "features.by mode.by: the list is empty"),
        (
            'name = "by mode"',
            'name = "cells"',
            "features: 'cells' is always there; give the feature another name",
        ),
        ('name = "by mode"', 'name = "total"', "features: 'total' is always there"),
        (
            "[method]",
            '[[features]]\nname = "by mode"\nby = ["period"]\n[method]',
            "features: two features have the same name",
        ),
        (
            'name = "hierarchy"',
            'name = "hierarchie"',
            "method.name: 'hierarchie' is none of cbdp, hierarchy, laplace",
        ),
        (
            'name = "hierarchy"',
            'fit = "best"',
            "method.fit: 'best' is none of tempered, cbdp, free, project, prune",
        ),
        ('name = "hierarchy"', "threshold = 5", "method: threshold goes with name = 'threshold' only"),
        (
            'name = "hierarchy"',
            'name = "laplace"\nlevels = []',
            "method: levels goes with name = 'hierarchy' only",
        ),
        (
            'name = "hierarchy"',
            'name = "threshold"\nthreshold = 0',
            "method.threshold: 0 is too small; give at least 1",
        ),
        (
            "epsilon =",
            'budget = "custom"\nepsilon =',
            "privacy: give shares = [...] together with budget = 'custom'",
        ),
        (
            "epsilon =",
            "shares = [1, 2]\nepsilon =",
            "privacy: give shares = [...] together with budget = 'custom'",
        ),
        ("epsilon =", 'budget = "custom"\nshares = [1, true]\nepsilon =', "privacy.shares.1:"),
        ("epsilon =", 'budget = "custom"\nshares = [1, -2]\nepsilon =', "privacy.shares.1: the share is -2"),
        ('name = "hierarchy"', "prior = false", "method.prior: false is no text; write it in quotes"),
        (
            'name = "hierarchy"',
            'margins = "period"',
            'method.margins: "period" is no list; write it in brackets',
        ),
        ('name = "hierarchy"', "margins = []", "method.margins: the list is empty; name at least one"),
        (
            'name = "hierarchy"',
            'margins = ["a", "b", "a"]',
            "method.margins: 'a' is named twice; name it once",
        ),
        (
            'name = "hierarchy"',
            'weights = "custom"\ncustom_weights = [1, 0]',
            "method.custom_weights.1: 0 is too small; give a number above 0",
        ),
        ('output = "published"', "", "release.output: this key is missing"),
        ('path = "trips.csv"', 'path = ""', "records.path: the text is empty; write something in the quotes"),
        ("path =", 'outside = "ignore"\npath =', "records.outside: 'ignore' is none of refuse, drop"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_accepted(
    tmp_path: Path, before: str, after: str, says: str
) -> None:
    """Each complaint starts with the place in the file, by axis or feature name, and says what would do."""
    assert says in complaint(tmp_path, (before, after))


def test_a_list_whose_entries_are_refused_is_not_called_empty(tmp_path: Path) -> None:
    """One mistake is one complaint."""
    said = complaint(tmp_path, ('name = "hierarchy"', 'weights = "custom"\ncustom_weights = ["a"]'))
    assert said.splitlines()[1:] == ['  method.custom_weights.0: "a" is no number; write one without quotes']


def test_all_complaints_are_made_at_once(tmp_path: Path) -> None:
    """Several mistakes in several tables are told together, one line each, under the file's name."""
    said = complaint(
        tmp_path,
        ('epsilon = "1/3"', 'epsilon = 0\nbudgt = "uniform"'),
        ('protects = "trip"', 'protects = "user"'),
    )
    head, *lines = said.splitlines()
    assert head.endswith("release.toml needs changes:")
    assert [re.split(": ", line.strip())[0] for line in lines] == ["unit", "privacy.epsilon", "privacy.budgt"]


@pytest.mark.parametrize("text", ["", "x = 1"])
def test_an_empty_file_is_told_what_it_lacks(tmp_path: Path, text: str) -> None:
    """Every table that must be there is named."""
    (tmp_path / "release.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_release_file(tmp_path / "release.toml")
    for table in ("release", "records", "unit", "privacy", "axes"):
        assert f"  {table}: this key is missing" in caught.value.message


def test_groups_may_be_called_like_tables(tmp_path: Path) -> None:
    """A group named after another table is still read, and complained about, as a group."""
    said = complaint(tmp_path, ("[groups.kind]", "[groups.grid]"), ("block =", "blok ="))
    assert "groups.grid.blok: unknown key; did you mean 'block'?" in said


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"[release\n", "is not TOML"), (b"\xff\xfe", "is no text in UTF-8"), (b"a = 1\na = 2", "is not TOML")],
)
def test_what_is_not_toml_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    """Syntax errors and other encodings are told as such, with the file's name."""
    (tmp_path / "release.toml").write_bytes(content)
    with pytest.raises(ConfigError, match=rf"release\.toml {says}"):
        read_release_file(tmp_path / "release.toml")


def test_a_missing_file_is_answered_with_how_to_make_one(tmp_path: Path) -> None:
    """The first thing a new user does wrong is told how to begin."""
    with pytest.raises(ConfigError, match=r"there is no file .*release\.toml; `quietway init TRIPS`"):
        read_release_file(tmp_path / "release.toml")
    with pytest.raises(ConfigError, match="is a folder; name the release file in it"):
        read_release_file(tmp_path)
