"""A release file and the public files it names, resolved."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from quietway.errors import ConfigError, InputError
from quietway.spec import ReleaseSpec, load_spec
from tests.conftest import Town


@pytest.fixture
def files(tmp_path: Path) -> Town:
    """The small town's files."""
    return Town(tmp_path)


def complaint(files: Town, *changes: tuple[str, str]) -> str:
    """What is said of the changed release file."""
    for before, after in changes:
        files.edit(before, after)
    with pytest.raises(InputError) as caught:
        load_spec(files.file)
    return caught.value.message


def modes(files: Town, rows: list[str], header: str = "from,to,mode") -> None:
    """A group of pairs of places, and a feature that uses it."""
    (files.folder / "modes.csv").write_text("\n".join([header, *rows]) + "\n")
    group = '[groups.mode]\nfile = "modes.csv"\nlabels = ["from", "to"]\nblock = "mode"\n'
    feature = '[[features]]\nname = "modes"\nby = ["origin,destination:mode"]\n'
    files.edit("[rehearsal]", f"{group}\n{feature}\n[rehearsal]")


def every_pair(mode: str = "bus") -> list[str]:
    """All pairs of the six places, in one mode."""
    return [f"P{i},P{j},{mode}" for i in range(6) for j in range(6)]


def test_a_spec_is_the_public_structure(files: Town) -> None:
    """Universe, features, unit, cost and files are known without looking at any record."""
    files.trips.unlink()
    spec = load_spec(files.file)
    assert spec.universe.shape == (6, 6, 4)
    assert spec.universe.names == ("origin", "destination", "period")
    assert {name: partition.blocks for name, partition in spec.features} == {"period": 4, "zone pair": 16}
    assert spec.mechanism.cost.epsilon == spec.epsilon == Fraction(1)
    assert (spec.unit.bound, spec.settings["fit"]) == (2, "tempered")
    assert (spec.output, spec.ledger) == (files.output, files.ledger)
    assert spec.places["origin"].shape == (6, 2)
    assert "period" not in spec.places


def test_a_group_of_pairs_is_one_partition(files: Town) -> None:
    """A table over two axes makes blocks of pairs, called by their names."""
    modes(files, [f"P{i},P{j},{'walk' if i == j else 'bus'}" for i in range(6) for j in range(6)])
    (partition,) = [partition for name, partition in load_spec(files.file).features if name == "modes"]
    universe = partition.universe
    pair = universe.keys([np.array([2, 2]), np.array([2, 3]), np.array([0, 0])])
    assert partition.block_labels(partition.block_of(pair)) == [("walk",), ("bus",)]


