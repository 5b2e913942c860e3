"""The prior a release file asks for: what each kind becomes, what is usual, and what is refused."""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quietway.errors import ConfigError, InputError
from quietway.mechanisms import FeatureLaplace
from quietway.mechanisms.constraint import ConstraintBased
from quietway.mechanisms.planned import PlannedMargins
from quietway.pipeline import release
from quietway.prior_table import BATCH
from quietway.publish.kept import ARRAYS, MANIFEST
from quietway.publish.store import load_release
from quietway.spec import ReleaseSpec, load_spec
from tests.conftest import PLACES, Town

LOCATED = ('lon = "lon"\nlat = "lat"\n', "")
SEATS = (
    "[groups.zone]",
    '[[axes]]\nname = "seat"\nkind = "grid"\nwest = 2\nsouth = 48\neast = 3\nnorth = 49\nrows = 3000\ncolumns = 3000\n'
    'lon = "x"\nlat = "y"\n\n[groups.zone]',
)
PERIODS = ["00:00", "06:00", "12:00", "18:00"]


@pytest.fixture
def files(tmp_path: Path) -> Town:
    """The small town's files."""
    return Town(tmp_path)


def asked(files: Town, prior: str | None, *lines: str, edits: Sequence[tuple[str, str]] = ()) -> ReleaseSpec:
    """The town's spec with this prior, and more lines in its [method]."""
    for before, after in edits:
        files.edit(before, after)
    method = ([f'prior = "{prior}"'] if prior is not None else []) + list(lines)
    files.edit("[rehearsal]", "\n".join(["[method]", *method, "\n[rehearsal]"]))
    return load_spec(files.file)


def refused(files: Town, prior: str | None, *lines: str, edits: Sequence[tuple[str, str]] = ()) -> str:
    """What is said of it."""
    with pytest.raises(ConfigError) as caught:
        asked(files, prior, *lines, edits=edits)
    return caught.value.message


def with_csv(files: Town, *rows: str, header: str = "origin,trips") -> Town:
    """The same with a public table."""
    (files.folder / "held.csv").write_text("\n".join([header, *rows]) + "\n")
    return files


def with_parquet(files: Town, **columns: Any) -> Town:
    """The same with a public Parquet table."""
    pq.write_table(pa.table(columns), files.folder / "held.parquet")
    return files


def published(files: Town, folder: str = "earlier", **edits: str) -> Path:
    """The same release published before, in a folder of its own."""
    files.limit("100")
    text = files.file.read_text()
    files.edit('output = "published"', f'output = "{folder}"')
    for before, after in edits.items():
        files.edit(before, after)
    release(files.file)
    files.file.write_text(text)
    return files.folder / folder


def held(spec: ReleaseSpec) -> dict[tuple[str, ...], float]:
    """What a table says of each block it lists."""
    assert spec.prior is not None
    labels = spec.prior.partition.block_labels(spec.prior.blocks)
    return dict(zip(labels, spec.prior.values.tolist(), strict=True))


@pytest.mark.parametrize("kind", ["uniform", "gravity"])
def test_a_prior_by_name_is_recorded_and_margins_are_planned(files: Town, kind: str) -> None:
    """It needs no table, and what to measure is left to the plan."""
    spec = asked(files, kind)
    assert spec.settings["prior"] == kind and "prior_from" not in spec.settings
    assert spec.settings["fit"] == "tempered"
    assert spec.prior is None
    assert isinstance(spec.mechanism, PlannedMargins)


def test_no_prior_is_the_published_method(files: Town) -> None:
    """Every cell is measured, and the fit is the paper's."""
    spec = asked(files, "none")
    assert (spec.settings["prior"], spec.settings["fit"], spec.prior) == ("none", "cbdp", None)
    assert isinstance(spec.mechanism, ConstraintBased)


def test_named_margins_are_measured_as_asked(files: Town) -> None:
    """With a prior and a list of margins nothing is left to plan, and each gets its share."""
    spec = asked(
        files,
        "uniform",
        'margins = ["zone pair", "origin by period"]',
        edits=[('epsilon = "1"', 'epsilon = "1"\nbudget = "custom"\nshares = [1, 2, 5]')],
    )
    assert isinstance(spec.mechanism, FeatureLaplace)
    assert [(name, str(share)) for name, share in spec.mechanism.parts] == [
        ("total", "1/8"),
        ("zone pair", "1/4"),
        ("origin by period", "5/8"),
    ]


