"""The privacy statement of a release of paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quietway.publish.paths.reading import BOXES, INTERVALS, WHOLE_PATHS
from quietway.publish.statement import composed, plain, table
from quietway.publish.wording import plural
from quietway.universe.frame import Frame

if TYPE_CHECKING:
    from quietway.publish.paths.release import PathRelease


def statement(release: PathRelease) -> str:
    """Markdown: what is promised, to whom, what was spent, and what is not covered."""
    return composed(release.manifest, _published(release), _reading())


def _published(release: PathRelease) -> list[str]:
    stops = [
        (plain(stop), _where(frame))
        for stop, frame in zip(release.space.stops, release.space.frames, strict=True)
    ]
    return [
        "## What is published",
        WHOLE_PATHS,
        f"Paths through {plural(len(stops), 'stop')}: {plural(release.space.paths, 'combination')} of places, in "
        f"{len(release.boxes):,} boxes. Everything in the folder was computed from the noisy measurements alone, so "
        "looking at it in any way, any number of times, costs nothing.",
        table(("Stop", "Where it can be"), stops),
    ]


def _where(frame: Frame) -> str:
    if frame.labels:
        return f"{plural(frame.places, 'zone')}, by rank from south to north and from west to east"
    return f"{frame.rows:,} rows x {frame.columns:,} columns"


def _reading() -> list[str]:
    return ["## How to read the numbers", BOXES, INTERVALS]
