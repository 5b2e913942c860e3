"""What the pipeline draws, charges and keeps on the way from a file to a folder: the three must be one.

And the cheats that the gate is there for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.contracts.gates import price
from tests.contracts.transcript import Draw, Recording

from quietway import pipeline
from quietway.budget import Ledger
from quietway.counts import Counts
from quietway.estimate.leaves import HIGHEST_LEVEL
from quietway.measurement import Measurement
from quietway.mechanisms import Mechanism
from quietway.noise import NoiseSource, secure
from quietway.publish.store import load_release
from quietway.spec import ReleaseSpec
from quietway.universe.members import Members

Measured = tuple[Measurement, ...]
Cheat = Callable[[Callable[[], Measured]], Measured]


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[Recording]:
    """Every secure source that the pipeline takes from now on, each with its transcript."""
    count, counted, taken = pipeline.count, list[Counts](), list[Recording]()

    def remembered(spec: ReleaseSpec) -> Counts:
        counted.append(count(spec))
        return counted[-1]

    def written_down() -> NoiseSource:
        taken.append(Recording(source=secure(), counts=counted[-1]))
        return taken[-1]

    monkeypatch.setattr(pipeline, "count", remembered)
    monkeypatch.setattr(pipeline, "secure", written_down)
    return taken


def require_paid_and_kept(output: Path, ledger: Path, sources: list[Recording]) -> None:
    """The gate: all that was drawn was charged, to the last fraction, and it alone is what the folder holds."""
    release = load_release(output)
    manifest = release.manifest
    entries = Ledger.open(ledger).entries(manifest.dataset)
    [charged] = [entry.epsilon for entry in entries if entry.id == manifest.ledger_entry]
    draws = [draw for source in sources for draw in source.draws]
    worth = sum((price(draw, manifest.unit) for draw in draws), Fraction(0))
    assert worth == charged, f"the draws are worth {worth}, and {charged} was charged"
    assert len(release.measurements) == len(draws), "the folder holds more or less than was drawn"
    for measurement, draw in zip(release.measurements, draws, strict=True):
        _require_kept(measurement, draw)


def _require_kept(measurement: Measurement, draw: Draw) -> None:
    assert (measurement.scale, measurement.threshold) == (draw.scale, draw.threshold)
    if draw.sizes:
        _require_listed(measurement, draw)
        return
    if draw.threshold is None:
        assert measurement.blocks is None
        told = draw.answer
    else:
        above = np.flatnonzero(draw.answer >= draw.threshold)
        assert measurement.blocks is not None
        assert np.array_equal(measurement.blocks, above), "the folder lists other cells than were drawn"
        told = draw.answer[above]
    assert np.array_equal(measurement.noisy, told), "the folder holds numbers that were not drawn"


def _require_listed(measurement: Measurement, draw: Draw) -> None:
    """Of hidden cells, exactly those that reach the floors, which were asked for last; none after a fit that failed."""
    assert measurement.floors is not None and measurement.blocks is not None
    if (measurement.floors.levels == HIGHEST_LEVEL).all():
        assert not measurement.blocks.size and not measurement.noisy.size, "cells are listed above all levels"
        return
    assert np.array_equal(measurement.floors.levels, draw.asked[-1]), (
        "the floors are not the levels asked for"
    )
    members = Members(measurement.floors.groups)
    noisy = np.empty_like(draw.answer)
    noisy[members.keys(np.arange(noisy.size))] = draw.answer
    shown = np.flatnonzero(noisy >= measurement.floors.levels[measurement.floors.groups.labels()])
    assert np.array_equal(measurement.blocks, shown), "the folder lists other cells than were drawn"
    assert np.array_equal(measurement.noisy, noisy[shown]), "the folder holds numbers that were not drawn"


def cheating(mechanism: type[Mechanism], cheat: Cheat, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on whoever measures with the mechanism gets what the cheat makes of it."""
    honest = mechanism.measure

    def measure(self: Mechanism, counts: Counts, *, rng: NoiseSource) -> Measured:
        return cheat(lambda: honest(self, counts, rng=rng))

    monkeypatch.setattr(mechanism, "measure", measure)


def mean_of_two(measure: Callable[[], Measured]) -> Measured:
    """Half the variance, for one charge."""
    return tuple(
        replace(one, noisy=(one.noisy + other.noisy) // 2)
        for one, other in zip(measure(), measure(), strict=True)
    )


def larger_of_two(measure: Callable[[], Measured]) -> Measured:
    """The run that pleases more, for one charge."""
    return max(measure(), measure(), key=lambda measured: int(measured[0].noisy[0]))


def touched_up(measure: Callable[[], Measured]) -> Measured:
    """What was drawn, and changed before it is kept."""
    return tuple(replace(one, noisy=one.noisy + 1) for one in measure())
