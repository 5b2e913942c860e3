"""What a release file may publish, trips or paths, and the few steps that differ between them. All else is one flow."""

from __future__ import annotations

from pathlib import Path

from quietway.counts import Counts, Paths
from quietway.counts.tabulate import tabulate
from quietway.errors import PrivacyError
from quietway.measurement import Measurement, NoisyPaths
from quietway.mechanisms.mechanism import LARGEST_DENSE
from quietway.paths.count import count_paths
from quietway.paths.spec import PathSpec
from quietway.publish.manifest import Manifest
from quietway.publish.paths.release import PathRelease
from quietway.publish.paths.store import save_paths
from quietway.publish.release import Release
from quietway.publish.store import save_measurements
from quietway.records.trips import open_trips
from quietway.spec import ReleaseSpec

Spec = ReleaseSpec | PathSpec
Raw = Counts | Paths
Measured = tuple[Measurement, ...] | tuple[NoisyPaths, ...]
Published = Release | PathRelease

SPARSE_CELLS = 10_000_000
MANY_BOXES = 200_000
MISFIT = (
    "a release of trips was handed paths, or the other way round; hand it what its own release file counts"
)


def count(spec: Spec) -> Raw:
    """The raw counts, or the raw paths. SENSITIVE."""
    return count_paths(spec) if isinstance(spec, PathSpec) else _count_trips(spec)


def _count_trips(spec: ReleaseSpec) -> Counts:
    records, unit = spec.file.records, spec.file.unit
    trips = open_trips(
        spec.source, axes=spec.axes, unit=spec.unit, user=unit.user, time=unit.time, format=records.format
    )
    return tabulate(trips, spec.universe, spec.axes, outside=records.outside)


def keep(spec: Spec, folder: Path, manifest: Manifest, measured: Measured) -> None:
    """Write durably all that the release is made from; fitting needs nothing else."""
    trips = [one for one in measured if isinstance(one, Measurement)]
    paths = [one for one in measured if not isinstance(one, Measurement)]
    if isinstance(spec, PathSpec) and not trips:
        save_paths(folder, manifest=manifest, space=spec.space, measurements=paths)
    elif isinstance(spec, ReleaseSpec) and not paths:
        save_measurements(
            folder,
            manifest=manifest,
            universe=spec.universe,
            features=spec.features,
            places=spec.places,
            measurements=tuple(trips),
            prior=spec.prior,
        )
    else:
        raise PrivacyError(MISFIT)


def values(spec: Spec) -> int:
    """About how many numbers the release may hold: every cell, or what stands out of too many; or many boxes."""
    if isinstance(spec, PathSpec):
        return MANY_BOXES * (2 * spec.space.axes + 8)
    return spec.universe.size if spec.universe.size <= LARGEST_DENSE else SPARSE_CELLS