def test_a_feature_of_crossing_groups_keeps_their_names(files: Town) -> None:
    """An axis beside a group of pairs with that axis makes blocks that carry both names."""
    modes(files, [f"P{i},P{j},{'walk' if i == j else 'bus'}" for i in range(6) for j in range(6)])
    files.edit('"origin,destination:mode"', '"origin:zone", "origin,destination:mode"')
    (partition,) = [partition for name, partition in load_spec(files.file).features if name == "modes"]
    labels = {label for (label,) in partition.block_labels(np.arange(partition.blocks))}
    assert labels == {"north / walk", "north / bus", "south / walk", "south / bus"}


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (
            'by = ["period"]',
            'by = ["perod"]',
            "features.period: 'perod' names no axis 'perod'; did you mean 'period'?",
        ),
        (
            '"origin:zone"',
            '"origin:zones"',
            "features.zone pair: 'origin:zones' names no group 'zones'; did you mean 'zone'?",
        ),
        ('"origin:zone"', '"origin,destination"', "names two axes without a group; list them apart"),
        ('"origin:zone"', '"origin,destination:zone"', "gives 2 axes, but groups.zone.labels has 1 columns"),
        ('labels = ["id"]', 'labels = ["idd"]', "it has no column 'idd'; did you mean 'id'?"),
        ('block = "zone"', 'block = "zon"', "it has no column 'zon'; did you mean 'zone'"),
        ("minutes = 360", "minutes = 7", "axis 'period': minutes is 7; it must divide"),
        ("minutes = 360", "minutes = 0", "minutes is 0; it must divide"),
        (
            'timezone = "Europe/Paris"',
            'timezone = "Europe/Pari"',
            "'Europe/Pari' is not in the IANA list",
        ),
        (
            "[rehearsal]",
            '[method]\nname = "laplace"\nfit = "prune"\n[rehearsal]',
            "method.fit: 'laplace' has no fit 'prune'; it has clip",
        ),
        (
            "[rehearsal]",
            '[method]\nname = "hierarchy"\nlevels = ["zone pairs"]\n[rehearsal]',
            "method.levels: there is no feature 'zone pairs'; did you mean 'zone pair'",
        ),
        (
            "[rehearsal]",
            '[method]\nname = "hierarchy"\nlevels = ["zone pair", "period"]\n[rehearsal]',
            "level 'period' does not refine 'zone pair'",
        ),
        (
            'epsilon = "1"',
            'epsilon = "1"\nbudget = "custom"\nshares = [1, 2]\n[method]\nname = "hierarchy"',
            "privacy.shares: 2 shares for 4 measurements",
        ),
    ],
)
def test_names_that_do_not_fit_together_are_refused(files: Town, before: str, after: str, says: str) -> None:
    """Axes, groups, columns, levels and shares that do not exist or fit name their place and the nearest."""
    assert says in complaint(files, (before, after))


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (
            every_pair()[:-1],
            "does not cover the universe: 1 of 36 combinations of origin, destination have no block, for instance P5 / P5",
        ),
        ([*every_pair(), "P2,P3,walk"], "maps P2 / P3 to two blocks, 'bus' and 'walk'; keep one of them"),
        ([*every_pair(), "P2,P33,bus"], "axis 'destination' has no element 'P33'; did you mean 'P3'"),
        ([*every_pair(), "P2"], "row 38 has 1 columns, and the header 3; make them agree"),
        ([*every_pair(), "P2,P3,bus,taxi"], "row 38 has 4 columns, and the header 3"),
        ([*every_pair(), "P2,P3,"], "row 38 is empty in column 'mode'; fill it in"),
        ([], "does not cover the universe: 36 of 36"),
    ],
)
def test_a_group_must_be_a_partition(files: Town, rows: list[str], says: str) -> None:
    """A listing with holes, contradictions, unknown labels or ragged rows is told with feature, group and file."""
    modes(files, rows)
    said = complaint(files)
    assert said.startswith("features.modes: groups.mode (")
    assert "modes.csv): " in said
    assert says in said


def test_blank_lines_in_a_group_mean_nothing(files: Town) -> None:
    """A listing may end with empty lines."""
    modes(files, [*every_pair(), "", ""])
    assert load_spec(files.file).features[-1][1].blocks == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"", "its first line is empty"), (b"\xff\xfe\x00", "save it as UTF-8")],
)
def test_a_group_that_is_no_table_is_refused(files: Town, content: bytes, says: str) -> None:
    """An empty file has no columns, and other encodings are told as such."""
    modes(files, [])
    (files.folder / "modes.csv").write_bytes(content)
    said = complaint(files)
    assert said.startswith("features.modes: groups.mode (")
    assert says in said


@pytest.mark.parametrize("name", ["groups", "unused group", "axes"])
def test_a_missing_public_file_is_named(files: Town, name: str) -> None:
    """Files of groups, used or not, and of axes are found or named before anything else happens."""
    change = {
        "groups": ('[groups.zone]\n    file = "places.csv"', '[groups.zone]\nfile = "gone.csv"'),
        "unused group": (
            "[rehearsal]",
            '[groups.idle]\nfile = "gone.csv"\nlabels = ["a"]\nblock = "b"\n[rehearsal]',
        ),
        "axes": ('file = "places.csv"', 'file = "gone.csv"'),
    }[name]
    before, after = (text.replace("    ", "") for text in change)
    assert "gone.csv" in complaint(files, (before, after))


