"""What is paid for is finished without paying again, and rehearsals never get in between."""

from __future__ import annotations

import errno
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import quietway
from quietway.budget import Ledger
from quietway.errors import BudgetExceeded, OutputError, PrivacyError, Unsettled
from quietway.publish.folder import WRITERS
from quietway.publish.staging import Staging

from .conftest import Town


def fill_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on the disk is full when the second file is written."""

    def full(release: object, folder: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setitem(WRITERS, "trips.csv", full)


def test_a_release_that_fails_after_paying_is_finished_for_free(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fills while publishing leaves no output; --resume publishes the very same noise."""
    with monkeypatch.context() as patch:
        fill_disk(patch)
        with pytest.raises(OutputError, match="--resume"):
            quietway.release(town.file)
    assert not town.output.exists()
    paid = np.load(town.folder / ".published.paid" / "arrays.npz")["noisy 0"]
    with pytest.raises(OutputError, match="already paid for"):
        quietway.release(town.file)
    release = quietway.release(town.file, resume=True)
    assert np.array_equal(release.measurements[0].noisy, paid)
    assert town.spent() == "1" and town.leftovers() == {"published"}


def test_another_release_file_cannot_finish_it(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was paid for one specification is not published as another."""
    with monkeypatch.context() as patch:
        fill_disk(patch)
        with pytest.raises(OutputError):
            quietway.release(town.file)
    town.edit('name = "Small town"', 'name = "Another town"')
    with pytest.raises(OutputError, match="another version"):
        quietway.release(town.file, resume=True)


@pytest.mark.parametrize("gone", [True, False], ids=["gone", "changed"])
def test_a_prior_that_was_read_is_needed_no_more(
    town: Town, monkeypatch: pytest.MonkeyPatch, gone: bool
) -> None:
    """What was paid for keeps the table: it may be gone when the release is finished, but not be another."""
    table = town.folder / "held.csv"
    table.write_text("origin,trips\nP1,3\nP2,1\n")
    town.edit("[rehearsal]", '[method]\nprior = "held.csv"\n\n[rehearsal]')
    with monkeypatch.context() as patch:
        fill_disk(patch)
        with pytest.raises(OutputError, match="--resume"):
            quietway.release(town.file)
    if gone:
        table.unlink()
        with pytest.raises(OutputError, match="already paid for"):
            quietway.release(town.file)
        release = quietway.release(town.file, resume=True)
        assert release.prior is not None and release.prior.values.tolist() == [3, 1]
        assert town.spent() == "1" and town.leftovers() == {"published"}
    else:
        table.write_text("origin,trips\nP1,3\nP2,2\n")
        with pytest.raises(OutputError, match="or of a file that it names"):
            quietway.release(town.file, resume=True)


def test_there_must_be_something_to_resume(town: Town) -> None:
    """Resuming where nothing is paid for is a mistake, and costs nothing."""
    with pytest.raises(OutputError, match="nothing is waiting"):
        quietway.release(town.file, resume=True)
    assert town.spent() == "0" and not town.leftovers()


def test_resuming_needs_the_ledger_that_was_charged(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """Measurements whose charge is not in the ledger any more are not published."""
    with monkeypatch.context() as patch:
        fill_disk(patch)
        with pytest.raises(OutputError):
            quietway.release(town.file)
    town.ledger.unlink()
    town.limit()
    with pytest.raises(PrivacyError, match="does not hold the charge"):
        quietway.release(town.file, resume=True)


def test_a_rehearsal_costs_nothing_and_says_so(town: Town, tmp_path: Path) -> None:
    """No record is read, no ledger is touched, the same seed gives the same table, and it is marked."""
    town.trips.unlink()
    spec = quietway.load_spec(town.file)
    first = quietway.rehearse(spec, tmp_path / "one")
    second = quietway.rehearse(spec, tmp_path / "two")
    assert np.array_equal(first.release.counts, second.release.counts)
    assert not first.release.manifest.private and first.release.manifest.rehearsal
    assert "NOT PRIVATE" in (tmp_path / "one" / "statement.md").read_text().splitlines()[0]
    assert town.spent() == "0"
    assert json.loads((tmp_path / "one" / "manifest.json").read_text())["ledger_entry"] is None


def test_a_rehearsal_measures_its_own_errors(town: Town, tmp_path: Path) -> None:
    """Every margin is compared with the invented truth, beside the zero and uniform answers."""
    rehearsal = quietway.rehearse(quietway.load_spec(town.file), tmp_path / "out", trips=5_000)
    total = rehearsal.trials[0]
    assert (total.margin, total.blocks, total.zero, total.uniform) == ("total", 1, 5_000.0, 0.0)
    assert total.estimate < 100
    assert [trial.margin for trial in rehearsal.trials[1:]] == ["period", "zone pair"]


def test_a_rehearsal_does_not_overwrite_what_is_paid_for(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """Measurements that wait to be published survive a rehearsal into the same place."""
    with monkeypatch.context() as patch:
        fill_disk(patch)
        with pytest.raises(OutputError):
            quietway.release(town.file)
    with pytest.raises(OutputError, match="already paid for"):
        quietway.rehearse(quietway.load_spec(town.file), town.output)
    assert quietway.release(town.file, resume=True).manifest.private


def test_an_interrupted_rehearsal_is_never_published_as_a_release(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--resume takes nothing that was not paid for."""
    with monkeypatch.context() as patch:
        fill_disk(patch)
        with pytest.raises(OutputError):
            quietway.rehearse(quietway.load_spec(town.file), town.output)
    with pytest.raises(OutputError, match="interrupted rehearsal"):
        quietway.release(town.file, resume=True)


def test_a_rehearsal_makes_room_for_the_next(town: Town, tmp_path: Path) -> None:
    """Rehearsing again replaces the rehearsal, and never a release."""
    spec = quietway.load_spec(town.file)
    quietway.rehearse(spec, tmp_path / "again")
    quietway.rehearse(spec, tmp_path / "again")
    quietway.release(spec)
    with pytest.raises(OutputError, match="already exists"):
        quietway.rehearse(spec, spec.output)


def test_a_disk_that_fills_while_charging_does_not_hide_the_charge(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the note of the charge cannot be written, the failure still says that something may be spent."""
    note = Staging.note

    def full(stage: Staging, entry: int | None, epsilon: Fraction) -> None:
        if entry is not None:
            raise OutputError("No space left on device")
        note(stage, entry, epsilon)

    monkeypatch.setattr(Staging, "note", full)
    with pytest.raises(OutputError) as failure:
        quietway.release(town.file)
    assert town.spent() == "1"
    assert any("may have been charged epsilon 1" in text for text in failure.value.__notes__)


@pytest.mark.parametrize("end", [KeyboardInterrupt, Unsettled("the disk failed"), OSError(errno.EIO, "bad")])
@pytest.mark.parametrize("paid", [True, False])
def test_a_charge_that_may_stand_leaves_a_note(
    town: Town, monkeypatch: pytest.MonkeyPatch, end: BaseException, paid: bool
) -> None:
    """Whatever ends the charge, unless it is a refusal, is told to the next run, which does not pay again."""
    charge = Ledger.charge

    def ended(*told: object, **more: object) -> None:
        if paid:
            charge(*told, **more)  # type: ignore[arg-type]
        raise end

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "charge", ended)
        with pytest.raises((KeyboardInterrupt, Unsettled, OutputError)) as failure:
            quietway.release(town.file)
    told = " ".join([str(failure.value), *getattr(failure.value, "__notes__", ())])
    assert "This run may have been charged epsilon 1 (`quietway ledger show` tells)" in told
    with pytest.raises(
        OutputError, match=r"an earlier run .* may have been charged epsilon 1 .*Delete .* to pay"
    ):
        quietway.release(town.file)
    assert town.spent() == ("1" if paid else "0")


def test_a_refused_charge_leaves_no_note(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """A charge that the ledger refuses at the last moment is not taken for one that was lost."""

    def refuse(*_: object, **__: object) -> None:
        raise BudgetExceeded("somebody was faster")

    with monkeypatch.context() as patch:
        patch.setattr("quietway.pipeline.Ledger.charge", refuse)
        with pytest.raises(BudgetExceeded) as refusal:
            quietway.release(town.file)
    assert not getattr(refusal.value, "__notes__", None)
    assert quietway.release(town.file).manifest.private
