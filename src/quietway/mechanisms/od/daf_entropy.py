"""DAF-Entropy: even cuts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from quietway.mechanisms.od.cutting import Cuts
from quietway.mechanisms.od.density import DensityAware, Ints
from quietway.mechanisms.od.growing import Growth
from quietway.noise import NoiseSource


@dataclass(frozen=True, kw_only=True)
class DafEntropy(DensityAware):
    """The density-aware framework with even cuts.

    Source: Shaham, Ghinita and Shahabi (2022), Algorithm 2. Departures: level
        shares are of what is left after the root's count, and what was spent
        is kept for each way down on its own; line 24 splits axis d' + 1;
        counts below zero count as zero, fan-outs are whole and from 1 to what
        the axis has room for; the stop condition, left open, compares the
        noisy count with the noise still to be bought; levels of one part are
        left out, and all counts are told, not the leaves' last alone.
    """

    @property
    def name(self) -> str:
        """What the boxes are called."""
        return "daf-entropy"

    def cuts(
        self, growth: Growth, which: Ints, axis: Ints, parts: Ints, paid: list[Fraction], *, rng: NoiseSource
    ) -> Cuts:
        """Even ones cost nothing."""
        return Cuts.even(growth.low[which, axis], growth.high[which, axis], parts)
