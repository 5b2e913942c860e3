"""Noisy trees of boxes for tests: quadtrees in any number of dimensions, over invented paths, with numpy's noise."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import exp

import numpy as np
from numpy.typing import NDArray

from quietway.measurement import NoisyBoxes
from quietway.universe import Frame, PathSpace

Points = NDArray[np.int64]


def space_of(stops: int, side: int) -> PathSpace:
    """Stops on bare squares."""
    return PathSpace(
        stops=tuple(f"s{i}" for i in range(stops)), frames=(Frame(rows=side, columns=side),) * stops
    )


def laplace(scale: Fraction, size: int, draw: np.random.Generator) -> NDArray[np.int64]:
    """Discrete Laplace noise, good enough for tests."""
    p = 1 - exp(-1 / float(scale))
    return draw.geometric(p, size) - draw.geometric(p, size)


def quadtree(
    space: PathSpace,
    points: Points,
    *,
    epsilon: float,
    draw: np.random.Generator,
    stops: tuple[int, ...] | None = None,
    most: float = 8.0,
    depth: int = 8,
) -> NoisyBoxes:
    """Boxes whose noisy count is large for its noise are halved along every axis that can be; each level the same epsilon."""
    stops = tuple(range(len(space.stops))) if stops is None else stops
    axes = space.axes_of(stops)
    points, shape = points[:, axes], np.array(space.shape)[axes]
    scale = Fraction(depth) / Fraction(epsilon).limit_denominator(10**6)
    low, high, parent = [np.zeros_like(shape)[None]], [shape[None]], [np.array([-1])]
    inside = [points]
    noisy, offset = [], 0
    for level in range(depth):
        counts = np.array([len(each) for each in inside]) + laplace(scale, len(inside), draw)
        noisy.append(counts)
        split = (counts > most * float(scale)) & (high[-1] - low[-1] > 1).any(axis=1)
        if level == depth - 1 or not split.any():
            break
        lows, highs, ups, held = [], [], [], []
        for node in np.flatnonzero(split):
            for child_low, child_high in _halves(low[-1][node], high[-1][node]):
                rows = inside[node]
                keep = ((rows >= child_low) & (rows < child_high)).all(axis=1)
                lows.append(child_low)
                highs.append(child_high)
                ups.append(offset + node)
                held.append(rows[keep])
        offset += len(inside)
        low.append(np.array(lows))
        high.append(np.array(highs))
        parent.append(np.array(ups))
        inside = held
    drawn = np.concatenate(noisy)
    return NoisyBoxes(
        name="quadtree",
        space=space,
        stops=stops,
        low=np.concatenate(low).astype(np.int32),
        high=np.concatenate(high).astype(np.int32),
        parent=np.concatenate(parent).astype(np.int64),
        node=np.arange(len(drawn)),
        noisy=drawn,
        drawn=np.zeros(len(drawn), dtype=np.int64),
        scales=(scale,),
    )


def _halves(low: Points, high: Points) -> list[tuple[Points, Points]]:
    parts = [(low.copy(), high.copy())]
    for axis in range(len(low)):
        if high[axis] - low[axis] < 2:
            continue
        middle = (low[axis] + high[axis]) // 2
        cut = []
        for a, b in parts:
            left, right = b.copy(), a.copy()
            left[axis] = right[axis] = middle
            cut += [(a, left), (right, b)]
        parts = cut
    return parts


def gaussian(space: PathSpace, count: int, draw: np.random.Generator) -> Points:
    """One cluster."""
    shape = np.array(space.shape)
    centre = draw.uniform(0.2, 0.8, len(shape)) * shape
    return _inside(draw.normal(centre, 0.1 * shape, (count, len(shape))), shape)


def zipf(space: PathSpace, count: int, draw: np.random.Generator) -> Points:
    """Each axis by Zipf's law."""
    shape = np.array(space.shape)
    return _inside(draw.zipf(1.5, (count, len(shape))).clip(max=10**6) - 1.0, shape)


def clustered(space: PathSpace, count: int, draw: np.random.Generator) -> Points:
    """Many clusters of all sizes."""
    shape = np.array(space.shape)
    centres = draw.uniform(0, 1, (60, len(shape))) * shape
    width = 0.001 * 60 ** draw.uniform(0, 1, 60)
    which = draw.choice(60, count, p=draw.dirichlet(np.full(60, 0.5)))
    return _inside(draw.normal(centres[which], width[which, None] * shape), shape)


DATA = {"gaussian": gaussian, "zipf": zipf, "clustered": clustered}


def _inside(points: NDArray[np.float64], shape: Points) -> Points:
    return np.clip(np.floor(points).astype(np.int64), 0, shape - 1)


def random_tree(space: PathSpace, seed: int, *, every_leaf: bool = True, most: int = 40) -> NoisyBoxes:
    """Any tree: boxes cut along any axis into any number of parts, drawn never, once or more often, with any noise.

    Every leaf is drawn, unless only the root must be.
    """
    draw = np.random.default_rng(seed)
    low, high, parent = [np.zeros(space.axes, np.int64)], [np.array(space.shape)], [-1]
    node = 0
    while node < len(low) and len(low) < most:
        wide = np.flatnonzero(high[node] - low[node] > 1)
        if len(wide) and (node == 0 or draw.random() < 0.7):
            axis = draw.choice(wide)
            side = high[node][axis] - low[node][axis]
            inner = draw.permutation(np.arange(1, side))[: draw.integers(0, min(side, 5))]
            cuts = low[node][axis] + np.r_[0, np.sort(inner), side]
            for start, stop in pairwise(cuts):
                low.append(low[node].copy())
                high.append(high[node].copy())
                low[-1][axis], high[-1][axis] = start, stop
                parent.append(node)
        node += 1
    leaf = np.ones(len(low), dtype=np.bool_)
    leaf[[up for up in parent if up >= 0]] = False
    times = draw.integers(0, 3, len(low))
    times = np.maximum(times, leaf if every_leaf else np.arange(len(low)) == 0)
    nodes = np.repeat(np.arange(len(low)), times)
    scales = (Fraction(1, 2), Fraction(3), Fraction(20))
    return NoisyBoxes(
        name="random",
        space=space,
        stops=tuple(range(len(space.stops))),
        low=np.array(low, dtype=np.int32),
        high=np.array(high, dtype=np.int32),
        parent=np.array(parent, dtype=np.int64),
        node=nodes,
        noisy=draw.integers(-20, 100, len(nodes)),
        drawn=draw.integers(0, 3, len(nodes)),
        scales=scales,
    )


def shares(low: Points, high: Points, q_low: Points, q_high: Points) -> NDArray[np.float64]:
    """By area, the part of each box (columns) that each query (rows) covers."""
    overlap = np.minimum(high, q_high[:, None]) - np.maximum(low, q_low[:, None])
    return (np.maximum(overlap, 0) / (high - low)).prod(axis=2)
