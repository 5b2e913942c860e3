"""Compiled loops of the constraint-based fit. All in one file, as `quietway.compiled` asks.

Notation: a leaf is a cell with its noisy value; a class is a set of leaves that lie in the same block of every
feature, so that they share one threshold.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quietway.compiled import compiled

Floats = NDArray[np.float64]
Index = NDArray[np.int64]


@compiled
def above(values: Index, group: NDArray[np.int32], levels: Index, out: Index) -> int:
    """Write the positions of the values that reach their group's level, and return how many there are.

    A position is written before it is known to count, so that nothing branches on noise: `out` has room for one more.
    """
    found = 0
    for i in range(values.size):
        out[found] = i
        found += values[i] >= levels[group[i]]
    return found


@compiled
def excess(
    values: Floats, classes: NDArray[np.int32], threshold: Floats, total: Floats, count: Floats
) -> float:
    """Per class, how much its leaves exceed its threshold and how many do; the sum of squares over all.

    Nothing branches on noise.
    """
    total[:] = 0.0
    count[:] = 0.0
    squares = 0.0
    for i in range(values.size):
        over = max(0.0, values[i] - threshold[classes[i]])
        total[classes[i]] += over
        count[classes[i]] += over > 0.0
        squares += over * over
    return squares


@compiled
def add_expected_excess(
    sizes: Floats, scale: float, threshold: Floats, top: Floats, total: Floats, count: Floats
) -> float:
    """Add, per class, what as many cells as it holds exceed its threshold by in expectation, and how many would.

    The cells are Laplace noise of which only the part below `top` counts: the tail beyond the threshold, less the tail
    beyond the top and less what the latter reaches down to the threshold. Returns the expected sum of squares.
    """
    squares = 0.0
    for k in range(sizes.size):
        reach = top[k] - threshold[k]
        if reach <= 0.0:
            continue
        level = threshold[k]
        tail = np.exp(-abs(level) / scale) / 2
        chance, mean, square = tail, scale * tail, 2 * scale * scale * tail
        if level < 0.0:
            chance, mean, square = 1 - tail, mean - level, level * level + 2 * scale * scale - square
        if reach < np.inf:
            beyond = np.exp(-abs(top[k]) / scale) / 2
            above, far, wide = beyond, scale * beyond, 2 * scale * scale * beyond
            if top[k] < 0.0:
                above, far = 1 - beyond, far - top[k]
                wide = top[k] * top[k] + 2 * scale * scale - wide
            chance -= above
            mean -= far + reach * above
            square -= wide + reach * (2 * far + reach * above)
        total[k] += sizes[k] * mean
        count[k] += sizes[k] * chance
        squares += sizes[k] * square
    return squares


@compiled
def gather(blocks: NDArray[np.int32], dual: Floats, out: Floats) -> None:
    """The sum of the duals of each class's blocks: A' dual."""
    for k in range(blocks.shape[0]):
        found = 0.0
        for f in range(blocks.shape[1]):
            found += dual[blocks[k, f]]
        out[k] = found


@compiled
def gather_precisely(blocks: NDArray[np.int32], dual: Floats, rest: Floats, out: Floats) -> None:
    """The same for duals of twice the precision, dual + rest, whose large parts cancel."""
    for k in range(blocks.shape[0]):
        found, lost = 0.0, 0.0
        for f in range(blocks.shape[1]):
            term = dual[blocks[k, f]]
            grown = found + term
            back = grown - found
            lost += (found - (grown - back)) + (term - back) + rest[blocks[k, f]]
            found = grown
        out[k] = found + lost


@compiled
def scatter(blocks: NDArray[np.int32], value: Floats, out: Floats) -> None:
    """Add each class's value to its blocks: A value."""
    out[:] = 0.0
    for k in range(blocks.shape[0]):
        if value[k] != 0.0:
            for f in range(blocks.shape[1]):
                out[blocks[k, f]] += value[k]


@compiled
def spread_pairs(place: NDArray[np.int32], count: Floats, out: Floats) -> None:
    """Add each class's count to the matrix entries of its pairs of blocks."""
    out[:] = 0.0
    for k in range(place.shape[0]):
        if count[k] != 0.0:
            for p in range(place.shape[1]):
                out[place[k, p]] += count[k]


@compiled
def fill_pattern(start: Index, row: NDArray[np.int32], most: int) -> tuple[Index, Index]:
    """The elimination tree of a symmetric matrix and the number of entries below each pivot of its factor.

    The matrix is given by the rows above the diagonal of each column. Where the factor would have more than `most`
    entries the counts are left unfinished, and add up to more than that.
    """
    size = start.size - 1
    parent, below, seen = np.full(size, -1), np.zeros(size, dtype=np.int64), np.full(size, -1)
    entries = 0
    for column in range(size):
        seen[column] = column
        for at in range(start[column], start[column + 1]):
            pivot = np.int64(row[at])
            while seen[pivot] != column:
                if parent[pivot] < 0:
                    parent[pivot] = column
                below[pivot] += 1
                entries += 1
                seen[pivot] = column
                pivot = parent[pivot]
        if entries > most:
            break
    return parent, below


@compiled
def factor(
    start: Index,
    row: NDArray[np.int32],
    value: Floats,
    diagonal: Floats,
    least: Floats,
    parent: Index,
    first: Index,
    pivot: Floats,
    lower_row: NDArray[np.int32],
    lower: Floats,
) -> None:
    """The factor L D L' of a positive definite matrix, row by row of L.

    Row k of L solves a triangular system with the rows before it. Which entries it has follows from the elimination
    tree: whatever is reached on the way up from the entries of the matrix. Pivots are known to be no smaller than
    `least`, which rounding might deny.
    """
    size = start.size - 1
    filled = first[:-1].copy()
    seen, path, order = np.full(size, -1), np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    work = np.zeros(size)
    for k in range(size):
        seen[k] = k
        head = size
        for at in range(start[k], start[k + 1]):
            j = np.int64(row[at])
            work[j] += value[at]
            steps = 0
            while seen[j] != k:
                path[steps] = j
                seen[j] = k
                steps += 1
                j = parent[j]
            for step in range(steps - 1, -1, -1):
                head -= 1
                order[head] = path[step]
        found = diagonal[k]
        for place in range(head, size):
            j = order[place]
            entry = work[j]
            work[j] = 0.0
            for at in range(first[j], filled[j]):
                work[lower_row[at]] -= lower[at] * entry
            scaled = entry / pivot[j]
            found -= scaled * entry
            lower_row[filled[j]] = k
            lower[filled[j]] = scaled
            filled[j] += 1
        pivot[k] = max(found, least[k])


@compiled
def substitute(
    first: Index, lower_row: NDArray[np.int32], lower: Floats, pivot: Floats, vector: Floats
) -> None:
    """Solve L D L' x = vector in place."""
    size = pivot.size
    for j in range(size):
        entry = vector[j]
        if entry != 0.0:
            for at in range(first[j], first[j + 1]):
                vector[lower_row[at]] -= lower[at] * entry
    for j in range(size - 1, -1, -1):
        found = vector[j] / pivot[j]
        for at in range(first[j], first[j + 1]):
            found -= lower[at] * vector[lower_row[at]]
        vector[j] = found
