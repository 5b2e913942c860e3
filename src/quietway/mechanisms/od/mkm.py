"""The grid of perturbed histograms."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

from quietway.mechanisms.od.grid import RuledGrid

FEWEST = 2.0


@dataclass(frozen=True, kw_only=True)
class MEstimatorGrid(RuledGrid):
    """A grid that cuts each axis in (N / sqrt(ln N))^(2 / (2 + d)), whatever the noise.

    Source: Lei (2011), "Differentially private M-estimators", the bandwidth
        of the perturbed histogram, as Shaham, Ghinita and Shahabi (2022)
        compare it (section 5, MKM). Departures: N is the noisy total, and at
        least two, so that its logarithm is above zero.
    """

    def parts_of_axis(self, paths: float, scale: float, dimensions: int) -> float:
        """One over the bandwidth."""
        many = max(FEWEST, paths)
        return (many / sqrt(log(many))) ** (2 / (2 + dimensions))