def test_an_unknown_group_where_there_is_none(files: Town) -> None:
    """Without any group, the complaint does not offer an empty list."""
    files.edit('"origin:zone", "destination:zone", ', '"origin:zone", ')
    text = files.file.read_text()
    start, end = text.index("[groups.zone]"), text.index("[[features]]")
    files.file.write_text(text[:start] + text[end:])
    assert "names no group 'zone'; there is none yet" in complaint(files)


def test_too_many_cells_for_the_method_are_refused(files: Town) -> None:
    """A universe whose cells cannot all be noised is refused with the method that can."""
    grid = 'kind = "grid"\nwest = 2\nsouth = 48\neast = 3\nnorth = 49\nrows = 3000\ncolumns = 3000\nlon = "x"\nlat = "y"'
    files.edit("[groups.zone]", f'[[axes]]\nname = "seat"\n{grid}\n\n[groups.zone]')
    assert 'method.name = "cbdp" or "threshold"' in complaint(
        files, ("[rehearsal]", '[method]\nname = "hierarchy"\n[rehearsal]')
    )
    for method in ("threshold", "cbdp"):
        files.edit("[method]\nname", f'[method]\nname = "{method}" #')
        assert load_spec(files.file).universe.size == 36 * 4 * 9_000_000


def test_an_odd_way_to_write_the_same_budget_costs_the_same(files: Town) -> None:
    """Epsilon is exact however it is written."""
    files.edit('epsilon = "1"', "epsilon = 0.1")
    assert load_spec(files.file).mechanism.cost.epsilon == Fraction(1, 10)


@pytest.mark.parametrize(
    ("budget", "shares"),
    [
        ("uniform", [Fraction(1, 4)] * 4),
        (
            'custom"\nshares = [1, 1, 2, "4"]\n#"',
            [Fraction(1, 8), Fraction(1, 8), Fraction(1, 4), Fraction(1, 2)],
        ),
    ],
)
def test_the_budget_is_divided_as_asked(files: Town, budget: str, shares: list[Fraction]) -> None:
    """Shares go to the total, the levels and the cells, in that order."""
    files.edit('epsilon = "1"', f'epsilon = "1"\nbudget = "{budget}"')
    files.edit("[rehearsal]", '[method]\nname = "hierarchy"\n[rehearsal]')
    parts = load_spec(files.file).mechanism.parts
    assert [name for name, _ in parts] == ["total", "period", "zone pair", "cells"]
    assert [epsilon for _, epsilon in parts] == shares


def spec_hash(files: Town, *changes: tuple[str, str]) -> str:
    """The hash of the changed release file."""
    for before, after in changes:
        files.edit(before, after)
    return load_spec(files.file).hash


@pytest.mark.parametrize(
    "change",
    [
        ('epsilon = "1"', 'epsilon = "2"'),
        ("max_trips = 2", "max_trips = 3"),
        ("minutes = 360", "minutes = 180"),
        ('name = "period"\nby = ["period"]', 'name = "start"\nby = ["origin"]'),
    ],
)
def test_what_changes_the_promise_changes_the_hash(files: Town, change: tuple[str, str]) -> None:
    """Budget, bound, universe and features are part of what is paid for."""
    assert spec_hash(files) != spec_hash(files, change)


@pytest.mark.parametrize(
    "change", [('output = "published"', 'output = "elsewhere"'), ("trips = 500", "trips = 50")]
)
def test_where_it_goes_does_not_change_the_hash(files: Town, change: tuple[str, str]) -> None:
    """Another output folder or rehearsal is the same release."""
    assert spec_hash(files) == spec_hash(files, change)


def test_a_spec_never_reads_the_records(files: Town) -> None:
    """Garbage in the records changes nothing about what is public."""
    before: ReleaseSpec = load_spec(files.file)
    files.trips.write_bytes(b"\x00\xff garbage")
    assert load_spec(files.file).hash == before.hash


def test_complaints_are_config_errors(files: Town) -> None:
    """A feature that cannot be is the release file's fault."""
    files.edit('by = ["period"]', 'by = ["perod"]')
    with pytest.raises(ConfigError):
        load_spec(files.file)
