"""release(): the whole flow, from records to a published folder.

records --> counts --> MEASUREMENT --> estimate --> publish
sensitive   sensitive  | the wall |    public       public
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from shlex import quote

from quietway.budget import Charge, Ledger
from quietway.counts import Counts, Paths
from quietway.errors import BudgetError, PrivacyError, QuietwayError, Unsettled
from quietway.kinds import MISFIT, Measured, Published, Raw, Spec, count, keep, values
from quietway.noise import NoiseSource, secure
from quietway.paths.spec import PathSpec, load_any_spec
from quietway.publish.folder import write_faces
from quietway.publish.manifest import Manifest
from quietway.publish.staging import Staging, require_space, staging
from quietway.publish.store import load_release
from quietway.spec import ReleaseSpec

OnStep = Callable[[str], None]


def unheard(step: str) -> None:
    """Nobody wants to know."""


def release(spec: Spec | str | Path, *, resume: bool = False, on_step: OnStep = unheard) -> Published:
    """Publish what a release file describes, and return it.

    The ledger is charged before any noise is drawn, and nothing is charged
    before the records have been read and counted without complaint. With
    `resume`, measurements that an earlier, interrupted run has paid for are
    published without paying again.
    """
    if isinstance(spec, str | Path):
        spec = load_any_spec(spec)
    if resume:
        return _resume(spec, on_step)
    Staging.beside(spec.output).require_unpaid()
    ledger = _ledger_with_room(spec)
    with staging(spec.output) as stage:
        stage.require_unpaid()
        require_space(spec.output, values(spec))
        on_step("reading and counting the records")
        counts, rng = count(spec), secure()
        on_step("charging the ledger")
        charge = pay(spec, stage, ledger)
        on_step("measuring")
        measure(spec, counts, stage, charge=charge, ledger=ledger, rng=rng)
        return finish(stage, on_step=on_step)


def _resume(spec: Spec, on_step: OnStep) -> Published:
    with staging(spec.output) as stage:
        paid = stage.require_paid(spec.hash)
        ledger = Ledger.open(spec.ledger, create=False)
        _require_entry(ledger, paid.ledger_entry, paid.ledger_hash)
        return finish(stage, on_step=on_step)


def pay(spec: Spec, stage: Staging, ledger: Ledger) -> Charge:
    """Charge the ledger, durably, with a note of it for whoever finds this run dead.

    Only a refusal proves that nothing was written. Whatever else ends the
    charge may have come after its commit, so the note stays.
    """
    cost = spec.mechanism.cost
    stage.note(None, cost.epsilon)
    try:
        charge = ledger.charge(
            spec.file.release.dataset, cost, purpose=spec.file.release.name, spec_hash=spec.hash
        )
    except QuietwayError as refusal:
        if not isinstance(refusal, Unsettled):
            stage.forget()
        raise
    stage.note(charge.id, cost.epsilon)
    return charge


def measure(
    spec: Spec,
    counts: Raw,
    stage: Staging,
    *,
    charge: Charge | None,
    ledger: Ledger | None,
    rng: NoiseSource,
) -> Measured:
    """Draw the noise, and keep what it made before anything else can fail."""
    if charge is not None and ledger is not None:
        _require_payment(spec, ledger, charge)
    elif charge is not None or rng.private:
        raise PrivacyError(
            "secure noise is drawn only against a charge in a ledger; rehearse with a seeded source"
        )
    measured = _measured(spec, counts, rng)
    private = rng.private and not counts.seeded
    keep(spec, stage.folder, manifest(spec, charge=charge, private=private), measured)
    return measured


def _measured(spec: Spec, counts: Raw, rng: NoiseSource) -> Measured:
    if isinstance(spec, PathSpec) and isinstance(counts, Paths):
        return spec.mechanism.measure(counts, rng=rng)
    if isinstance(spec, ReleaseSpec) and isinstance(counts, Counts):
        return spec.mechanism.measure(counts, rng=rng)
    raise PrivacyError(MISFIT)


def _ledger_with_room(spec: Spec) -> Ledger:
    """The ledger, which would not refuse this release: asked before anything is read or made."""
    dataset = spec.file.release.dataset
    if not spec.ledger.exists():
        raise BudgetError(
            f"there is no ledger at {spec.ledger} yet; say what '{dataset}' may spend in total: "
            f"`quietway ledger limit {quote(dataset)} EPSILON --ledger {quote(str(spec.ledger))}`"
        )
    ledger = Ledger.open(spec.ledger, create=False)
    ledger.account(dataset).charged(spec.mechanism.cost)
    return ledger


def _require_payment(spec: Spec, ledger: Ledger, charge: Charge) -> None:
    """The charge is for this release, and stands in its ledger."""
    if (charge.dataset, charge.epsilon) != (spec.file.release.dataset, spec.mechanism.cost.epsilon):
        raise PrivacyError("this charge is for another dataset or another epsilon than the release")
    _require_entry(ledger, charge.id, charge.hash)


def _require_entry(ledger: Ledger, entry: int | None, digest: str | None) -> None:
    if entry is None or digest is None or not ledger.contains(entry, digest):
        raise PrivacyError(
            f"ledger {ledger.path} does not hold the charge that these measurements were paid with "
            f"(entry {entry}); restore the ledger to finish this release"
        )


def finish(stage: Staging, *, on_step: OnStep = unheard) -> Published:
    """Fit and publish what has been paid for; nothing here sees the records."""
    on_step("fitting")
    published = load_release(stage.folder)
    _ = published.solution  # the fit itself, before any file is begun
    for face in write_faces(published, stage.folder):
        on_step(f"writing {face}")
    stage.publish()
    return published


def manifest(spec: Spec, *, charge: Charge | None, private: bool) -> Manifest:
    """What the release says about itself."""
    return Manifest(
        name=spec.file.release.name,
        dataset=spec.file.release.dataset,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        quietway=version("quietway"),
        versions={name: version(name) for name in ("numpy", "duckdb", "ibis-framework", "cryptography")},
        spec_hash=spec.hash,
        unit=spec.unit,
        epsilon=spec.mechanism.cost.epsilon,
        parts=spec.mechanism.parts,
        method=spec.file.method.name,
        settings=spec.settings,
        rehearsal=charge is None,
        private=private and charge is not None,
        ledger_entry=charge.id if charge else None,
        ledger_hash=charge.hash if charge else None,
    )
