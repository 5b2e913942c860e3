"""Which files a release is published as."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quietway.publish.omx import fits, is_matrix
from quietway.universe.ends import endpoints

if TYPE_CHECKING:
    from quietway.publish.release import Release


def contents(release: Release) -> Iterator[str]:
    """The names of its files and folders, in the order they are written."""
    yield from ("trips.parquet", "trips.csv", "margins")
    ends = endpoints(release.universe)
    if ends and is_matrix(release.universe, *ends) and fits(release.universe, ends[0]):
        yield "matrices.omx"
    if ends and release.places.keys() >= set(ends):
        yield "flows.geojson"
    yield from ("statement.md", "report.html")