def test_whatever_a_plan_may_choose_can_be_named(files: Town) -> None:
    """Coarser margins, which a plan takes in place of others, are known by the names that it gives them."""
    names = ["origin", "destination", "origin zone by destination zone", "origin by destination", "cells"]
    spec = asked(files, "uniform", f"margins = {names}")
    assert [name for name, _ in spec.mechanism.parts] == ["total", *names]


@pytest.mark.parametrize(
    ("edits", "lines", "prior"),
    [
        ([], [], "gravity"),
        ([LOCATED], [], "uniform"),
        ([LOCATED, LOCATED], [], "uniform"),
        ([SEATS], [], "none"),
        ([], ['weights = "uniform"'], "none"),
        ([], ['fit = "cbdp"'], "none"),
        ([], ['fit = "free"'], "none"),
        ([], ['fit = "tempered"'], "gravity"),
        ([], ['margins = ["zone pair"]'], "gravity"),
    ],
)
def test_the_usual_prior_is_the_best_that_the_file_allows(
    files: Town, edits: list[tuple[str, str]], lines: list[str], prior: str
) -> None:
    """Distances where both ends have coordinates, none where cells are too many or the file asks for a fit without."""
    assert asked(files, None, *lines, edits=edits).settings["prior"] == prior


def test_other_methods_know_of_no_prior(files: Town) -> None:
    """Their settings do not speak of one, and asking for one is refused."""
    files.edit("[rehearsal]", '[method]\nname = "laplace"\n[rehearsal]')
    spec = load_spec(files.file)
    assert spec.prior is None
    assert "prior" not in spec.settings
    files.edit('name = "laplace"', 'name = "laplace"\nprior = "uniform"')
    with pytest.raises(ConfigError, match="prior goes with name = 'cbdp' only"):
        load_spec(files.file)


def test_a_public_table_may_speak_of_some_axes(files: Town) -> None:
    """Rows of the same labels add up, other columns mean nothing, and the file's order of columns is its own."""
    header = "trips,source,period,origin"
    spec = asked(with_csv(files, "2,a,06:00,P1", "0.5,b,06:00,P1", "3,a,18:00,P4", header=header), "held.csv")
    assert (spec.settings["prior"], spec.settings["prior_from"]) == ("table", "held.csv")
    assert spec.prior is not None
    assert spec.prior.partition.columns == ("origin", "period")
    assert held(spec) == {("P1", "06:00"): 2.5, ("P4", "18:00"): 3.0}
    cells = spec.prior.over_cells(0.0).reshape(spec.universe.shape)
    np.testing.assert_allclose(cells[1, :, 1], 2.5 / 5.5 / 6)
    assert cells.sum() == pytest.approx(1)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.dictionaries(
        st.tuples(st.sampled_from(PLACES), st.sampled_from(PERIODS)), st.integers(1, 10**6), min_size=1
    )
)
def test_csv_and_parquet_say_the_same(tmp_path: Path, table: dict[tuple[str, str], int]) -> None:
    """The same rows make the same prior, whichever format holds them."""
    rows = [f"{place},{period},{trips}" for (place, period), trips in table.items()]
    by_csv = asked(with_csv(Town(tmp_path), *rows, header="destination,period,trips"), "held.csv")
    places, periods = zip(*table, strict=True)
    columns = {"destination": places, "period": periods, "trips": list(table.values())}
    by_parquet = asked(with_parquet(Town(tmp_path), **columns), "held.parquet")
    assert held(by_csv) == held(by_parquet) == table
    assert by_csv.prior is not None and by_parquet.prior is not None
    assert by_csv.prior.digest == by_parquet.prior.digest


def with_numbered_places(files: Town) -> Town:
    """The same with places called 0 to 5."""
    for path in (files.folder / "places.csv", files.trips):
        text = path.read_text()
        for i, name in enumerate(PLACES):
            text = text.replace(name, str(i))
        path.write_text(text)
    return files


@pytest.mark.parametrize(
    "labels",
    [
        pa.array([1, 4], pa.int16()),
        pa.array([1.0, 4.0]),
        pa.array(["1", "4"]).dictionary_encode(),
        pa.array(["1", "4"], pa.large_string()),
    ],
    ids=["integers", "floats", "categories", "large text"],
)
def test_parquet_labels_of_any_type_are_read_as_text(files: Town, labels: pa.Array) -> None:
    """Whole numbers name places, also where another tool has made decimals of them."""
    spec = asked(with_parquet(with_numbered_places(files), origin=labels, trips=[2, 3]), "held.parquet")
    assert held(spec) == {("1",): 2.0, ("4",): 3.0}


