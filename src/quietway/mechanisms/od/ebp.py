"""Entropy-based partitioning."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from quietway.mechanisms.od.grid import RuledGrid


@dataclass(frozen=True, kw_only=True)
class EntropyBasedGrid(RuledGrid):
    """A grid of (N / (sqrt(2) scale))^(2/3) blocks, whatever the dimensions.

    That is where the logarithm of the noise of all blocks together equals that of paths per block. It is a rule of
    thumb, not an optimum of anything.

    Source: Shaham, Ghinita and Shahabi (2022), section 3.2, equation (19).
        Departures: none in the rule. But the objective (16) that it is said
        to minimise falls for ever with m once (17) is put in, (14) is not the
        entropy of noise, and in two dimensions it is not the uniform grid. N
        is the noisy total, epsilon what is left after it.
    """

    def parts_of_axis(self, paths: float, scale: float, dimensions: int) -> float:
        """The d-th root of the number of blocks."""
        return (paths / (sqrt(2) * scale)) ** (2 / (3 * dimensions))
