"""The whole flow on a small town."""

from __future__ import annotations

import shutil
from dataclasses import replace
from fractions import Fraction
from functools import partial
from types import SimpleNamespace

import numpy as np
import pyarrow.parquet as pq
import pytest

import quietway
from quietway import pipeline
from quietway.budget import Ledger
from quietway.errors import (
    BudgetError,
    BudgetExceeded,
    FitError,
    OutputError,
    PrivacyError,
    QuietwayError,
)
from quietway.estimate import newton
from quietway.mechanisms import ConstraintBased, registry
from quietway.publish.kept import load_manifest
from tests.contracts import paid
from tests.contracts.transcript import Recording

from .conftest import TRIPS, Town

FACES = {
    "trips.parquet",
    "trips.csv",
    "margins",
    "matrices.omx",
    "flows.geojson",
    "statement.md",
    "report.html",
}


def test_a_release_publishes_every_face(town: Town) -> None:
    """The output folder holds the table in every format, the papers, and what queries need."""
    quietway.release(town.file)
    assert {path.name for path in town.output.iterdir()} == FACES | {
        "manifest.json",
        "structure.json",
        "arrays.npz",
    }
    assert town.leftovers() == {"published"}


def test_a_release_charges_what_it_declares(town: Town) -> None:
    """The ledger, the manifest and the sum of the parts agree on what was spent."""
    release = quietway.release(town.file)
    manifest = load_manifest(town.output)
    assert town.spent() == "1" == str(manifest.epsilon) == str(sum(epsilon for _, epsilon in manifest.parts))
    assert manifest.private and not manifest.rehearsal
    assert manifest == release.manifest
    assert Ledger.open(town.ledger).contains(manifest.ledger_entry or 0, manifest.ledger_hash or "")


def test_what_is_published_is_what_is_returned(town: Town) -> None:
    """The release in memory, the folder opened again, and the Parquet table tell the same trips."""
    release = quietway.release(town.file)
    again = quietway.load(town.output)
    table = pq.read_table(town.output / "trips.parquet")
    assert np.array_equal(release.keys, again.keys) and np.array_equal(release.counts, again.counts)
    assert sum(table["trips"].to_pylist()) == release.total == again.total
    assert release.query({"period": slice("06:00", "18:00")}) == again.query(
        {"period": slice("06:00", "18:00")}
    )


def test_published_margins_add_up(town: Town) -> None:
    """The cells sum to the total by every margin."""
    release = quietway.release(town.file)
    assert release.query().table == release.total
    for name, partition in release.features:
        assert release.margin(release.feature(name)).table.sum() == release.total, partition.columns


def test_answers_are_near_the_truth(town: Town) -> None:
    """With a generous epsilon the total comes back within its interval, and the interval is short."""
    town.edit('epsilon = "1"', 'epsilon = "40"')
    town.limit("40")
    answer = quietway.release(town.file).query(confidence=0.9999)
    assert answer.low <= TRIPS <= answer.high
    assert answer.high - answer.low < 20


def test_a_second_release_is_refused_when_the_budget_is_spent(town: Town) -> None:
    """The refusal says what is left and what was asked, and leaves nothing behind."""
    quietway.release(town.file)
    town.edit('output = "published"', 'output = "second"')
    with pytest.raises(BudgetExceeded, match="0 left") as refusal:
        quietway.release(town.file)
    assert "asks for 1" in str(refusal.value)
    assert town.leftovers() == {"published"}


def test_a_dataset_without_a_limit_is_refused_before_reading(town: Town) -> None:
    """The message says how to set the limit, naming the ledger's file."""
    town.edit('dataset = "small-town"', 'dataset = "unheard-of"')
    town.trips.unlink()
    with pytest.raises(
        BudgetError, match=r"quietway ledger limit unheard-of EPSILON --ledger \S*ledger.sqlite"
    ):
        quietway.release(town.file)


def test_an_output_that_exists_is_not_touched(town: Town) -> None:
    """Publishing never overwrites."""
    town.output.mkdir()
    (town.output / "precious").write_text("mine")
    with pytest.raises(OutputError, match="already exists"):
        quietway.release(town.file)
    assert (town.output / "precious").read_text() == "mine"
    assert town.spent() == "0"