def test_parquet_trips_may_be_decimals(files: Town) -> None:
    """A table of exact numbers is as good as one of floats."""
    spec = asked(
        with_parquet(files, origin=["P1", "P2"], trips=[Decimal("1.5"), Decimal("2.0")]), "held.parquet"
    )
    assert held(spec) == {("P1",): 1.5, ("P2",): 2.0}


def test_an_earlier_release_is_a_prior(files: Town) -> None:
    """Its published cells are what is held, as they are."""
    earlier = published(files)
    spec = asked(files, "earlier")
    assert spec.settings["prior"] == "table"
    assert spec.prior is not None
    assert spec.prior.partition.is_identity
    before = load_release(earlier)
    np.testing.assert_array_equal(spec.prior.blocks, before.keys)
    np.testing.assert_array_equal(spec.prior.values, before.counts)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(st.integers(0, 5), min_size=6, max_size=6), st.lists(st.integers(0, 5), min_size=6, max_size=6)
)
def test_the_hash_tells_tables_apart(tmp_path: Path, one: list[int], other: list[int]) -> None:
    """Another content under the same name is another release; the same content is the same."""
    if sum(one) * sum(other) == 0:
        return
    hashes = [
        asked(with_csv(Town(tmp_path), *map("{},{}".format, PLACES, trips)), "held.csv").hash
        for trips in (one, other)
    ]
    assert (hashes[0] == hashes[1]) == (one == other)


def test_the_order_of_rows_means_nothing(files: Town) -> None:
    """The same rows in another order, or split in two, are the same prior."""
    first = asked(with_csv(files, "P2,3", "P1,2"), "held.csv").hash
    with_csv(files, "P1,1", "P2,3", "P1,1")
    assert load_spec(files.file).hash == first


def test_the_hash_tells_what_a_table_speaks_of(files: Town) -> None:
    """The same numbers over another axis are another prior."""
    first = asked(with_csv(files, "P1,3"), "held.csv").hash
    with_csv(files, "P1,3", header="destination,trips")
    assert load_spec(files.file).hash != first


def test_the_hash_tells_kinds_of_prior_apart(tmp_path: Path) -> None:
    """Named priors are part of the settings."""
    kinds = ("none", "uniform", "gravity")
    assert len({asked(Town(tmp_path), kind).hash for kind in kinds}) == len(kinds)


@pytest.mark.parametrize(
    ("rows", "header", "says"),
    [
        (["P1,3"], "start,trips", "its columns are start, trips; it needs 'trips' and at least one axis"),
        (["P1,3"], "origin,count", "its columns are origin, count; it needs 'trips'"),
        ([], "", "its columns are none; it needs 'trips'"),
        ([], "origin,trips", "it holds no trips; use 'uniform'"),
        (["P1,0", "P2,0"], "origin,trips", "it holds no trips; use 'uniform'"),
        (["P1,3", "", "P7,2"], "origin,trips", "row 4: axis 'origin' has no element 'P7'; did you mean"),
        (["P1,-1"], "origin,trips", "row 2: '-1' in column 'trips' is not a number of trips"),
        (["P1,nan"], "origin,trips", "row 2: 'nan' in column 'trips' is not a number of trips"),
        (["P1,inf"], "origin,trips", "row 2: 'inf' in column 'trips' is not a number of trips"),
        (["P1,many"], "origin,trips", "row 2: 'many' in column 'trips' is not a number of trips"),
        (["P1,1e308", "P2,1e308"], "origin,trips", "row 2: '1e308' in column 'trips' is not a number"),
        (["P1,"], "origin,trips", "row 2 is empty in column 'trips'; fill it in"),
        ([",3"], "origin,trips", "row 2 is empty in column 'origin'; fill it in"),
        (["P1"], "origin,trips", "row 2 has 1 columns, and the header 2"),
        (["P1,2,3"], "origin,trips,trips", "it has more than one column 'trips'; rename all but one"),
        (['"P1,3'], "origin,trips", "row 2 is not well-formed CSV"),
    ],
)
def test_a_csv_that_is_no_prior_is_refused(files: Town, rows: list[str], header: str, says: str) -> None:
    """The complaint names the key, the file, and the row as the file counts it."""
    said = refused(with_csv(files, *rows, header=header), "held.csv")
    assert said.startswith("method.prior (")
    assert "held.csv): " in said
    assert says in said


def test_rows_are_numbered_as_the_file_does_however_long_it_is(files: Town) -> None:
    """Blank lines count, and so does everything that was read before."""
    rows = ["P1,1", ""] * (2 * BATCH)
    said = refused(with_csv(files, *rows, "P1,2", "P7,1", "P8,1"), "held.csv")
    assert f"row {len(rows) + 3}: axis 'origin' has no element 'P7'" in said


