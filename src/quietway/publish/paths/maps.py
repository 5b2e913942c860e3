"""Where paths are at each stop: ground shaded by density, or zones as discs, with the published boxes on top."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quietway.publish.markup import text
from quietway.publish.paths.canvas import Canvas
from quietway.publish.paths.ground import edges, rectangles, sides
from quietway.publish.paths.largest import largest
from quietway.publish.wording import measured
from quietway.universe.frame import Frame
from quietway.universe.region import Region

if TYPE_CHECKING:
    from quietway.publish.paths.release import PathRelease

Floats = NDArray[np.float64]
FINEST, SHADES = 96, 10
MOST_BOXES = 400
SIDE, LARGEST_DOT, SMALLEST_DOT = 340, 9.0, 0.8


def stop_map(release: PathRelease, stop: int) -> str:
    """One stop: dots of zones, or a shade for every block of ground, and the outlines of the boxes as they lie there."""
    frame, name = release.space.frames[stop], release.space.stops[stop]
    canvas = Canvas.over([frame], width=SIDE, tallest=SIDE)
    shape = _finest(frame)
    paths = release.solution.map(name, Region.everywhere(release.space), shape)
    if frame.points is not None:
        drawn, legend = _dots(canvas, frame, paths)
    else:
        density = paths / _areas(frame, shape)
        drawn, legend = _shaded(canvas, frame, density), _shades_told(frame, density)
    outlines = _outlines(canvas, release, stop)
    return canvas.svg(f"Where paths are at {name}", drawn + outlines) + legend


def _finest(frame: Frame) -> tuple[int, int]:
    """Into how many rows and columns it is cut: zones not at all."""
    if frame.points is not None:
        return frame.shape
    return min(frame.rows, FINEST), min(frame.columns, FINEST)


def _dots(canvas: Canvas, frame: Frame, paths: Floats) -> tuple[str, str]:
    """A disc for every zone, its area in proportion to its paths, the largest below the others."""
    assert frame.points is not None and frame.cell is not None and frame.weight is not None
    rows, columns = frame.cell.T
    held = paths[rows, columns] / frame.weight[rows, columns]
    top = max(float(held.max()), 1e-9)
    order = np.argsort(-held, kind="stable")
    at, size = canvas.place(frame.points)[order].tolist(), _room(frame) * np.sqrt(held[order] / top)
    discs = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{max(r, SMALLEST_DOT):.1f}"/>'
        for (x, y), r in zip(at, size.tolist(), strict=True)
    )
    busiest = text(frame.labels[int(order[0])])
    told = f'<p class="shades">A disc for every zone; the largest, {busiest}, holds about {measured(top)} paths.</p>'
    return f'<g class="dots">{discs}</g>', told


def _room(frame: Frame) -> float:
    """How large the largest disc may be: many zones stand close together."""
    return max(3.0, min(LARGEST_DOT, 100 / frame.places**0.5))


def _cuts(size: int, parts: int) -> NDArray[np.int64]:
    return np.arange(parts + 1) * size // parts


def _block_edges(frame: Frame, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    columns, rows = edges(frame)
    return columns[_cuts(frame.columns, shape[1])], rows[_cuts(frame.rows, shape[0])]


def _areas(frame: Frame, shape: tuple[int, int]) -> Floats:
    """Of each block: square kilometres, or rows times columns."""
    columns, rows = _block_edges(frame, shape)
    if frame.bounds is None:
        return np.outer(np.diff(rows), np.diff(columns))
    shrunk = np.cos(np.radians((rows[:-1] + rows[1:]) / 2))
    return np.outer(np.diff(rows) * 111.2 * shrunk, np.diff(columns) * 111.2)


def _shades(density: Floats) -> NDArray[np.int64]:
    """Classes from 0 (nothing) to 10; the square root keeps quiet quarters visible beside the busiest."""
    top = density.max(initial=0.0)
    return (
        np.ceil(SHADES * np.sqrt(np.maximum(density, 0.0) / top) - 0.25).astype(np.int64)
        if top > 0
        else (np.zeros(density.shape, dtype=np.int64))
    )


def _shaded(canvas: Canvas, frame: Frame, density: Floats) -> str:
    """One path per shade, of runs of neighbouring blocks along each row."""
    columns, rows = _block_edges(frame, (density.shape[0], density.shape[1]))
    shades = _shades(density)
    x = canvas.place(np.column_stack([columns, np.zeros_like(columns)]))[:, 0]
    y = canvas.place(np.column_stack([np.zeros_like(rows), rows]))[:, 1]
    found: dict[int, list[str]] = {}
    for row, line in enumerate(shades):
        starts = np.flatnonzero(np.diff(line, prepend=-1))
        for start, end in zip(starts.tolist(), [*starts[1:].tolist(), line.size], strict=True):
            if line[start]:
                shape = f"M{x[start]:.1f} {y[row]:.1f}H{x[end]:.1f}V{y[row + 1]:.1f}H{x[start]:.1f}Z"
                found.setdefault(int(line[start]), []).append(shape)
    return "".join(f'<path class="heat h{shade}" d="{"".join(found[shade])}"/>' for shade in sorted(found))


def _outlines(canvas: Canvas, release: PathRelease, stop: int) -> str:
    """The boxes that hold most paths, each shape once."""
    chosen = largest(release, MOST_BOXES)
    low, high = (sides(stop, bounds)[chosen] for bounds in (release.boxes.low, release.boxes.high))
    corners = np.unique(rectangles(release.space.frames[stop], low, high), axis=0)
    shapes = "".join(
        f"M{x:.1f} {y:.1f}h{w:.1f}v{h:.1f}h{-w:.1f}z" for x, y, w, h in canvas.rectangles(corners).tolist()
    )
    return f'<path class="boxes" d="{shapes}"/>'


def _shades_told(frame: Frame, density: Floats) -> str:
    unit = "paths a cell" if frame.bounds is None else "paths/km²"
    steps = "".join(f'<i class="heat h{shade}"></i>' for shade in range(1, SHADES + 1))
    top = text(measured(float(density.max(initial=0.0))))
    return f'<p class="shades">0 {steps} {top} {unit}</p>'
