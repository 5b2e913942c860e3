"""What a measured margin tells of its blocks once it was weighed against what was expected of them.

Notation: a block's noisy total b, of noise variance v, was followed by a part t of the way from what was expected;
m is what it ended up with. The noise is then left with variance t^2 v, and the scatter of the truth around what was
expected with (1 - t)^2 (m + e m^2); of the latter, the second part is common to blocks that are added up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from quietway.estimate.flat import parents
from quietway.estimate.posterior import Learned
from quietway.estimate.solution import Floats, sums
from quietway.measurement import Measurement
from quietway.universe import Partition

OWN = 0.5


@dataclass(frozen=True, kw_only=True, eq=False)
class Told:
    """A measured margin's blocks: variances, what was not followed, and how far the fit strayed."""

    partition: Partition
    variance: Floats
    unfollowed: Floats
    gap: Floats
    factor: float

    @classmethod
    def of(cls, learned: Learned, cells: Floats, measurement: Measurement) -> Self:
        """From what was believed and from what the blocks ended up with.

        `factor` raises the variances where the noisy totals say that the fit is further off than they do: by Stein's
        formula, which tells the summed squared error of any fit without bias.
        """
        held = sums(learned.label, cells, learned.partition.blocks)
        # The total may have been counted more than once, and nothing else is expected of it.
        noise = measurement.variance if held.size > 1 else float(learned.belief.variance[0])
        followed = np.minimum(1.0, learned.belief.variance / noise)
        unfollowed = (1 - followed) * held
        gap = learned.target - held
        variance = followed**2 * noise + (1 - followed) * unfollowed
        expected = variance + OWN * unfollowed**2 + gap**2
        risk = (measurement.noisy - held) ** 2 - noise + 2 * followed * noise
        return cls(
            partition=learned.partition,
            variance=variance,
            unfollowed=unfollowed,
            gap=gap,
            factor=max(1.0, float(risk.mean() / expected.mean())) if held.size > 1 else 1.0,
        )

    @property
    def each(self) -> Floats:
        """The variance of every block."""
        return self.factor * (self.variance + OWN * self.unfollowed**2 + self.gap**2)

    def summed(self, coarser: Partition) -> Floats:
        """The variance of every block of a partition that this one refines."""
        up = parents(self.partition, coarser)
        variance, unfollowed, gap = (
            sums(up, part, coarser.blocks) for part in (self.variance, self.unfollowed, self.gap)
        )
        return self.factor * (variance + OWN * unfollowed**2 + gap**2)

    def shared(self, share: Floats) -> float:
        """The variance of the sum of shares of the blocks."""
        unfollowed, gap = float((share * self.unfollowed).sum()), float((share * self.gap).sum())
        return self.factor * (float((share**2 * self.variance).sum()) + OWN * unfollowed**2 + gap**2)
