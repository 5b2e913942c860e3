"""The published boxes that tell most of where paths lead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quietway.publish.paths.ground import Floats, located, rectangles, sides

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
    stops = [_corners(release, stop, chosen) for stop in on_the_ground(release)]
    return np.stack([(corners[:, :2] + corners[:, 2:]) / 2 for corners in stops], axis=1)


def on_the_ground(release: PathRelease) -> list[int]:
    """The stops that have degrees."""
    return [i for i, frame in enumerate(release.space.frames) if located(frame)]


def _corners(release: PathRelease, stop: int, chosen: NDArray[np.int64]) -> Floats:
    low, high = (sides(stop, bounds)[chosen] for bounds in (release.boxes.low, release.boxes.high))
    return rectangles(release.space.frames[stop], low, high)
