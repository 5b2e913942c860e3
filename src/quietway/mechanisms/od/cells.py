"""Cells of a space that may be far too big to number: which are occupied, and where a number leads.

A cell's number is its position in row-major order. Beyond 63 bits numbers are Python's integers, held as objects;
cells themselves are always rows of indices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quietway.universe import PathSpace

Ints = NDArray[np.int64]
Numbers = NDArray[Any]  # int64, or Python's integers
Cells = NDArray[np.int32]

_LARGEST = 2**63


def occupied(space: PathSpace, points: Cells) -> tuple[Cells, Ints]:
    """The cells that hold a path, in row-major order, and how many each holds."""
    limbs = [_packed(points[:, run], space.shape[run]) for run in _runs(space.shape)]
    order = np.lexsort(limbs[::-1])
    fresh = np.ones(len(points), dtype=np.bool_)
    if len(points):
        fresh[1:] = np.any([limb[order[1:]] != limb[order[:-1]] for limb in limbs], axis=0)
    first = np.flatnonzero(fresh)
    return points[order[first]], np.diff(np.append(first, len(points)))


def numbers(space: PathSpace, cells: Cells) -> Numbers:
    """Each cell's number."""
    runs = _runs(space.shape)
    if len(runs) == 1:
        return _packed(cells, space.shape)
    number = np.zeros(len(cells), dtype=np.object_)
    for run in runs:
        size = int(np.prod([int(side) for side in space.shape[run]], dtype=np.object_))
        number = number * size + _packed(cells[:, run], space.shape[run]).astype(np.object_)
    return number


def cells_at(space: PathSpace, number: Numbers) -> Cells:
    """The inverse of `numbers`."""
    cells = np.empty((len(number), space.axes), dtype=np.int32)
    rest = number
    for axis in reversed(range(space.axes)):
        cells[:, axis] = rest % space.shape[axis]
        rest = rest // space.shape[axis]
    return cells


def skipping(taken: Numbers, rank: Numbers) -> Numbers:
    """The numbers of the rank-th cells that are not taken.

    That cell lies as many numbers further as there are taken ones before it.
    """
    gaps = taken - np.arange(len(taken))
    return rank + np.searchsorted(gaps, rank, side="right")


def _runs(shape: tuple[int, ...]) -> list[slice]:
    """Consecutive axes, as many together as 63 bits can number."""
    runs, start, size = list[slice](), 0, 1
    for axis, side in enumerate(shape):
        if size * side > _LARGEST:
            runs.append(slice(start, axis))
            start, size = axis, 1
        size *= side
    return [*runs, slice(start, len(shape))]


def _packed(cells: Cells, shape: tuple[int, ...]) -> Ints:
    number = np.zeros(len(cells), dtype=np.int64)
    for axis, side in enumerate(shape):
        number = number * side + cells[:, axis]
    return number
