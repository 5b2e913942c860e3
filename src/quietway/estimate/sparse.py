"""Tables of a universe too big to list, from the cells that stood out of the noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.solution import Estimates, Floats, Solution, around, sums
from quietway.measurement import Measurement
from quietway.universe import Partition, Range


@dataclass(frozen=True, eq=False)
class ThresholdErrors:
    """Bounds for any margin or range from a noisy total and the cells above a threshold.

    A cell that was listed although it holds less than the threshold lies above
    it by a geometric excess. So, with x = scale * ln(2 listed / (1 - confidence)),
    no such cell reaches threshold + x, and no listed cell exceeds its truth by x,
    but with probability 1 - confidence: what lies higher is a sure part of the
    truth. Whatever is not surely elsewhere may be anywhere.
    """

    unbiased: ClassVar[bool] = True

    total: Measurement
    cells: Measurement

    def margin(self, partition: Partition, confidence: float) -> Estimates:
        """Bounds for each block of any partition."""
        if partition.blocks == 1:
            return self._whole(confidence)
        block = partition.block_of(self._keys)
        published = sums(block, self.cells.noisy, partition.blocks)
        sure = sums(block, self._sure(confidence), partition.blocks)
        return self._between(published, sure, confidence)

    def range(self, range_: Range, confidence: float) -> Estimates:
        """Bounds for one range."""
        if range_.cells == range_.universe.size:
            return self._whole(confidence)
        inside = range_.contains(self._keys)
        sure = self._sure(confidence)
        published = np.array([float(self.cells.noisy[inside].sum()), 0.0])
        both = self._between(published, np.array([sure[inside].sum(), sure[~inside].sum()]), confidence)
        return Estimates(
            estimate=both.estimate[:1], deviation=both.deviation[:1], low=both.low[:1], high=both.high[:1]
        )

    def _whole(self, confidence: float) -> Estimates:
        return around(self.total.noisy.astype(np.float64), np.array([self.total.variance**0.5]), confidence)

    @property
    def _keys(self) -> NDArray[np.int64]:
        assert self.cells.blocks is not None
        return self.cells.blocks

    def _sure(self, confidence: float) -> Floats:
        assert self.cells.threshold is not None
        slack = float(self.cells.scale) * log(2 * max(1, len(self.cells.noisy)) / (1 - confidence))
        return np.where(self.cells.noisy >= self.cells.threshold + slack, self.cells.noisy - slack, 0.0)

    def _between(self, published: Floats, sure: Floats, confidence: float) -> Estimates:
        noisy, deviation = self.total.noisy.astype(np.float64), np.array([self.total.variance**0.5])
        high_total = around(noisy, deviation, (1 + confidence) / 2).high[0]
        high = np.maximum(sure, high_total - (sure.sum() - sure))
        return Estimates(
            estimate=np.clip(published, sure, high), deviation=np.full(len(sure), np.inf), low=sure, high=high
        )


def keep(measurements: Sequence[Measurement]) -> Solution:
    """The cells that reached the threshold, with their noisy counts."""
    total, cells = measurements
    assert cells.blocks is not None and cells.threshold is not None
    empty = cells.partition.universe.size * _tail(cells)
    return Solution(
        keys=cells.blocks,
        counts=cells.noisy,
        errors=ThresholdErrors(total, cells),
        status=f"cells whose noisy count reached {cells.threshold}; about {empty:.0f} of them may be empty in truth",
    )


def _tail(cells: Measurement) -> float:
    """Pr(Z >= threshold)."""
    ratio = exp(-1 / float(cells.scale))
    assert cells.threshold is not None
    return ratio**cells.threshold / (1 + ratio)
