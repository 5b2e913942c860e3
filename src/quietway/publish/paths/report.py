"""The report of a release of paths: one page that opens anywhere and asks nobody for anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from quietway.publish.markup import text
from quietway.publish.paths import sections
from quietway.publish.paths.contents import contents
from quietway.publish.paths.reading import WHOLE_PATHS
from quietway.publish.paths.stop_tables import stop_files
from quietway.publish.report import PAGE, page
from quietway.publish.sections import privacy_section
from quietway.publish.wording import plural
from quietway.universe.frame import Frame

if TYPE_CHECKING:
    from quietway.publish.paths.release import PathRelease

PURPOSES = {
    "boxes.parquet": "a row per box: its rectangle at every stop and its paths, as GeoParquet where stops are on the ground",
    "boxes.geojson": "the rectangles of the 10,000 boxes that hold most paths, for maps",
    "paths.geojson": "lines through the stops of the largest narrow boxes, for maps",
    "matrices.omx": "paths by zone of start and end, for transport models",
    "statement.md": "the privacy statement",
    "manifest.json": "what the release says about itself, for machines",
}


def report_html(release: PathRelease, *, files: Sequence[str] | None = None) -> str:
    """A whole HTML page: no script, no font, no picture from anywhere else.

    `files` are the paths to link to, relative to the page; left out, those
    that every published folder holds.
    """
    names = _usual(release) if files is None else files
    body = (
        sections.headline(release),
        sections.maps_section(release),
        sections.lines_section(release),
        sections.accuracy_section(release),
        privacy_section(release.manifest, meant=WHOLE_PATHS),
        sections.files_section(release, [(name, _purpose(name)) for name in names]),
    )
    return page(release.manifest, _lede(release), body)


def _lede(release: PathRelease) -> str:
    space, manifest = release.space, release.manifest
    stops = ", ".join(
        f"{text(stop)} ({_size(frame)})" for stop, frame in zip(space.stops, space.frames, strict=True)
    )
    return (
        f"Paths from data set {text(manifest.dataset)} through {plural(len(space.stops), 'stop')}: {stops}. "
        f"Published {text(manifest.created[:10])}."
    )


def _size(frame: Frame) -> str:
    return plural(frame.places, "zone") if frame.labels else f"{frame.rows:,} × {frame.columns:,}"


def _purpose(name: str) -> str:
    return PURPOSES.get(name) or ("where paths are at one stop" if name.startswith("stops/") else "")


def _usual(release: PathRelease) -> Iterator[str]:
    """What a published folder holds beside this page."""
    for name in contents(release):
        if name == "stops":
            yield from (f"stops/{file}" for file in stop_files(release))
        elif name != PAGE:
            yield name
    yield "manifest.json"
