"""What the real paths are like."""

from __future__ import annotations

import numpy as np

from quietway.mechanisms.od.cells import occupied
from quietway.reproduce.od.blindness import ranges
from quietway.reproduce.od.case import About
from quietway.reproduce.od.datasets import Dataset


def about(dataset: Dataset) -> About:
    """Their number, the cells they fill, and the entropy of the histogram in bits."""
    _, weight = occupied(dataset.paths.space, dataset.paths.points)
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
