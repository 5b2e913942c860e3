"""Releases of paths to publish: invented paths under known noise, with none of the sensitive side involved."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quietway.measurement import NoisyBoxes, NoisyCells
from quietway.publish.paths.release import PathRelease
from quietway.universe import Frame, PathSpace

from ..conftest import NASTY, manifest

Points = NDArray[np.int64]
TOWN = Frame(rows=16, columns=16, bounds=(2.2, 48.8, 2.5, 48.9))
NAMES = ("Harbour", "Old Town", "Airport", "University", "Mill & Sons", NASTY)
PLACES = np.array([[2.30, 48.81], [2.32, 48.86], [2.41, 48.83], [2.35, 48.89], [2.31, 48.85], [2.45, 48.80]])
ZONES = Frame.zones(NAMES, PLACES)


def space(*frames: Frame) -> PathSpace:
    """Paths from start to end, with noon between them where there are three."""
    names = {1: ("start",), 2: ("start", "end"), 3: ("start", "noon", "end")}[len(frames)]
    return PathSpace(stops=names, frames=frames)


def invented(within: PathSpace, paths: int, seed: int = 3) -> Points:
    """Paths that cluster in a corner of every stop; at zones, where zones are."""
    draw = np.random.default_rng(seed)
    stops: list[Points] = []
    for frame in within.frames:
        if frame.cell is not None:
            stops.append(frame.cell[np.minimum(draw.geometric(0.4, paths) - 1, len(frame.cell) - 1)])
        else:
            spread = draw.beta(2, 6, (paths, 2)) * frame.shape
            stops.append(spread.astype(np.int64))
    return np.hstack(stops)


def halved(
    within: PathSpace,
    points: Points,
    *,
    depth: int,
    scale: Fraction = Fraction(2),
    noise: np.random.Generator | None = None,
) -> NoisyBoxes:
    """Every box is halved along the axis whose turn it is; the leaves are drawn, and so is the whole."""
    low, high, parent = [np.zeros(within.axes, int)], [np.array(within.shape)], [-1]
    level = [0]
    for turn in range(depth):
        axis, following = turn % within.axes, list[int]()
        for node in level:
            following += _split(low, high, parent, node, axis) or [node]
        level = following
    lows, highs = np.array(low), np.array(high)
    node = np.array(sorted({0, *level}))
    counts = _counts(points, lows[node], highs[node])
    return NoisyBoxes(
        name="halves",
        space=within,
        stops=tuple(range(len(within.stops))),
        low=lows.astype(np.int32),
        high=highs.astype(np.int32),
        parent=np.array(parent, dtype=np.int64),
        node=node.astype(np.int64),
        noisy=counts + (0 if noise is None else _laplace(scale, len(node), noise)),
        drawn=np.zeros(len(node), dtype=np.int64),
        scales=(scale,),
    )


def _split(low: list[Any], high: list[Any], parent: list[int], node: int, axis: int) -> list[int]:
    middle = (low[node][axis] + high[node][axis]) // 2
    if middle == low[node][axis]:
        return []
    first = len(low)
    for start, end in ((low[node][axis], middle), (middle, high[node][axis])):
        low.append(np.where(np.arange(len(low[node])) == axis, start, low[node]))
        high.append(np.where(np.arange(len(high[node])) == axis, end, high[node]))
        parent.append(node)
    return [first, first + 1]


def _counts(points: Points, low: Points, high: Points) -> Points:
    return np.array(
        [
            int(((points >= start) & (points < end)).all(axis=1).sum())
            for start, end in zip(low, high, strict=True)
        ]
    )


def _laplace(scale: Fraction, size: int, draw: np.random.Generator) -> Points:
    success = 1 - np.exp(-1 / float(scale))
    return draw.geometric(success, size) - draw.geometric(success, size)


def release(measurements: Sequence[Any], **changes: Any) -> PathRelease:
    """What was measured, as a release."""
    says = manifest(
        method="daf",
        parts=(("total", Fraction(1, 6)), ("boxes", Fraction(1, 3))),
        settings={"fit": "even"},
        **changes,
    )
    return PathRelease(space=measurements[0].space, measurements=tuple(measurements), manifest=says)


def town(paths: int = 4_000, depth: int = 8, **changes: Any) -> PathRelease:
    """Two stops on a grid."""
    within = space(TOWN, TOWN)
    noise = np.random.default_rng(5)
    return release([halved(within, invented(within, paths), depth=depth, noise=noise)], **changes)


def zoned(paths: int = 4_000, depth: int = 8, **changes: Any) -> PathRelease:
    """Two stops over the same zones."""
    within = space(ZONES, ZONES)
    noise = np.random.default_rng(6)
    return release([halved(within, invented(within, paths), depth=depth, noise=noise)], **changes)


def bare(paths: int = 2_000) -> PathRelease:
    """Three stops, of which nothing says where they are; the second has one row."""
    within = space(Frame(rows=8, columns=8), Frame(rows=1, columns=12), Frame(rows=4, columns=4))
    return release([halved(within, invented(within, paths), depth=9, noise=np.random.default_rng(7))])


def listed(within: PathSpace, cells: Sequence[Sequence[int]], noisy: Sequence[int]) -> PathRelease:
    """Cells that stood out, and the total."""
    scale = Fraction(2)
    whole, one = np.array([within.shape], dtype=np.int32), np.zeros(1, dtype=np.int64)
    total = NoisyBoxes(
        name="total",
        space=within,
        stops=tuple(range(len(within.stops))),
        low=np.zeros_like(whole),
        high=whole,
        parent=one - 1,
        node=one,
        noisy=one + 1_000,
        drawn=one,
        scales=(scale,),
    )
    found = NoisyCells(
        name="cells",
        space=within,
        cells=np.array(cells, dtype=np.int32).reshape(-1, within.axes),
        noisy=np.array(noisy, dtype=np.int64),
        threshold=20,
        scale=scale,
    )
    return release([total, found])
