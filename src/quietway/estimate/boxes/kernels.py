"""Compiled loops over trees of boxes. All in one file: numba's cache notices a change of the caller's file only.

Nodes stand in preorder: node i's subtree is i .. end[i] - 1, its first child is i + 1, the next child begins where
that one ends, and a leaf ends at i + 1. Node 0 is the only root.

Notation: v is the variance of a node seen from below, u the sum of its children's v (estimate.tree derives both).
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast

import numba  # pyright: ignore[reportMissingTypeStubs]
import numpy as np
from numpy.typing import NDArray

P = ParamSpec("P")
R = TypeVar("R")

Floats = NDArray[np.float64]
Index = NDArray[np.int64]
Ends = NDArray[np.int32]

NOTHING = 1e-9
FEW = 1e-3
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


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The function, compiled once and kept on disk."""
    return cast(Callable[P, R], cast(Any, numba).njit(cache=True)(function))


@compiled
def preorder(parent: Index) -> tuple[Index, Index, int]:
    """Where each node of a tree goes, where each subtree then ends, and how deep the tree is.

    Parents stand before their children, and the first node alone has none.
    """
    n = parent.size
    size = np.ones(n, np.int64)
    for i in range(n - 1, 0, -1):
        size[parent[i]] += size[i]
    place, free, depth = np.zeros(n, np.int64), np.ones(n, np.int64), np.ones(n, np.int64)
    end = np.empty(n, np.int64)
    end[0] = n
    deepest = 1
    for i in range(1, n):
        up = parent[i]
        place[i] = free[up]
        free[up] += size[i]
        free[i] = place[i] + 1
        end[place[i]] = place[i] + size[i]
        depth[i] = depth[up] + 1
        deepest = max(deepest, depth[i])
    return place, end, deepest


