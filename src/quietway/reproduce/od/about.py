"""What the real paths are like."""

from __future__ import annotations

import numpy as np

from quietway.reproduce.od.case import About
from quietway.reproduce.od.datasets import Dataset
from quietway.reproduce.od.truth import distinct


def about(dataset: Dataset) -> About:
    """Their number, the cells they fill, and the entropy of the histogram in bits."""
    _, weight = distinct(dataset.paths)
    share = weight / weight.sum()
    return About(
        name=dataset.name,
        dimensions=dataset.dimensions,
        paths=dataset.size,
        cells=len(weight),
        entropy=float(-(share * np.log2(share)).sum()),
        note=dataset.note,
    )
