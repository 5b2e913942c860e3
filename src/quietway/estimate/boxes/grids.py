"""A noisy grid as a tree of boxes: halves of halves down to its blocks, of which the blocks alone were drawn."""

from __future__ import annotations

import numpy as np

from quietway.estimate.boxes import shape_kernels
from quietway.estimate.boxes.nested import Nested, arranged
from quietway.measurement import NoisyGrid, variance_of


def halves(grid: NoisyGrid) -> Nested:
    """The tree, in which neighbours stand together."""
    shape = np.array(grid.shape, dtype=np.int64)
    low, high, parent = shape_kernels.halved(shape)
    block = (high - low).max(axis=1) == 1
    noisy, variance = np.zeros(len(low)), np.full(len(low), np.inf)
    place = np.zeros(int(block.sum()), dtype=np.int64)
    for axis, size in enumerate(shape):  # arrays have 64 axes at most, and paths may have more
        place = place * size + low[block, axis]
    noisy[block] = grid.noisy.reshape(-1)[place]
    variance[block] = variance_of(grid.scale)
    cuts = [np.asarray(edges) for edges in grid.edges]
    low, high = (np.column_stack([cuts[i][ends[:, i]] for i in range(len(cuts))]) for ends in (low, high))
    return arranged(low.astype(np.int32), high.astype(np.int32), parent, noisy, variance)
