"""Which files a release of paths is published as."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quietway.publish.paths.largest import on_the_ground
from quietway.publish.paths.matrix import is_matrix

if TYPE_CHECKING:
    from quietway.publish.paths.release import PathRelease


def contents(release: PathRelease) -> Iterator[str]:
    """The names of its files and folders, in the order they are written."""
    yield from ("boxes.parquet", "stops")
    if on_the_ground(release):
        yield "boxes.geojson"
    if len(on_the_ground(release)) > 1:
        yield "paths.geojson"
    if is_matrix(release.space):
        yield "matrices.omx"
    yield from ("statement.md", "report.html")
