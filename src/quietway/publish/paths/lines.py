"""The largest paths: lines over the stops on a map, and rows of a table with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quietway.publish.markup import interval, short, table, text
from quietway.publish.paths.canvas import Canvas
from quietway.publish.paths.ground import located, rectangles, sides
from quietway.publish.paths.largest import middles, on_the_ground, telling
from quietway.publish.wording import plural, whole
from quietway.universe.frame import Frame

if TYPE_CHECKING:
    from quietway.publish.paths.release import PathRelease

Floats = NDArray[np.float64]
MOST_LINES, MOST_ROWS = 40, 15
WIDTH, TALLEST, MANY = 640, 520, 300
THICKEST, THINNEST = 7.0, 0.9
BEND = 0.12
MOST_NAMES = 3


def line_map(release: PathRelease) -> str | None:
    """The largest paths as curves from stop to stop, or None where fewer than two stops are on the ground."""
    stops, chosen = on_the_ground(release), telling(release, MOST_LINES)
    if len(stops) < 2 or not chosen.size:
        return None
    frames = [release.space.frames[stop] for stop in stops]
    canvas = Canvas.over(frames, width=WIDTH, tallest=TALLEST)
    points = canvas.place(middles(release, chosen))
    count = release.boxes.count[chosen]
    widths = np.maximum(THINNEST, THICKEST * count / count.max())
    shapes = "".join(
        _line(path, width) for path, width in zip(points[::-1].tolist(), widths[::-1].tolist(), strict=True)
    )
    label = f"The {plural(len(chosen), 'largest path')} from stop to stop"
    return canvas.svg(label, f'{_ground(canvas, frames)}<g class="lines">{shapes}</g>')


def _ground(canvas: Canvas, frames: Sequence[Frame]) -> str:
    """The outline of each frame, and the zones there are."""
    frames = list(dict.fromkeys(frames))
    whole_frames = np.vstack([rectangles(f, np.zeros((1, 2), np.int64), np.array([f.shape])) for f in frames])
    outlines = "".join(
        f"M{x:.1f} {y:.1f}h{w:.1f}v{h:.1f}h{-w:.1f}z"
        for x, y, w, h in canvas.rectangles(whole_frames).tolist()
    )
    points = [canvas.place(frame.points) for frame in frames if frame.points is not None]
    marks = "".join(f"M{x:.1f} {y:.1f}h0" for part in points for x, y in part.tolist())
    size = 3 if marks.count("M") <= MANY else 1
    return (
        f'<path class="boxes" d="{outlines}"/><path class="places" style="stroke-width: {size}" d="{marks}"/>'
    )


def _line(points: list[list[float]], width: float) -> str:
    """A ring where the path starts, curves that bend to their right, and a dot at its end."""
    (x, y), (a, b) = points[0], points[-1]
    legs = "".join(_leg(start, end) for start, end in pairwise(points))
    size = 1.5 + width / 2
    return (
        f'<path d="M{x:.1f} {y:.1f}{legs}" stroke-width="{width:.1f}"/>'
        f'<circle class="from" cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}"/>'
        f'<circle class="to" cx="{a:.1f}" cy="{b:.1f}" r="{size:.1f}"/>'
    )


def _leg(start: list[float], end: list[float]) -> str:
    (x, y), (a, b) = start, end
    middle = (x + a) / 2 - BEND * (b - y), (y + b) / 2 + BEND * (a - x)
    return f"Q{middle[0]:.1f} {middle[1]:.1f} {a:.1f} {b:.1f}"


def line_table(release: PathRelease) -> str:
    """Where the largest paths stop, how many they are, and the interval of each."""
    chosen = telling(release, MOST_ROWS)
    found = release.box_estimates
    head = (*map(text, release.space.stops), "Published", "Estimate", "95&nbsp;% interval")
    rows = [
        [
            *(_area(release, stop, box) for stop in range(len(release.space.stops))),
            whole(float(release.boxes.count[box])),
            whole(float(found.estimate[box])),
            interval(float(found.low[box]), float(found.high[box])),
        ]
        for box in chosen.tolist()
    ]
    return table(head, rows, words=len(release.space.stops)) if rows else ""


def _area(release: PathRelease, stop: int, box: int) -> str:
    """The side of a box at one stop, in words."""
    frame = release.space.frames[stop]
    low, high = (sides(stop, bounds)[box : box + 1] for bounds in (release.boxes.low, release.boxes.high))
    if frame.cell is not None:
        return short(_zone_names(frame, low[0], high[0]), 40)
    if not located(frame):
        return text(f"rows {low[0, 0]} to {high[0, 0] - 1}, columns {low[0, 1]} to {high[0, 1] - 1}")
    west, south, east, north = rectangles(frame, low, high)[0].tolist()
    return text(f"{west:.4f}, {south:.4f} to {east:.4f}, {north:.4f}")


def _zone_names(frame: Frame, low: NDArray[np.int32], high: NDArray[np.int32]) -> str:
    assert frame.cell is not None
    names = [frame.labels[i] for i in np.flatnonzero(((frame.cell >= low) & (frame.cell < high)).all(axis=1))]
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more or "no zone"