@compiled
def upward(parent: Index, y: Floats, w: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Least squares seen from below: z, v, and the sums s and u of each node's children."""
    n = parent.size
    z, v, s, u = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(n - 1, -1, -1):
        if u[i] == 0.0:
            z[i], v[i] = y[i], w[i]
        else:
            v[i] = 1.0 / (1.0 / w[i] + 1.0 / u[i])
            z[i] = v[i] * (y[i] / w[i] + s[i] / u[i])
        if i > 0:
            s[parent[i]] += z[i]
            u[parent[i]] += v[i]
    return z, v, s, u


@compiled
def downward(parent: Index, z: Floats, v: Floats, s: Floats, u: Floats) -> tuple[Floats, Floats]:
    """Least squares seen from everywhere: every node's estimate and its variance."""
    x, variance = z.copy(), v.copy()
    for i in range(1, parent.size):
        up = parent[i]
        part = v[i] / u[up]
        x[i] = z[i] + (x[up] - s[up]) * part
        variance[i] = max(0.0, v[i] - v[i] * part + part * part * variance[up])
    return x, variance


@compiled
def nonnegative(end: Index, x: Floats, v: Floats) -> Floats:
    """From the root down, the non-negative values nearest to a node's children that add up to it.

    Nearest by inverse variances: children that stay positive give in proportion
    to their variances, and who would turn negative gives all it has. The level
    is found by Newton's steps, which come from below and never pass it.
    """
    whole = np.maximum(x, 0.0)
    for up in range(end.size):
        if end[up] == up + 1:
            continue
        level = 0.0
        while True:
            over, room, child = -whole[up], 0.0, up + 1
            while child < end[up]:
                if x[child] > level * v[child]:
                    over += x[child]
                    room += v[child]
                child = end[child]
            if room == 0.0 or over / room <= level * (1.0 + 1e-12):
                break
            level = over / room
        _share_out(end, up, x, v, level, whole)
    return whole


@compiled
def _share_out(end: Index, up: int, x: Floats, v: Floats, level: float, whole: Floats) -> None:
    """Give each child what it has above the level, made to add up exactly."""
    total, children, child = 0.0, 0, up + 1
    while child < end[up]:
        whole[child] = max(0.0, x[child] - level * v[child])
        total += whole[child]
        children += 1
        child = end[child]
    child = up + 1
    while child < end[up]:
        whole[child] = whole[child] * (whole[up] / total) if total > 0.0 else whole[up] / children
        child = end[child]


@compiled
def integers(end: Index, whole: Floats) -> Index:
    """From the root down, integers next to the values that add up to each node's, by largest remainder."""
    count = np.zeros(end.size, np.int64)
    count[0] = np.int64(np.rint(whole[0]))
    for up in range(end.size):
        children, child = 0, up + 1
        while child < end[up]:
            children += 1
            child = end[child]
        if children == 0:
            continue
        nodes, wanted = np.empty(children, np.int64), np.empty(children)
        child = up + 1
        for i in range(children):
            nodes[i], wanted[i] = child, whole[child]
            child = end[child]
        part = apportioned(wanted, count[up])
        for i in range(children):
            count[nodes[i]] = part[i]
    return count


@compiled
def apportioned(wanted: Floats, total: int) -> Index:
    """Integers near the values that add up to a total; those furthest above their integer are the first to gain."""
    part = np.floor(wanted).astype(np.int64)
    missing = total - part.sum()
    order = np.argsort(part - wanted, kind="mergesort")
    at = 0
    while missing > 0:
        part[order[at % order.size]] += 1
        missing -= 1
        at += 1
    at = order.size - 1
    while missing < 0:
        if part[order[at]] > 0:
            part[order[at]] -= 1
            missing += 1
        at = at - 1 if at > 0 else order.size - 1
    return part


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
def drawn_below(parent: Index, drawn: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether any node in each one's descent was drawn, the node itself left out."""
    below = np.zeros(parent.size, np.bool_)
    for i in range(parent.size - 1, -1, -1):
        if parent[i] >= 0 and (drawn[i] or below[i]):
            below[parent[i]] = True
    return below


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
def halved(shape: Index) -> tuple[Index, Index, Index]:
    """A tree over the blocks of a grid: whatever has more than one block is halved along its longest axis.

    Parents stand before their children. Lower ends, upper ends and parents, the ends in blocks.
    """
    blocks = 1
    for size in shape:
        blocks *= size
    low = np.zeros((2 * blocks - 1, shape.size), np.int64)
    high, parent = np.zeros_like(low), np.full(2 * blocks - 1, -1, np.int64)
    high[0] = shape
    waiting = np.zeros(64 * shape.size, np.int64)
    top, free = 1, 1
    while top > 0:
        top -= 1
        node = waiting[top]
        axis, longest = 0, 1
        for i in range(shape.size):
            if high[node, i] - low[node, i] > longest:
                axis, longest = i, high[node, i] - low[node, i]
        if longest == 1:
            continue
        for side in range(2):
            child = free + side
            low[child], high[child], parent[child] = low[node], high[node], node
            waiting[top] = child
            top += 1
        middle = low[node, axis] + (longest + 1) // 2
        high[free, axis], low[free + 1, axis] = middle, middle
        free += 2
    return low, high, parent


@compiled
def drawn_above(parent: Index, drawn: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each node, or any that it hangs below, was drawn."""
    above = drawn.copy()
    for i in range(parent.size):
        if parent[i] >= 0 and above[parent[i]]:
            above[i] = True
    return above


@compiled
def packed(cells: Ends) -> tuple[Ends, Ends, Index, Index]:
    """A tree over cells, each a leaf; a node's box is the smallest around its cells, which split along its longest side.

    Parents stand before their children. Lower ends, upper ends, parents, and each leaf's cell (-1 for inner nodes).
    """
    n, axes = cells.shape
    low = np.empty((2 * n - 1, axes), np.int32)
    high, parent, cell = (
        np.empty_like(low),
        np.full(2 * n - 1, -1, np.int64),
        np.full(2 * n - 1, -1, np.int64),
    )
    order = np.arange(n)
    start, stop = np.zeros(2 * n - 1, np.int64), np.zeros(2 * n - 1, np.int64)
    stop[0] = n
    free = 1
    for node in range(2 * n - 1):
        first, last = start[node], stop[node]
        widest = 0
        for axis in range(axes):
            low[node, axis] = high[node, axis] = cells[order[first], axis]
            for i in range(first + 1, last):
                index = cells[order[i], axis]
                low[node, axis], high[node, axis] = min(low[node, axis], index), max(high[node, axis], index)
            high[node, axis] += 1
            if high[node, axis] - low[node, axis] > high[node, widest] - low[node, widest]:
                widest = axis
        if last == first + 1:
            cell[node] = order[first]
            continue
        mine = order[first:last].copy()
        keys = np.empty(mine.size, np.int32)
        for i in range(mine.size):
            keys[i] = cells[mine[i], widest]
        sort = np.argsort(keys, kind="mergesort")
        for i in range(mine.size):
            order[first + i] = mine[sort[i]]
        middle = first + (last - first + 1) // 2
        start[free], stop[free], parent[free] = first, middle, node
        start[free + 1], stop[free + 1], parent[free + 1] = middle, last, node
        free += 2
    return low, high, parent, cell


@compiled
def depths(parent: Index) -> Index:
    """How many nodes each hangs below."""
    depth = np.zeros(parent.size, np.int64)
    for i in range(1, parent.size):
        depth[i] = depth[parent[i]] + 1
    return depth


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


@compiled
def upward_leaning(parent: Index, y: Floats, w: Floats, share: Floats, tau: Floats) -> tuple[Floats, Floats]:
    """What each node's draws and those below it say of it: z, and its variance v, infinite where there are none.

    Given its parent's p, a child is share * p but for a deviation of variance
    tau * share * (1 - share), and its siblings' deviations make up for it.
    Children with z_c and v_c then say of p, with d = v_c + tau share_c,
    q = sum share_c^2 / d and r = sum share_c z_c / d, that it is r / q, with variance 1 / q - tau.
    As shares add up to one that is sum (share_c v_c / d) / q, of which nothing cancels.
    """
    n = parent.size
    z, v, q, r, missing = np.zeros(n), np.full(n, np.inf), np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(n - 1, -1, -1):
        precision, weighted = 1.0 / w[i], y[i] / w[i]
        if q[i] > 0.0:
            below = missing[i] / q[i]
            precision += 1.0 / below
            weighted += r[i] / q[i] / below
        if precision > 0.0:
            v[i], z[i] = 1.0 / precision, weighted / precision
        if i == 0 or share[i] <= 0.0:
            continue
        up = parent[i]
        if precision > 0.0:
            d = v[i] + tau[up] * share[i]
            q[up] += share[i] * share[i] / d
            r[up] += share[i] * z[i] / d
            missing[up] += share[i] * v[i] / d
        else:
            missing[up] += share[i]
    return z, v


@compiled
def downward_leaning(end: Index, z: Floats, v: Floats, share: Floats, tau: Floats) -> tuple[Floats, Floats]:
    """Seen from everywhere: each node's estimate, and the variance that its siblings leave it.

    Before their sum is heeded, children are m = (share p v + a z) / (v + a) with a = tau share, and of variance
    a v / (v + a); what their sum misses of p is shared in proportion to these.
    """
    x, room = z.copy(), v.copy()
    for up in range(end.size):
        if end[up] == up + 1:
            continue
        p, rooms, child = max(x[up], 0.0), 0.0, up + 1
        missing = p
        while child < end[up]:
            a = tau[up] * share[child]
            known = 0.0 if v[child] == np.inf or a == 0.0 else a / (v[child] + a)
            x[child] = (1.0 - known) * share[child] * p + known * z[child]
            room[child] = a if v[child] == np.inf else known * v[child]
            missing -= x[child]
            rooms += room[child]
            child = end[child]
        child = up + 1
        while child < end[up]:
            x[child] += missing * room[child] / rooms
            child = end[child]
    return x, room


@compiled
def clumping_chances(
    parent: Index, depth: Index, z: Floats, v: Floats, share: Floats, x: Floats, clumpings: Floats
) -> Floats:
    """For every depth, how likely its nodes' z are if paths clump so much, as a logarithm: a column for each clumping."""
    found = np.zeros((depth.max() + 1, clumpings.size))
    for i in range(1, parent.size):
        s = share[i]
        if v[i] == np.inf or s <= 0.0 or s >= 1.0:
            continue
        p = max(x[parent[i]], FEW)
        gap = z[i] - s * p
        for k in range(clumpings.size):
            total = v[i] + s * (1.0 - s) * p * (1.0 + clumpings[k] * max(0.0, p - 1.0))
            found[depth[i], k] -= 0.5 * (np.log(total) + gap * gap / total)
    return found


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
def refill(cells: Floats, low: Ends, high: Ends, value: Floats) -> None:
    """Scale what lies in each rectangle of a table to what the rectangle holds; evenly where nothing lies there."""
    for i in range(value.size):
        inside = cells[low[i, 0] : high[i, 0], low[i, 1] : high[i, 1]]
        total = inside.sum()
        if total > 0.0:
            inside *= value[i] / total
        else:
            inside[:] = value[i] / inside.size
