"""The published boxes that tell most of where paths lead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quietway.publish.paths.ground import Floats, Ints, located, rectangles, sides
from quietway.universe.frame import Frame

if TYPE_CHECKING:
    from quietway.publish.paths.release import PathRelease

WIDEST = 0.5


def largest(release: PathRelease, most: int) -> NDArray[np.int64]:
    """The boxes that hold most paths, largest first; none that holds nothing."""
    count = release.boxes.count
    order = np.lexsort((np.arange(len(count)), -count))[:most]
    return order[count[order] > 0]


def telling(release: PathRelease, most: int) -> NDArray[np.int64]:
    """The largest of the boxes that lead from somewhere to somewhere.

    A box that spans more than half of an axis says little of where its paths go, so it is left out.
    """
    boxes, shape = release.boxes, np.array(release.space.shape)
    wide = (boxes.high - boxes.low > WIDEST * shape) & (shape > 1)
    order = largest(release, len(boxes.count))
    return order[~wide[order].any(axis=1)][:most]


def middles(release: PathRelease, chosen: NDArray[np.int64]) -> Floats:
    """The middle of each stop of boxes that are on the ground: boxes x stops x (longitude, latitude)."""
    return np.stack([_middle(release, stop, chosen) for stop in on_the_ground(release)], axis=1)


def on_the_ground(release: PathRelease) -> list[int]:
    """The stops that have degrees."""
    return [i for i, frame in enumerate(release.space.frames) if located(frame)]


def _middle(release: PathRelease, stop: int, chosen: NDArray[np.int64]) -> Floats:
    """Of ground the middle, of zones the mean of their points."""
    frame = release.space.frames[stop]
    low, high = (sides(stop, bounds)[chosen] for bounds in (release.boxes.low, release.boxes.high))
    corners = rectangles(frame, low, high)
    middle = (corners[:, :2] + corners[:, 2:]) / 2
    if frame.points is None or frame.cell is None:
        return middle
    sums = [_held(frame, low, high, held) for held in (np.ones(frame.places), *frame.points.T)]
    zones = np.maximum(sums[0], 1)[:, None]
    return np.where(sums[0][:, None] > 0, np.column_stack(sums[1:]) / zones, middle)


def _held(frame: Frame, low: Ints, high: Ints, each: Floats) -> Floats:
    """What the zones of each rectangle add up to."""
    assert frame.cell is not None
    sums = np.zeros((frame.rows + 1, frame.columns + 1))
    np.add.at(sums, tuple(frame.cell.T + 1), each)
    sums = sums.cumsum(axis=0).cumsum(axis=1)
    (r0, c0), (r1, c1) = low.T, high.T
    return sums[r1, c1] - sums[r0, c1] - sums[r1, c0] + sums[r0, c0]
