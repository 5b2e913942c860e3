"""From the spec of a release of paths to its raw paths. SENSITIVE."""

from __future__ import annotations

from quietway.counts import Paths
from quietway.counts.tabulate_paths import tabulate_paths
from quietway.paths.spec import PathSpec
from quietway.records.paths import open_paths


def count_paths(spec: PathSpec, *, seed: int | None = None) -> Paths:
    """The bounded paths. A `seed` makes the draw repeatable, and whatever is made of it not private."""
    paths = open_paths(
        spec.source,
        stops=spec.space.stops,
        places=spec.places,
        reading=spec.reading,
        unit=spec.unit,
        user=spec.file.unit.user,
        format=spec.file.records.format,
    )
    return tabulate_paths(paths, outside=spec.file.records.outside, seed=seed)
