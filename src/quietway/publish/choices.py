"""What was decided on the way, in words: which margins were measured, and what was held beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quietway.publish.wording import exact

if TYPE_CHECKING:
    from quietway.publish.manifest import Manifest
    from quietway.publish.release import Release

PLAN = "rough total"
PRIORS = {
    "none": "none: nothing was held of the cells, and every one was measured",
    "uniform": "uniform: cells are alike until the noisy margins say otherwise",
    "gravity": "gravity: trips thin out with distance, as fast as the noisy margins say",
    "table": "a table: cells stand to each other as in {}, as far as the noisy margins bear it out",
}


def chosen_margins(release: Release) -> str | None:
    """Which measurements the parts of the budget stand for, where they were chosen on the way; None where not."""
    manifest = release.manifest
    named = {name for name, _ in manifest.parts}
    if PLAN not in named:
        return None
    chosen = [
        (m.name, manifest.unit.sensitivity / m.scale) for m in release.measurements if m.name not in named
    ]
    shares = "; ".join(f"{name}, {exact(epsilon)}" for name, epsilon in chosen)
    return f"What the rough total and public sizes chose to measure, and the epsilon of each: {shares}."


def prior(manifest: Manifest) -> str | None:
    """What was held of the cells beforehand; None where the method knows of no prior."""
    kind = manifest.settings.get("prior")
    if kind is None:
        return None
    return PRIORS[kind].format(manifest.settings.get("prior_from", "the one that was named"))
