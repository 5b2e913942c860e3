"""The ledger is charged, durably, before any noise is drawn, and by exactly what is drawn."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.project import DATASET, EPSILON, Watching, few_trips, ledger_of, spent, write_project

from quietway import pipeline
from quietway.budget import Charge, Ledger
from quietway.errors import BudgetError, OutputError
from quietway.noise import secure
from quietway.publish.kept import load_manifest


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release whose records are replaced by a few counts."""
    monkeypatch.setattr(pipeline, "count", few_trips)
    return write_project(tmp_path)


def require_charge_first(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gate: from now on the pipeline's source refuses to draw until the ledger holds the whole epsilon."""
    before = spent(file.parent)
    watching = Watching(secure(), lambda: spent(file.parent) == before + EPSILON)
    monkeypatch.setattr(pipeline, "secure", lambda: watching)


def test_every_draw_is_paid_for_beforehand(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each draw the ledger, opened anew, already holds the charge."""
    require_charge_first(project, monkeypatch)
    pipeline.release(project)
    assert spent(project.parent) == EPSILON


def test_drawing_before_the_charge_is_caught(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipeline that measures while it counts fails the gate."""
    require_charge_first(project, monkeypatch)

    def eager(spec: Any) -> Any:
        counts = few_trips(spec)
        spec.mechanism.measure(counts, rng=pipeline.secure())
        return counts

    monkeypatch.setattr(pipeline, "count", eager)
    with pytest.raises(AssertionError, match="before the ledger was charged"):
        pipeline.release(project)


def test_a_charge_that_is_not_durable_is_caught(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ledger that promises to write later fails the gate."""

    def later(self: Ledger, dataset: str, cost: Any, **_: object) -> Charge:
        return Charge(id=1, dataset=dataset, epsilon=cost.epsilon, hash="0", time="now")

    require_charge_first(project, monkeypatch)
    monkeypatch.setattr(pipeline, "_require_payment", lambda *_: None)
    monkeypatch.setattr(Ledger, "charge", later)
    with pytest.raises(AssertionError, match="before the ledger was charged"):
        pipeline.release(project)


def test_a_charge_that_is_too_small_is_caught(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipeline that pays for a part of what it draws fails the gate."""
    charge = Ledger.charge

    def cheap(self: Ledger, dataset: str, cost: Any, **rest: Any) -> Charge:
        return charge(self, dataset, type(cost)(cost.epsilon / 2, cost.unit), **rest)

    require_charge_first(project, monkeypatch)
    monkeypatch.setattr(pipeline, "_require_payment", lambda *_: None)
    monkeypatch.setattr(Ledger, "charge", cheap)
    with pytest.raises(AssertionError, match="before the ledger was charged"):
        pipeline.release(project)


def test_manifest_and_ledger_name_the_same_charge(project: Path) -> None:
    """The published folder points at the entry that paid for it, and both say the declared epsilon."""
    pipeline.release(project)
    manifest = load_manifest(project.parent / "published")
    assert manifest.private and manifest.epsilon == EPSILON == sum(part for _, part in manifest.parts)
    assert ledger_of(project.parent).contains(manifest.ledger_entry or 0, manifest.ledger_hash or "")


def refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No budget left."""
    ledger_of(project.parent).limit(DATASET, Fraction(1, 100))


def unreadable(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records that cannot be counted."""

    def fail(spec: Any) -> Any:
        raise OutputError("no")

    monkeypatch.setattr(pipeline, "count", fail)


def taken(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An output that is already there."""
    (project.parent / "published").mkdir()


def full(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk without room."""

    def refuse(*_: object) -> None:
        raise OutputError("no room")

    monkeypatch.setattr(pipeline, "require_space", refuse)


def mute(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An operating system that gives no randomness."""

    def fail() -> Any:
        raise OutputError("no randomness")

    monkeypatch.setattr(pipeline, "secure", fail)


@pytest.mark.parametrize("spoil", [refused, unreadable, taken, full, mute])
def test_a_refusal_draws_and_spends_nothing(
    spoil: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a release is refused, no noise was drawn, nothing was spent and nothing is left on disk."""
    monkeypatch.setattr(pipeline, "secure", lambda: Watching(secure(), lambda: False))
    spoil(project, monkeypatch)
    with pytest.raises((BudgetError, OutputError)):
        pipeline.release(project)
    assert spent(project.parent) == 0
    assert not (project.parent / ".published.paid").exists()


def test_a_failure_after_the_charge_is_kept_by_the_ledger(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was charged stays charged: a failure in measuring may waste budget, never gives it back, and tells."""
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "secure", lambda: Watching(secure(), lambda: False))
        with pytest.raises(AssertionError) as failure:
            pipeline.release(project)
    assert (
        "was charged epsilon 1/2 (ledger entry 3), and whatever it paid is lost" in failure.value.__notes__[0]
    )
    assert spent(project.parent) == EPSILON
    with pytest.raises(OutputError, match=r"an earlier run .* was charged epsilon 1/2 \(ledger entry 3\)"):
        pipeline.release(project)
    assert spent(project.parent) == EPSILON
