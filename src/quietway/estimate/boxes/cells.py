"""Noisy cells that stood out as a tree: they, packed into boxes around them, and one box for everything else."""

from __future__ import annotations

from math import exp

import numpy as np

from quietway.estimate.boxes import shape_kernels
from quietway.estimate.boxes.nested import Nested, arranged
from quietway.estimate.boxes.solution import Ends, Floats, Index
from quietway.measurement import NoisyCells, variance_of

BINS_PER_SCALE = 2
MOST_BINS = 1_000
REST = 1


def survivors(cells: NoisyCells, *, rest: bool) -> Nested:
    """The tree. The rest, node 1, is a box of the whole space that no draw tells: what the cells leave of the total.

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


def believed(cells: NoisyCells) -> Floats:
    """How likely each listed cell holds anything, from how many empty ones must have reached so high.

    How many of all cells get noise of a height is known beforehand; what stands
    there beyond them is true. Higher is never less likely.
    """
    width = max(1, round(float(cells.scale) / BINS_PER_SCALE))
    height = np.minimum((cells.noisy - cells.threshold) // width, MOST_BINS)
    listed = np.bincount(height, minlength=1)
    ratio, start = exp(-1 / float(cells.scale)), cells.threshold + width * np.arange(len(listed))
    reaching = float(cells.space.paths) * np.exp(-start / float(cells.scale)) / (1 + ratio)
    noise = reaching * (1 - ratio**width)
    false = np.minimum(1.0, noise / np.maximum(listed, 1))
    return 1 - np.minimum.accumulate(false)[height]


def _packed(cells: NoisyCells, *, below: int) -> tuple[Ends, Ends, Index, Floats, Floats]:
    """The listed cells, each with what it may be expected to hold."""
    low, high, parent, cell = shape_kernels.packed(cells.cells)
    leaf, true = cell >= 0, believed(cells)
    noisy, variance = np.zeros(len(cell)), np.full(len(cell), np.inf)
    noisy[leaf] = (true * cells.noisy)[cell[leaf]]
    doubt = true * (1 - true) * cells.noisy.astype(np.float64) ** 2
    variance[leaf] = (variance_of(cells.scale) * np.maximum(true, 0.01) + doubt)[cell[leaf]]
    return low, high, np.where(parent < 0, 0, parent + below), noisy, variance
