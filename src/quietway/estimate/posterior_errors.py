"""How far posterior means may be off: estimates and intervals for any margin or range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.posterior import Posterior
from quietway.estimate.solution import Estimates, Floats, around, sums
from quietway.estimate.splitting import Splitting
from quietway.estimate.told import Told
from quietway.measurement import Measurement
from quietway.universe import Partition, Range

DOUBT = 0.1
# A block that no measured margin tells may hold this part of an average block though next to nothing was expected of it.
UNSEEN = 0.2


@dataclass(frozen=True, kw_only=True, eq=False)
class PosteriorErrors:
    """Posterior means of sums of cells; their variance by way of the measured margin that leaves the least."""

    unbiased: ClassVar[bool] = False

    expected: Floats
    splitting: Splitting

    @classmethod
    def of(cls, posterior: Posterior, measurements: Sequence[Measurement]) -> PosteriorErrors:
        """Without what the fit kept for each cell and margin."""
        by_name = {margin.name: margin for margin in measurements}
        # What noise left empty may hold something: a part of what was expected before counts for the scatter.
        cells = (1 - DOUBT) * posterior.cells + DOUBT * posterior.before
        told = tuple(Told.of(margin, posterior.cells, by_name[margin.name]) for margin in posterior.learned)
        return cls(
            expected=posterior.cells,
            splitting=Splitting(universe=told[0].partition.universe, cells=cells, told=told),
        )

    def margin(self, partition: Partition, confidence: float) -> Estimates:
        """One estimate per block of any partition.

        All blocks go by one measured margin: block by block, those that noise happened to empty would seem the surest.
        """
        split = self.splitting
        itself = [told for told in split.told if told.partition.same_blocks(partition)]
        found = [split.of_blocks(partition, told) for told in itself or split.told]
        variance = min(found, key=lambda variance: float(variance.mean()))
        held = sums(partition.labels(), self.expected, partition.blocks)
        if not any(told.partition.refines(partition) for told in split.told):
            variance = variance + (UNSEEN * float(held.mean())) ** 2
        return around(held, np.sqrt(variance), confidence)

    def range(self, range_: Range, confidence: float) -> Estimates:
        """The estimate for one range; a measured block's is that of its margin."""
        split, inside = self.splitting, _cells(range_)
        itself = [told for told in split.told if split.is_block(inside, told)]
        least = min(split.of_cells(inside, told) for told in itself or split.told)
        held = float(self.expected[inside].sum())
        return around(np.array([held]), np.sqrt(np.array([least])), confidence)


def _cells(range_: Range) -> NDArray[np.bool_]:
    """Whether each cell of the universe lies in the range, in key order."""
    inside = np.ones(1, dtype=np.bool_)
    for axis, mask in zip(range_.universe.axes, range_.masks, strict=True):
        inside = np.logical_and.outer(inside, np.ones(axis.size, np.bool_) if mask is None else mask).ravel()
    return inside
