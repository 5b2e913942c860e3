"""The whole flow on invented trips: free, repeatable, and compared with a truth that may be shown."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quietway.city import synthetic_paths, synthetic_trips
from quietway.counts import Counts, Paths
from quietway.kinds import Published, Raw, Spec
from quietway.noise import seeded
from quietway.paths.rehearsal import PathTrial, path_trials
from quietway.paths.spec import PathSpec
from quietway.pipeline import OnStep, finish, measure, unheard
from quietway.publish.kept import MANIFEST, load_manifest
from quietway.publish.paths.release import PathRelease
from quietway.publish.release import Release
from quietway.publish.staging import staging
from quietway.universe import Partition


@dataclass(frozen=True, kw_only=True)
class Trial:
    """How one margin came out: root-mean-square errors per block, and how often the interval held the truth.

    `estimate` is the error of the estimates, `table` that of the
    published cells' sums; `zero` and `uniform` are the errors of answering
    nothing, or the true total spread evenly.
    """

    margin: str
    blocks: int
    estimate: float
    table: float
    zero: float
    uniform: float
    covered: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Rehearsal:
    """A release of invented trips or paths, and how far it is from them."""

    release: Published
    trials: tuple[Trial, ...] | tuple[PathTrial, ...]
    trips: int


def rehearse(
    spec: Spec,
    output: Path,
    *,
    trips: int | None = None,
    seed: int | None = None,
    on_step: OnStep = unheard,
) -> Rehearsal:
    """Publish invented trips, or paths, of the same shape. No record is read, no ledger is charged.

    The noise is seeded, so the same rehearsal gives the same numbers, and
    everything it makes is marked as not private.
    """
    guess = spec.file.rehearsal
    seed = guess.seed if seed is None else seed
    _clear_earlier(output)
    with staging(output) as stage:
        stage.require_unpaid()
        on_step("inventing records")
        counts = invented(spec, guess.trips if trips is None else trips, seed)
        on_step("measuring")
        measure(spec, counts, stage, charge=None, ledger=None, rng=seeded(seed))
        release = finish(stage, on_step=on_step)
    on_step("comparing with what was invented")
    return _compared(release, counts, seed)


def _clear_earlier(output: Path) -> None:
    """A rehearsal makes room for the next; nothing else is ever removed."""
    if (output / MANIFEST).is_file() and load_manifest(output).rehearsal:
        shutil.rmtree(output)


def invented(spec: Spec, number: int, seed: int) -> Raw:
    """Trips or paths of plausible shape, made from public structure and a public guess of their number."""
    if isinstance(spec, PathSpec):
        return Paths(spec.space, synthetic_paths(spec.space, paths=number, seed=seed), spec.unit)
    per_user = min(2.0, float(spec.unit.bound))
    keys, values = synthetic_trips(
        spec.universe, trips=number, trips_per_user=per_user, places=spec.places, seed=seed
    )
    return Counts(spec.universe, keys, values, spec.unit)


def _compared(release: Published, truth: Raw, seed: int) -> Rehearsal:
    if isinstance(release, PathRelease) and isinstance(truth, Paths):
        trials = path_trials(release, truth, seed)
        return Rehearsal(release=release, trials=trials, trips=len(truth.points))
    assert isinstance(release, Release) and isinstance(truth, Counts)
    return Rehearsal(release=release, trials=_trials(release, truth), trips=int(truth.values.sum()))


def _trials(release: Release, truth: Counts) -> tuple[Trial, ...]:
    named = [("total", Partition.total(release.universe)), *release.features]
    return tuple(_trial(release, truth, name, partition) for name, partition in named)


def _trial(release: Release, truth: Counts, name: str, partition: Partition) -> Trial:
    margin = release.margin(partition)
    true = partition.totals(truth.keys, truth.values)
    everywhere = true.sum() * partition.shares()
    return Trial(
        margin=name,
        blocks=partition.blocks,
        estimate=_rms(margin.estimate - true),
        table=_rms(margin.table - true),
        zero=_rms(true),
        uniform=_rms(everywhere - true),
        covered=float(((margin.low <= true) & (true <= margin.high)).mean()),
    )


def _rms(
    error: np.ndarray[tuple[int], np.dtype[np.float64]] | np.ndarray[tuple[int], np.dtype[np.int64]],
) -> float:
    return float(np.sqrt(np.mean(error.astype(np.float64) ** 2)))
