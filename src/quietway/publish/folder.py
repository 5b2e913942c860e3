"""Every face of a published folder, in the order they are written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from quietway.publish.flows import write_geojson
from quietway.publish.omx import fits, is_matrix, write_omx
from quietway.publish.pairs import endpoints
from quietway.publish.release import Release
from quietway.publish.report import report_html
from quietway.publish.statement import statement
from quietway.publish.tables import write_csv, write_margins, write_parquet


def write_faces(release: Release, folder: Path) -> Iterator[str]:
    """Write each file, yielding its name beforehand."""
    yield "trips.parquet"
    write_parquet(release, folder / "trips.parquet")
    yield "trips.csv"
    write_csv(release, folder / "trips.csv")
    yield "margins"
    write_margins(release, folder / "margins")
    yield from _matrices(release, folder)
    yield "statement.md"
    (folder / "statement.md").write_text(statement(release.manifest, release), encoding="utf-8")
    yield "report.html"
    (folder / "report.html").write_text(report_html(release), encoding="utf-8")


def _matrices(release: Release, folder: Path) -> Iterator[str]:
    """What only makes sense between places: matrices, and lines on a map."""
    ends = endpoints(release.universe)
    if ends is None:
        return
    origin, destination = ends
    others = [name for name in release.universe.names if name not in ends]
    period = others[0] if others else None
    if is_matrix(release.universe, origin, destination) and fits(release.universe, origin):
        yield "matrices.omx"
        write_omx(release, folder / "matrices.omx", origin=origin, destination=destination, period=period)
    if release.places.keys() >= set(ends):
        yield "flows.geojson"
        write_geojson(
            release, folder / "flows.geojson", origin=origin, destination=destination, period=period
        )
