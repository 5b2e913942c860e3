"""A table per stop: how many paths are where at that stop, wherever they are at the others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quietway.publish.arrow import arrow
from quietway.publish.paths.blocks import blocks
from quietway.publish.paths.box_table import DEGREES, SIDES
from quietway.publish.paths.ground import located, rectangles, sides
from quietway.publish.tables import distinct, file_stem

if TYPE_CHECKING:
    from quietway.publish.paths.release import PathRelease

FINEST = 32
MOST_ZONES = 4_000


def write_stops(release: PathRelease, folder: Path) -> None:
    """One CSV per stop: a row per zone, or per block of a grid cut into at most 32 x 32, with a 95 % interval."""
    folder.mkdir(parents=True, exist_ok=True)
    for stop, file in enumerate(stop_files(release)):
        arrow("csv").write_csv(arrow().table(dict(_columns(release, stop))), folder / file)


def stop_files(release: PathRelease) -> list[str]:
    """The file name of each stop."""
    return [f"{stem}.csv" for stem in distinct(map(file_stem, release.space.stops))]


def _columns(release: PathRelease, stop: int) -> Iterator[tuple[str, Any]]:
    frame = release.space.frames[stop]
    if frame.labels and len(frame.labels) <= MOST_ZONES:
        return _zones(release, stop)
    return _blocks(release, stop)


def _zones(release: PathRelease, stop: int) -> Iterator[tuple[str, Any]]:
    frame = release.space.frames[stop]
    assert frame.points is not None
    yield from (("zone", list(frame.labels)), ("lon", frame.points[:, 0]), ("lat", frame.points[:, 1]))
    yield from zip(("estimate", "low", "high"), _answers(release, stop).T, strict=True)


def _answers(release: PathRelease, stop: int) -> NDArray[np.float64]:
    """Estimate, low and high of every zone: all at once those that have a cell of their own, cell by cell the others, which are alike."""
    frame, name = release.space.frames[stop], release.space.stops[stop]
    assert frame.cell is not None and frame.weight is not None
    shared = np.flatnonzero(frame.weight[tuple(frame.cell.T)] > 1)
    low = np.zeros((frame.places, release.space.axes), dtype=np.int64)
    high = np.tile(np.array(release.space.shape, dtype=np.int64), (frame.places, 1))
    sides(stop, low)[:], sides(stop, high)[:] = frame.cell, frame.cell + 1
    found = release.answers(low, high)
    answers = np.column_stack([found.estimate, found.low, found.high])
    _, first, alike = np.unique(frame.cell[shared], axis=0, return_index=True, return_inverse=True)
    for i, zone in enumerate(shared[first].tolist()):
        answer = release.query({name: [frame.labels[zone]]})
        answers[shared[alike.ravel() == i]] = answer.estimate, answer.low, answer.high
    return answers


def _blocks(release: PathRelease, stop: int) -> Iterator[tuple[str, Any]]:
    frame, found = release.space.frames[stop], blocks(release, [stop], FINEST)
    low, high = (sides(stop, bounds) for bounds in (found.low, found.high))
    yield from zip(SIDES, (low[:, 0], high[:, 0], low[:, 1], high[:, 1]), strict=True)
    if located(frame):
        yield from zip(DEGREES, rectangles(frame, low, high).T, strict=True)
    yield from (("estimate", found.estimate), ("low", found.least), ("high", found.most))
