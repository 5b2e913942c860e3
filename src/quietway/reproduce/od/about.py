"""What the real paths are like."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quietway.counts import Paths
from quietway.reproduce.od.blindness import ranges
from quietway.reproduce.od.case import About
from quietway.reproduce.od.datasets import Dataset


def about(dataset: Dataset) -> About:
    """Their number, the cells they fill, and the entropy of the histogram in bits."""
    weight = np.unique(_cell(dataset.paths), return_counts=True)[1]
    share = weight / weight.sum()
    printed, used = ranges(dataset.paths)
    return About(
        name=dataset.name,
        dimensions=dataset.dimensions,
        paths=dataset.size,
        cells=len(weight),
        entropy=float(-(share * np.log2(share)).sum()),
        printed_range=printed,
        used_range=used,
        note=dataset.note,
    )


def _cell(paths: Paths) -> NDArray[np.int64]:
    """The number of each path's cell; the real spaces have fewer than 2^63."""
    return np.asarray(np.ravel_multi_index(tuple(paths.points.T), paths.space.shape))
