"""The tempered fit: every cell's expectation given noisy margins and a prior, in integers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quietway.errors import FitError
from quietway.estimate.flat import FlatErrors
from quietway.estimate.plain_rounding import round_consistently
from quietway.estimate.posterior import posterior
from quietway.estimate.settings import USUAL, FitSettings
from quietway.estimate.solution import Solution
from quietway.measurement import Measurement


def expected(measurements: Sequence[Measurement], settings: FitSettings = USUAL) -> Solution:
    """What the cells are expected to hold, rounded so that the margins keep their totals."""
    if settings.background is None:
        raise FitError("the tempered fit needs to know what is public about the universe")
    found = posterior(measurements, settings.background)
    margins = sorted(measurements[1:], key=lambda margin: margin.partition.blocks)
    rounded = round_consistently(
        np.arange(found.cells.size), found.cells, [(margin.name, margin.partition) for margin in margins]
    )
    keys = np.flatnonzero(rounded.counts)
    return Solution(
        keys=keys,
        counts=rounded.counts[keys],
        errors=FlatErrors(tuple(measurements)),
        status=(
            f"cells expected by {found.guess} and {len(margins)} noisy margins, the last turn moving no total by more than "
            f"{found.moved:.1g} of its noise; {rounded.status}"
        ),
    )
