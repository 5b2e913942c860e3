"""Compiled loops over boxes and the part of each that a question covers. All in one file, as `quietway.compiled` asks.

Nodes stand in preorder: node i's subtree is i .. end[i] - 1, its first child is i + 1, the next child begins where
that one ends, and a leaf ends at i + 1. Node 0 is the only root.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quietway.compiled import compiled

Floats = NDArray[np.float64]
Index = NDArray[np.int64]
Ends = NDArray[np.int32]

ALL = 1 - 1e-9


class Nodes(NamedTuple):
    """Boxes in preorder, and of each its value, its least-squares estimate x, the variance of that, v and u."""

    low: Ends
    high: Ends
    end: Index
    value: Floats
    x: Floats
    variance: Floats
    v: Floats
    u: Floats


class Cover(NamedTuple):
    """Prefix sums of the stops' mass and, where a query is no rectangle, of the mass it leaves.

    Those of stop i begin at `mass_at[i]` and `chosen_at[i]`, in rows of `width[i]`; -1 where there are none.
    """

    mass: Floats
    mass_at: Index
    chosen: Floats
    chosen_at: Index
    width: Index


@compiled
def held(prefix: Floats, offset: int, width: int, r0: int, r1: int, c0: int, c1: int) -> float:
    """What a rectangle holds, from prefix sums in rows of `width`; its area where there are none (offset -1)."""
    if r1 <= r0 or c1 <= c0:
        return 0.0
    if offset < 0:
        return float(r1 - r0) * float(c1 - c0)
    top, bottom = offset + r1 * width, offset + r0 * width
    return prefix[top + c1] - prefix[top + c0] - prefix[bottom + c1] + prefix[bottom + c0]


@compiled
def part_of(
    low: Ends, high: Ends, box: int, q_low: Index | Ends, q_high: Index | Ends, q: int, cover: Cover
) -> float:
    """The share of a box that a query covers: the product of its stops' shares.

    A stop that the query restricts to a set of places has the prefix sums of
    their mass; any other is cut to the query's rectangle. A rectangle without
    mass is shared by area.
    """
    share = 1.0
    for stop in range(cover.width.size):
        a, b = 2 * stop, 2 * stop + 1
        r0, r1, c0, c1 = low[box, a], high[box, a], low[box, b], high[box, b]
        q_r0, q_r1 = max(r0, q_low[q, a]), min(r1, q_high[q, a])
        q_c0, q_c1 = max(c0, q_low[q, b]), min(c1, q_high[q, b])
        if q_r1 <= q_r0 or q_c1 <= q_c0:
            return 0.0
        masked, at, width = cover.chosen_at[stop] >= 0, cover.mass_at[stop], cover.width[stop]
        if not masked and q_r0 == r0 and q_r1 == r1 and q_c0 == c0 and q_c1 == c1:
            continue
        by_area = float(q_r1 - q_r0) * float(q_c1 - q_c0) / (float(r1 - r0) * float(c1 - c0))
        if at < 0 and not masked:
            share *= by_area
            continue
        whole = held(cover.mass, at, width, r0, r1, c0, c1)
        if whole <= 0.0:
            share *= by_area
        elif masked:
            share *= held(cover.chosen, cover.chosen_at[stop], width, q_r0, q_r1, q_c0, q_c1) / whole
        else:
            share *= held(cover.mass, at, width, q_r0, q_r1, q_c0, q_c1) / whole
    return min(1.0, max(0.0, share))


@compiled
def masses(low: Ends, high: Ends, cover: Cover) -> Floats:
    """What each box holds: the product over stops. What cancels in prefix sums counts as nothing."""
    found = np.ones(low.shape[0])
    for i in range(low.shape[0]):
        for stop in range(cover.width.size):
            a, b, width = 2 * stop, 2 * stop + 1, cover.width[stop]
            inside = held(
                cover.mass, cover.mass_at[stop], width, low[i, a], high[i, a], low[i, b], high[i, b]
            )
            found[i] *= max(0.0, inside)
    return found


@compiled
def spread(count: float, variance: float, share: float, clumping: float) -> float:
    """The variance of how many of a box's paths lie in a share of it.

    They clump: as in a Dirichlet-multinomial law, two of them are together
    with probability `clumping` more than chance has it.
    """
    pairs = max(0.0, count * count + variance - count)
    return share * (1.0 - share) * (count + clumping * pairs)


@compiled
def descend(
    ends: Ends,
    facts: NDArray[np.float64],
    depth: int,
    q_low: Index,
    q_high: Index,
    cover: Cover,
    out: NDArray[np.float64],
) -> None:
    """For each query, a row of five: its estimate; the same from least squares alone, and the variance of its noise;
    the variance of how paths lie in the boxes it cuts, if each does for itself, and the sum of deviations, if all lean one way.

    In preorder: a node inside the query or disjoint from it is passed with all
    that hangs below, one that is cut is opened, a leaf that is cut counts by
    its share. Open nodes wait on a stack for what their children send up: the
    slope with which the answer follows a node's value, and the variance that
    is left given that value.

    What is needed of a node stands together: in `ends` its lower and its upper
    ends and where its subtree ends, in `facts` its value, x, v, u, clumping and variance.
    """
    nodes, axes = ends.shape[0], ends.shape[1] // 2
    masks, plain = False, True
    for stop in range(cover.width.size):
        masks = masks or cover.chosen_at[stop] >= 0
        plain = plain and cover.mass_at[stop] < 0 and not masks
    open_node, pull, left = np.empty(depth + 1, np.int64), np.empty(depth + 1), np.empty(depth + 1)
    for q in range(q_low.shape[0]):
        at, top = 0, 0
        total, unclipped, noise, cut, leaning = 0.0, 0.0, 0.0, 0.0, 0.0
        while True:
            slope, rest, sending, done = 0.0, 0.0, False, 0
            if top > 0 and ends[open_node[top - 1], 2 * axes] == at:
                top -= 1
                done = open_node[top]
                slope = pull[top] / facts[done, 3]
                rest = max(0.0, left[top] - pull[top] * slope)
                sending = True
            elif at < nodes:
                inside, apart, share = True, False, 1.0
                for axis in range(axes):
                    low, high = ends[at, axis], ends[at, axes + axis]
                    start, stop = max(q_low[q, axis], low), min(q_high[q, axis], high)
                    if stop <= start:
                        apart = True
                        break
                    if stop - start < high - low:
                        inside = False
                        share *= (stop - start) / (high - low)
                if apart:
                    at = int(ends[at, 2 * axes])
                    continue
                done = at
                if not inside or masks:
                    leaf = ends[at, 2 * axes] == at + 1
                    if (leaf and not plain) or masks:
                        share = part_of(ends[:, :axes], ends[:, axes:], at, q_low, q_high, q, cover)
                    if share <= 0.0:
                        at = int(ends[at, 2 * axes])
                        continue
                    if not leaf and (not inside or share < ALL):
                        open_node[top], pull[top], left[top] = at, 0.0, 0.0
                        top += 1
                        at += 1
                        continue
                    if leaf:
                        cut += spread(facts[at, 0], facts[at, 5], share, facts[at, 4])
                        leaning += facts[at, 0] * sqrt(facts[at, 4] * share * (1.0 - share))
                total += share * facts[at, 0]
                unclipped += share * facts[at, 1]
                slope, sending = share, True
                at = int(ends[at, 2 * axes])
            else:
                break
            if sending:
                if top > 0:
                    pull[top - 1] += slope * facts[done, 2]
                    left[top - 1] += rest + slope * slope * facts[done, 2]
                else:
                    noise = rest + slope * slope * facts[0, 2]
        out[q, 0], out[q, 1], out[q, 2], out[q, 3], out[q, 4] = total, unclipped, noise, cut, leaning


@compiled
def lay(
    low: Ends,
    high: Ends,
    value: Floats,
    stop: int,
    q_low: Index,
    q_high: Index,
    cover: Cover,
    layers: NDArray[np.float64],
) -> None:
    """Lay what the query's other stops leave of each box on the box's rectangle of one stop.

    Corners of layers per unit of mass go to `layers[0]`, of those per cell to `layers[1]`.
    """
    a, b = 2 * stop, 2 * stop + 1
    lows, highs = q_low.copy().reshape(1, -1), q_high.copy().reshape(1, -1)
    others = cover.chosen_at.copy()
    others[stop] = -1
    cover = Cover(cover.mass, cover.mass_at, cover.chosen, others, cover.width)
    mass, mass_at, width = cover.mass, cover.mass_at, cover.width
    for i in range(value.size):
        r0, r1, c0, c1 = low[i, a], high[i, a], low[i, b], high[i, b]
        lows[0, a], highs[0, a], lows[0, b], highs[0, b] = r0, r1, c0, c1
        share = part_of(low, high, i, lows, highs, 0, cover)
        if share <= 0.0:
            continue
        all_of_it, kind = held(mass, mass_at[stop], width[stop], r0, r1, c0, c1), 0
        if all_of_it <= 0.0:
            all_of_it, kind = float(r1 - r0) * float(c1 - c0), 1
        each = share * value[i] / all_of_it
        layers[kind, r0, c0] += each
        layers[kind, r1, c1] += each
        layers[kind, r0, c1] -= each
        layers[kind, r1, c0] -= each


@compiled
def unevenness(nodes: Nodes, parents: Index, cover: Cover) -> NDArray[np.float64]:
    """For each of some inner nodes, how far its children are from their fair shares of it: a row of three.

    The squared deviations of the children from their shares, less what noise
    adds and less what chance does where paths do not clump; the same number if
    all paths were together; and the variance that noise gives the first.
    """
    x, variance = nodes.x, nodes.variance
    found = np.zeros((parents.size, 3))
    for i in range(parents.size):
        up = int(parents[i])
        together = x[up] * x[up] - variance[up] - x[up]
        child = up + 1
        while child < nodes.end[up]:
            fair = part_of(nodes.low, nodes.high, up, nodes.low, nodes.high, child, cover)
            slope = nodes.v[child] / nodes.u[up]
            noisy = nodes.v[child] * (1.0 - slope) + (slope - fair) ** 2 * variance[up]
            found[i, 0] += (x[child] - fair * x[up]) ** 2 - noisy - fair * (1.0 - fair) * x[up]
            found[i, 1] += fair * (1.0 - fair) * together
            found[i, 2] += 2.0 * noisy * noisy
            child = nodes.end[child]
    return found


@compiled
def coarsened(
    nodes: Nodes, parents: Index, q_low: Index, q_high: Index, cover: Cover, clumping: float
) -> NDArray[np.float64]:
    """What each query's answer would lose if some nodes stood in place of their children: a row of four.

    By how much it would change; the variance that noise gives this; the
    variance that is expected of it if each node does for itself, as by
    `descend`; and what is added if all lean one way.
    """
    x, variance = nodes.x, nodes.variance
    found = np.zeros((q_low.shape[0], 4))
    for q in range(q_low.shape[0]):
        leaning, squares = 0.0, 0.0
        for i in range(parents.size):
            up = int(parents[i])
            share = part_of(nodes.low, nodes.high, up, q_low, q_high, q, cover)
            if share <= 0.0 or share >= ALL:
                continue
            fine, pull, left, between, child = 0.0, 0.0, 0.0, 0.0, up + 1
            while child < nodes.end[up]:
                part = part_of(nodes.low, nodes.high, child, q_low, q_high, q, cover)
                fair = part_of(nodes.low, nodes.high, up, nodes.low, nodes.high, child, cover)
                between += fair * (part - share) ** 2
                fine += part * x[child]
                pull += part * nodes.v[child]
                left += part * part * nodes.v[child]
                child = nodes.end[child]
            slope = pull / nodes.u[up]
            found[q, 0] += fine - share * x[up]
            found[q, 1] += max(0.0, left - pull * slope) + (slope - share) ** 2 * variance[up]
            paths = nodes.value[up]
            found[q, 2] += between * (paths + clumping * max(0.0, paths * paths - paths))
            deviation = paths * sqrt(clumping * between)
            leaning += deviation
            squares += deviation * deviation
        found[q, 3] = leaning * leaning - squares
    return found
