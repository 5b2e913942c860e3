"""How far posterior means may be off: estimates and intervals for any margin or range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.posterior import Posterior
from quietway.estimate.solution import Estimates, Floats, around, sums
from quietway.estimate.splitting import Splitting
from quietway.estimate.told import Told
from quietway.measurement import Measurement
from quietway.universe import Partition, Range

DOUBT = 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class PosteriorErrors:
    """Posterior means of sums of cells; their variance by way of the measured margin that leaves the least."""

    expected: Floats
    splitting: Splitting

    @classmethod
    def of(cls, posterior: Posterior, measurements: Sequence[Measurement]) -> PosteriorErrors:
        """Without what the fit kept for each cell and margin."""
        by_name = {margin.name: margin for margin in measurements}
        # What noise left empty may hold something: a part of what was expected before counts for the scatter.
        cells = (1 - DOUBT) * posterior.cells + DOUBT * posterior.before
        told = tuple(
            Told.of(margin, posterior.cells, by_name[margin.name])
            for margin in posterior.learned
        )
        return cls(
            expected=posterior.cells,
            splitting=Splitting(universe=told[0].partition.universe, cells=cells, told=told),
        )

    def margin(self, partition: Partition, confidence: float) -> Estimates:
        """One estimate per block of any partition."""
        found = [self.splitting.of_blocks(partition, told) for told in self.splitting.told]
        return around(sums(partition.labels(), self.expected, partition.blocks), np.sqrt(np.minimum.reduce(found)), confidence)

    def range(self, range_: Range, confidence: float) -> Estimates:
        """The estimate for one range."""
        inside = _cells(range_)
        least = min(self.splitting.of_cells(inside, told) for told in self.splitting.told)
        held = float(self.expected[inside].sum())
        return around(np.array([held]), np.sqrt(np.array([least])), confidence)


def _cells(range_: Range) -> NDArray[np.bool_]:
    """Whether each cell of the universe lies in the range, in key order."""
    inside = np.ones(1, dtype=np.bool_)
    for axis, mask in zip(range_.universe.axes, range_.masks, strict=True):
        inside = np.logical_and.outer(inside, np.ones(axis.size, np.bool_) if mask is None else mask).ravel()
    return inside