def test_a_file_of_another_kind_is_refused(files: Town) -> None:
    """Bytes that are no UTF-8, or no text at all, are told as such."""
    (files.folder / "held.xlsx").write_bytes(b"PK\x03\x04\x00")
    assert "it is no text; save it as CSV in UTF-8, or as Parquet" in refused(files, "held.xlsx")


def test_a_csv_with_bytes_that_are_no_text_is_refused(files: Town) -> None:
    """They are told as such, wherever they stand."""
    (files.folder / "held.csv").write_bytes(b"origin,trips\nP1,\xff\xfe\n")
    said = refused(files, "held.csv")
    assert said.startswith("method.prior (")
    assert "UTF-8" in said


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        (
            {"start": ["P1"], "trips": [1]},
            "its columns are start, trips; it needs 'trips' and at least one axis",
        ),
        ({"origin": ["P1"]}, "its columns are origin; it needs 'trips'"),
        ({"origin": ["P1", None], "trips": [1, 2]}, "row 2 is empty in column 'origin'; fill it in"),
        ({"origin": ["P1", ""], "trips": [1, 2]}, "row 2 is empty in column 'origin'; fill it in"),
        ({"origin": ["P1", "P2"], "trips": [1, None]}, "row 2 is empty in column 'trips'; fill it in"),
        ({"origin": ["P1", "P2"], "trips": [1, float("nan")]}, "row 2: 'nan' in column 'trips'"),
        ({"origin": ["P1"], "trips": [-2]}, "row 1: '-2' in column 'trips' is not a number of trips"),
        ({"origin": ["P1"], "trips": ["many"]}, "row 1: 'many' in column 'trips' is not a number of trips"),
        ({"origin": [7], "trips": [1]}, "row 1: axis 'origin' has no element '7'"),
        (
            {"period": [datetime.datetime(2026, 3, 4, 6)], "trips": [1]},
            "axis 'period' has no element '2026-03-04 06:00:00'; known are 00:00, 06:00",
        ),
        ({"period": [datetime.time(6)], "trips": [1]}, "has no element '06:00:00'; did you mean '06:00'"),
        ({"origin": pa.array([], pa.string()), "trips": pa.array([], pa.int64())}, "it holds no trips"),
        ({"origin": ["P1"], "trips": [0]}, "it holds no trips; use 'uniform'"),
        ({"origin": [["P1", "P2"]], "trips": [1]}, "column 'origin' is of type list"),
    ],
)
def test_a_parquet_table_that_is_no_prior_is_refused(files: Town, columns: dict[str, Any], says: str) -> None:
    """Types, gaps and labels that do not fit are told with the row."""
    said = refused(with_parquet(files, **columns), "held.parquet")
    assert said.startswith("method.prior (")
    assert "held.parquet): " in said
    assert says in said


def test_a_parquet_column_that_is_there_twice_is_refused(files: Town) -> None:
    """Which of them to read is for the file's owner to say."""
    table = pa.Table.from_arrays(
        [pa.array(["P1"]), pa.array([1]), pa.array([2])], ["origin", "trips", "trips"]
    )
    pq.write_table(table, files.folder / "held.parquet")
    assert "more than one column 'trips'; rename all but one" in refused(files, "held.parquet")


def test_a_file_that_is_no_parquet_is_refused(files: Town) -> None:
    """The name alone does not make it one."""
    (files.folder / "held.parquet").write_text("origin,trips\nP1,3\n")
    said = refused(files, "held.parquet")
    assert said.startswith("method.prior (")
    assert "it cannot be read as Parquet" in said


def test_a_prior_that_is_nowhere_is_refused(files: Town) -> None:
    """A misspelt kind looks like a missing file, so the complaint lists the kinds, and the one that was meant."""
    said = refused(files, "Gravty")
    assert said.startswith("method.prior: there is no file or folder ")
    assert said.endswith("or one of none, uniform, gravity; did you mean 'gravity'?")


def test_a_missing_file_is_not_taken_for_a_misspelt_kind(files: Town) -> None:
    """Its name is like none of the kinds, so none is proposed."""
    assert refused(files, "survey.csv").endswith("or one of none, uniform, gravity")


def test_a_folder_that_is_no_release_is_refused(files: Town) -> None:
    """It holds no manifest, and the complaint says so."""
    (files.folder / "empty").mkdir()
    said = refused(files, "empty")
    assert said.startswith("method.prior: ")
    assert said.endswith("empty is not a published folder: it holds no manifest.json")