def test_a_full_disk_is_noticed_before_anything_is_spent(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too little room for the release is a refusal that says how much is needed."""
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1_000))
    with pytest.raises(OutputError, match="MB free"):
        quietway.release(town.file)
    assert town.spent() == "0" and not town.leftovers()


def test_the_hash_follows_public_files_but_not_places_of_files(town: Town) -> None:
    """Another list of places is another release; another output folder is not."""
    first = quietway.load_spec(town.file).hash
    town.edit('output = "published"', 'output = "elsewhere"')
    assert quietway.load_spec(town.file).hash == first
    places = town.folder / "places.csv"
    places.write_text(places.read_text().replace("north", "nord"))
    assert quietway.load_spec(town.file).hash != first


CANARY = "Zq7CanaryZq7"


def _spoil_place(rows: list[str]) -> None:
    rows[10] = rows[10].replace(",P", f",{CANARY}", 1)


def _spoil_time(rows: list[str]) -> None:
    rows[10] = f"r10,P1,P2,{CANARY}"


def _drop_rider(rows: list[str]) -> None:
    rows[10] = rows[10].split(",", 1)[1].join([",", ""])


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda town: town.trips.unlink(), "trips.csv"),
        (lambda town: town.trips.write_text(""), "empty"),
        (lambda town: town.trips.write_text("rider,start,end,departed_at\n"), "holds no trips"),
        (lambda town: town.edit('path = "trips.csv"', 'path = "trips.csv"\nformat = "parquet"'), "Parquet"),
        (lambda town: town.edit('column = "start"', 'column = "strat"'), "'strat'"),
        (lambda town: town.write_trips(50, change=_spoil_place), "start"),
        (lambda town: town.write_trips(50, change=_spoil_time), "at"),
        (lambda town: town.write_trips(50, change=_drop_rider), "rider"),
    ],
    ids=["missing", "empty", "no rows", "not parquet", "column", "unknown place", "not a time", "no rider"],
)
def test_bad_records_are_refused_before_anything_is_spent(town: Town, spoil: object, says: str) -> None:
    """The message names what to change, holds no raw value, and neither money nor folder is touched."""
    spoil(town)  # pyright: ignore
    with pytest.raises(QuietwayError) as refusal:
        quietway.release(town.file)
    assert says.lower() in str(refusal.value).lower()
    assert CANARY not in str(refusal.value) + repr(refusal.value)
    assert town.spent() == "0"
    assert not [name for name in town.leftovers() if "published" in name]


def test_steps_are_told_in_order(town: Town) -> None:
    """Progress names the charge before the measuring, and publishing last."""
    steps = list[str]()
    quietway.release(town.file, on_step=steps.append)
    assert steps[:4] == ["reading and counting the records", "charging the ledger", "measuring", "fitting"]
    assert steps[-1] == "writing report.html"


@pytest.mark.parametrize("method", ["cbdp", "hierarchy", "laplace", "identity", "uniform", "threshold"])
def test_every_method_publishes(town: Town, method: str) -> None:
    """Each method of the registry runs from file to folder and back."""
    town.file.write_text(town.file.read_text() + f'\n[method]\nname = "{method}"\n')
    release = pipeline.release(town.file)
    answer = quietway.load(town.output).query({"period": "00:00"})
    assert answer.low <= answer.high
    assert release.manifest.method == method


def test_secure_noise_is_never_drawn_without_a_charge(town: Town) -> None:
    """Measuring for free needs a seeded source."""
    from quietway.noise import secure
    from quietway.publish.staging import staging

    spec = quietway.load_spec(town.file)
    with staging(spec.output) as stage, pytest.raises(PrivacyError, match="against a charge"):
        pipeline.measure(spec, pipeline.count(spec), stage, charge=None, ledger=None, rng=secure())


def test_a_matrix_too_wide_for_models_is_not_written(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the limit of zones the other faces are published without OMX."""
    monkeypatch.setattr("quietway.publish.omx.MOST_ZONES", 5)
    quietway.release(town.file)
    assert {path.name for path in town.output.iterdir()} >= FACES - {"matrices.omx"}
    assert not (town.output / "matrices.omx").exists()


def test_noise_needs_the_charge_of_this_very_release(town: Town) -> None:
    """An invented charge, or one for something else, buys nothing."""
    from quietway.budget import Charge
    from quietway.noise import secure
    from quietway.publish.staging import staging

    spec = quietway.load_spec(town.file)
    counts = pipeline.count(spec)
    ledger = Ledger.open(town.ledger)
    invented = Charge(id=1, dataset="small-town", epsilon=spec.epsilon, hash="x", time="now")
    with staging(spec.output) as stage:
        for charge in (invented, replace(invented, dataset="nope"), replace(invented, epsilon=Fraction(9))):
            with pytest.raises(PrivacyError):
                pipeline.measure(spec, counts, stage, charge=charge, ledger=ledger, rng=secure())


def test_counts_that_were_bounded_with_a_seed_are_never_private(town: Town) -> None:
    """A repeatable draw of trips marks whatever is measured from it."""
    from quietway.counts import Counts
    from quietway.noise import secure
    from quietway.publish.staging import staging

    spec = quietway.load_spec(town.file)
    counts = replace(pipeline.count(spec), seeded=True)
    assert isinstance(counts, Counts)
    with staging(spec.output) as stage:
        ledger = Ledger.open(town.ledger)
        charge = pipeline.pay(spec, stage, ledger)
        pipeline.measure(spec, counts, stage, charge=charge, ledger=ledger, rng=secure())
        assert not load_manifest(stage.folder).private
        shutil.rmtree(stage.folder)


def test_a_refusal_makes_no_folder(town: Town) -> None:
    """What the ledger refuses leaves neither the output's parents nor a new ledger behind."""
    town.edit('output = "published"', 'output = "no/such/place"')
    town.edit('epsilon = "1"', 'epsilon = "9"')
    with pytest.raises(BudgetExceeded):
        quietway.release(town.file)
    town.edit("[privacy]", '[privacy]\nledger = "other.sqlite"')
    with pytest.raises(BudgetError, match="there is no ledger at"):
        quietway.release(town.file)
    assert not town.leftovers()


METHODS = (
    *(f'name = "{method}"' for method in ("hierarchy", "laplace", "identity", "uniform", "threshold")),
    'name = "cbdp"',
    'name = "cbdp"\nprior = "uniform"',
    'name = "cbdp"\nmargins = ["total", "period", "origin by period", "cells"]',
    'name = "cbdp"\nprior = "none"',
    'name = "cbdp"\nprior = "none"\nmargins = ["zone pair"]',
)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("method", METHODS)
def test_every_draw_is_charged_and_kept_as_drawn(
    town: Town, method: str, neighbours: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From file to folder, the draws' sensitivity / scale add up to the charge, and their answers are stored."""
    town.edit("max_trips = 2", f'max_trips = 2\nneighbours = "{neighbours}"')
    town.file.write_text(town.file.read_text() + f"\n[method]\n{method}\n")
    sources = paid.recorded(monkeypatch)
    quietway.release(town.file)
    paid.require_paid_and_kept(town.output, town.ledger, sources)


def hiding(town: Town, monkeypatch: pytest.MonkeyPatch) -> list[Recording]:
    """Constraint-based, its cells hidden however few they are; the sources that will be drawn from."""
    town.file.write_text(town.file.read_text() + '\n[method]\nname = "cbdp"\nprior = "none"\n')
    monkeypatch.setattr(registry, "ConstraintBased", partial(ConstraintBased, most_dense=0))
    return paid.recorded(monkeypatch)


def test_hidden_cells_are_charged_and_kept_as_drawn(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same where the fit decides how far down cells are listed."""
    sources = hiding(town, monkeypatch)
    quietway.release(town.file)
    paid.require_paid_and_kept(town.output, town.ledger, sources)


def test_a_fit_of_hidden_cells_that_gives_up_keeps_what_was_paid_for(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is published, the whole charge stands, and the features are stored as drawn, without any cell."""
    sources = hiding(town, monkeypatch)
    monkeypatch.setattr(newton, "MOST_STEPS", 0)
    with pytest.raises(FitError, match="kept with what was paid for"):
        quietway.release(town.file)
    assert not town.output.exists()
    paid.require_paid_and_kept(town.folder / ".published.paid", town.ledger, sources)


def test_an_earlier_release_as_prior_costs_what_the_new_one_declares(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It draws what it charges and nothing more, and the ledger holds the sum of both."""
    quietway.release(town.file)
    Ledger.open(town.ledger).limit("small-town", Fraction(2))
    town.output.rename(town.folder / "earlier")
    sources = paid.recorded(monkeypatch)
    town.file.write_text(town.file.read_text() + '\n[method]\nname = "cbdp"\nprior = "earlier"\n')
    quietway.release(town.file)
    paid.require_paid_and_kept(town.output, town.ledger, sources)
    assert Ledger.open(town.ledger).account("small-town").spent == 2


@pytest.mark.parametrize(
    ("cheat", "says"),
    [
        (paid.mean_of_two, "draws are worth 2, and 1 was charged"),
        (paid.larger_of_two, "draws are worth 2, and 1 was charged"),
        (paid.touched_up, "numbers that were not drawn"),
    ],
)
def test_more_draws_or_other_numbers_than_were_paid_for_are_caught(
    town: Town, cheat: paid.Cheat, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two draws on one charge, averaged or picked from, and numbers changed before they are stored fail the gate."""
    # Planned margins may differ from draw to draw, so that there would be no mean.
    town.file.write_text(town.file.read_text() + '\n[method]\nname = "laplace"\n')
    paid.cheating(type(quietway.load_spec(town.file).mechanism), cheat, monkeypatch)
    sources = paid.recorded(monkeypatch)
    quietway.release(town.file)
    with pytest.raises(AssertionError, match=says):
        paid.require_paid_and_kept(town.output, town.ledger, sources)
