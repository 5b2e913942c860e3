"""Compiled loops that fit a tree: least squares, leaning on shares, nothing below zero, whole numbers.

Nodes stand in preorder: node i's subtree is i .. end[i] - 1, its first child is i + 1, the next child begins where
that one ends, and a leaf ends at i + 1. Node 0 is the only root.

Notation: v is the variance of a node seen from below, u the sum of its children's v (estimate.tree derives both).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quietway.compiled import compiled

Floats = NDArray[np.float64]
Index = NDArray[np.int64]

FEW = 1e-3


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