@pytest.mark.parametrize(
    "spoilt", [{"rehearsal": True, "private": False}, {"private": False}, {"ledger_entry": None}], ids=str
)
def test_a_release_that_is_not_private_is_refused(files: Town, spoilt: dict[str, object]) -> None:
    """What a seed or no charge made would be published again, inside of something that promises privacy."""
    path = published(files) / MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | spoilt))
    said = refused(files, "earlier")
    assert said.startswith("method.prior: the release in ")
    assert "is marked NOT PRIVATE; name one that a ledger was charged for" in said


@pytest.mark.parametrize("name", [ARRAYS, MANIFEST])
def test_a_damaged_release_is_refused(files: Town, name: str) -> None:
    """Whatever is wrong with the folder, the complaint names the key that pointed there."""
    (published(files) / name).write_bytes(b"junk")
    said = refused(files, "earlier")
    assert said.startswith("method.prior: ")
    assert "restore it from a copy" in said


def test_a_release_of_another_universe_is_refused(files: Town) -> None:
    """Its cells are not this file's cells."""
    published(files, **{"minutes = 360": "minutes = 180"})
    said = refused(files, "earlier")
    assert said.startswith("method.prior: the release in ")
    assert "has other axes or other labels than this file" in said


@pytest.mark.parametrize("prior", ["uniform", "gravity", "held.csv"])
def test_too_many_cells_for_a_prior_are_refused(files: Town, prior: str) -> None:
    """A prior lists every cell; the way out is named."""
    said = refused(with_csv(files, "P1,3"), prior, edits=[SEATS])
    assert said.startswith("method.prior: a prior lists every cell, and 1,296,000,000 are too many")
    assert "prior = 'none'" in said


@pytest.mark.parametrize("times", [1, 2])
def test_gravity_without_coordinates_is_refused(files: Town, times: int) -> None:
    """Distances need both ends."""
    said = refused(files, "gravity", edits=[LOCATED] * times)
    assert said.startswith("method.prior: 'gravity' needs two axes of places with coordinates")


@pytest.mark.parametrize("prior", ["uniform", None])
def test_a_budget_for_a_plan_is_refused(files: Town, prior: str | None) -> None:
    """Nobody can divide among margins that are chosen later."""
    said = refused(files, prior, edits=[('epsilon = "1"', 'epsilon = "1"\nbudget = "uniform"')])
    assert said.startswith("privacy.budget divides epsilon among margins that are named")
    assert "method.margins, or use prior = 'none'" in said


def test_shares_for_other_than_the_named_margins_are_refused(files: Town) -> None:
    """A share for each margin, the total first."""
    edit = ('epsilon = "1"', 'epsilon = "1"\nbudget = "custom"\nshares = [1, 2]')
    said = refused(files, "uniform", 'margins = ["period", "zone pair"]', edits=[edit])
    assert said.startswith("privacy.shares: 2 shares for 3 measurements")


@pytest.mark.parametrize("weights", ["uniform", "published"])
def test_weights_with_a_prior_are_refused(files: Town, weights: str) -> None:
    """They belong to the fit without one, the usual ones too, and nothing asked for is passed over."""
    assert refused(files, "gravity", f'weights = "{weights}"').startswith(
        "method.weights goes with prior = 'none'"
    )


@pytest.mark.parametrize(
    ("prior", "fit", "has"),
    [("gravity", "cbdp", "tempered"), ("uniform", "free", "tempered"), ("none", "tempered", "cbdp, free")],
)
def test_a_fit_that_does_not_suit_the_prior_is_refused(files: Town, prior: str, fit: str, has: str) -> None:
    """The complaint says which fits do."""
    said = refused(files, prior, f'fit = "{fit}"')
    assert said.startswith(f"method.fit: 'cbdp' with prior = '{prior}' has no fit '{fit}'; it has {has}")


def test_an_unknown_margin_is_refused(files: Town) -> None:
    """The nearest name is offered."""
    said = refused(files, "uniform", 'margins = ["zone pairs"]')
    assert said == "method.margins: there is no margin 'zone pairs'; did you mean 'zone pair'?"


@pytest.mark.parametrize("name", ["rough total", "origin", "origin by destination"])
def test_a_feature_may_not_take_the_name_of_another_margin(files: Town, name: str) -> None:
    """Margins that may be measured beside it are told apart by name, so one of them must give way."""
    files.edit('name = "zone pair"', f'name = "{name}"')
    with pytest.raises(InputError, match=f"two margins would be called '{name}'; give the feature another"):
        load_spec(files.file)
