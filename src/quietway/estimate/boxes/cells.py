"""Noisy cells that stood out as a tree: they, packed into boxes around them, and one box for everything else."""

from __future__ import annotations

import numpy as np

from quietway.estimate.boxes import kernels
from quietway.estimate.boxes.nested import Nested, arranged
from quietway.estimate.boxes.solution import Ends, Floats, Index
from quietway.measurement import NoisyCells, variance_of


def survivors(cells: NoisyCells, *, rest: bool) -> Nested:
    """The tree. The rest is a box of the whole space that no draw tells: what the cells leave of the total.

    Without a total there is no rest: answers are of the listed cells alone.
    """
    axes, shape = cells.space.axes, np.array(cells.space.shape, dtype=np.int32)
    whole = np.zeros((1, axes), dtype=np.int32), shape[None, :]
    parts = [(*whole, np.array([-1]), np.zeros(1), np.array([np.inf]))]
    if rest or not len(cells.noisy):
        parts.append(
            (*whole, np.array([0]), np.zeros(1), np.array([np.inf if rest else variance_of(cells.scale)]))
        )
    if len(cells.noisy):
        parts.append(_packed(cells, below=len(parts)))
    low, high, parent, noisy, variance = (np.concatenate(column) for column in zip(*parts, strict=True))
    return arranged(low, high, parent, noisy, variance)


def _packed(cells: NoisyCells, *, below: int) -> tuple[Ends, Ends, Index, Floats, Floats]:
    low, high, parent, cell = kernels.packed(cells.cells)
    leaf = cell >= 0
    noisy, variance = np.zeros(len(cell)), np.full(len(cell), np.inf)
    noisy[leaf] = cells.noisy[cell[leaf]]
    variance[leaf] = variance_of(cells.scale)
    return low, high, np.where(parent < 0, 0, parent + below), noisy, variance
