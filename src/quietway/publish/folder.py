"""Every face of a published folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from quietway.publish.contents import contents
from quietway.publish.flows import write_geojson
from quietway.publish.omx import write_omx
from quietway.publish.paths.contents import contents as path_contents
from quietway.publish.paths.faces import WRITERS as PATH_WRITERS
from quietway.publish.paths.release import PathRelease
from quietway.publish.release import Release
from quietway.publish.report import report_html
from quietway.publish.statement import statement
from quietway.publish.tables import write_csv, write_margins, write_parquet
from quietway.universe.ends import endpoints, period_axis


def write_faces(release: Release | PathRelease, folder: Path) -> Iterator[str]:
    """Write each file, yielding its name beforehand."""
    if isinstance(release, PathRelease):
        for name in path_contents(release):
            yield name
            PATH_WRITERS[name](release, folder / name)
        return
    for name in contents(release):
        yield name
        WRITERS[name](release, folder / name)


def _matrices(release: Release, path: Path) -> None:
    origin, destination, period = _between(release)
    write_omx(release, path, origin=origin, destination=destination, period=period)


def _flows(release: Release, path: Path) -> None:
    origin, destination, period = _between(release)
    write_geojson(release, path, origin=origin, destination=destination, period=period)


def _between(release: Release) -> tuple[str, str, str | None]:
    """The axes that tell where from, where to and when."""
    ends = endpoints(release.universe)
    assert ends is not None
    return *ends, period_axis(release.universe, *ends)


def _statement(release: Release, path: Path) -> None:
    path.write_text(statement(release.manifest, release), encoding="utf-8")


def _report(release: Release, path: Path) -> None:
    path.write_text(report_html(release), encoding="utf-8")


WRITERS: dict[str, Callable[[Release, Path], object]] = {
    "trips.parquet": write_parquet,
    "trips.csv": write_csv,
    "margins": write_margins,
    "matrices.omx": _matrices,
    "flows.geojson": _flows,
    "statement.md": _statement,
    "report.html": _report,
}
