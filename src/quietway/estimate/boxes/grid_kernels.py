"""Compiled loops over grids. All in one file, as `quietway.compiled` asks.

Along one axis a query covers all of the blocks between two, and a part of each of these two. So a sum over blocks,
weighted by the parts, is a sum over four prefix sums: at the lower and the upper end of either block.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quietway.compiled import compiled

Floats = NDArray[np.float64]
Index = NDArray[np.int64]


@compiled
def corners_of(
    edges: Index, first: int, blocks: int, low: int, high: int, at: Index, weight: Floats
) -> tuple[float, float]:
    """One axis of one query: write four places among the prefix sums, and their four weights.

    `weight[0]` makes a sum over blocks by the part covered, `weight[1]` by its square, `weight[2]` of those
    covered at all, `weight[3]` of those covered whole. Returns the sums of parts and of squared parts.
    The axis' cuts are edges[first : first + blocks + 1].
    """
    cuts = edges[first : first + blocks + 1]
    a = np.searchsorted(cuts, low, side="right") - 1
    b = np.searchsorted(cuts, high, side="left") - 1
    at[0], at[1], at[2], at[3] = a, a + 1, b, b + 1
    size_a, size_b = cuts[a + 1] - cuts[a], cuts[b + 1] - cuts[b]
    part_a, part_b = (min(high, cuts[a + 1]) - low) / size_a, (high - max(low, cuts[b])) / size_b
    for kind in range(4):
        p, q = part_a, part_b
        if kind == 1:
            p, q = p * p, q * q
        elif kind == 2:
            p, q = 1.0, 1.0
        elif kind == 3:
            p, q = np.floor(p), np.floor(q)
        weight[kind, 0] = -p
        weight[kind, 1] = p if a == b else p - 1.0
        weight[kind, 2] = 0.0 if a == b else 1.0 - q
        weight[kind, 3] = 0.0 if a == b else q
    if a == b:
        return part_a, part_a * part_a
    return part_a + part_b + (b - a - 1), part_a * part_a + part_b * part_b + (b - a - 1)


@compiled
def answer_grid(
    sums: NDArray[np.float64],
    edges: Index,
    blocks: Index,
    noise: float,
    shared: float,
    q_low: Index,
    q_high: Index,
    out: NDArray[np.float64],
) -> None:
    """For each query the row that `cover_kernels.descend` writes, from prefix sums over a grid.

    A row of `sums` for each corner of the grid holds the prefix sums of the blocks' values, of their least-squares
    estimates, of their variances if paths are spread in them, and of how far their paths may lean. Blocks have the
    variance `noise` each, less `shared` times the product of their parts for what the total tells.
    The sum of the deviations of the blocks cut is bounded by the root of their number's weight times that of their squares.
    """
    axes = blocks.size
    at, weight = np.zeros((axes, 4), np.int64), np.zeros((axes, 4, 4))
    product = np.empty(4)
    for q in range(q_low.shape[0]):
        parts, squares, first, corners = 1.0, 1.0, 0, 1
        for axis in range(axes):
            one, two = corners_of(
                edges, first, blocks[axis], q_low[q, axis], q_high[q, axis], at[axis], weight[axis]
            )
            parts, squares = parts * one, squares * two
            first += blocks[axis] + 1
            corners *= 4
        total, unclipped, cut, leaning, weighed = 0.0, 0.0, 0.0, 0.0, 0.0
        for corner in range(corners):
            rest, place, some = corner, 0, True
            product[:] = 1.0
            for axis in range(axes):
                side = rest & 3
                rest >>= 2
                place = place * (blocks[axis] + 1) + at[axis, side]
                some = False
                for kind in range(4):
                    product[kind] *= weight[axis, kind, side]
                    some = some or product[kind] != 0.0
                if not some:
                    break
            if not some:
                continue
            total += product[0] * sums[place, 0]
            unclipped += product[0] * sums[place, 1]
            cut += (product[0] - product[1]) * sums[place, 2]
            leaning += (product[0] - product[1]) * sums[place, 3]
            weighed += (product[2] - product[3]) * sums[place, 3]
        out[q, 0], out[q, 1] = max(0.0, total), unclipped
        out[q, 2] = max(0.0, noise * squares - shared * parts * parts)
        out[q, 3] = max(0.0, cut)
        out[q, 4] = np.sqrt(max(0.0, leaning) * max(0.0, weighed))
