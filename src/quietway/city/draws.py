"""Repeatable random draws, the same on every machine and every numpy.

Only the bit stream of PCG64 is used, which numpy promises never to change;
everything above it is here. This serves synthetic, public data alone: noise
that protects people comes from `quietway.noise`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Draws:
    """One stream of draws, named by its seeds."""

    def __init__(self, *seeds: int) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence(seeds))

    def raw(self, size: int) -> NDArray[np.uint64]:
        """Independent 64-bit words."""
        return self._bits.random_raw(size)

    def uniform(self, size: int) -> NDArray[np.float64]:
        """Independent values in [0, 1), multiples of 2**-53."""
        return (self.raw(size) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def below(self, limit: int, size: int) -> NDArray[np.int64]:
        """Independent integers in [0, limit)."""
        return np.floor(self.uniform(size) * limit).astype(np.int64)

    def order(self, size: int) -> NDArray[np.int64]:
        """A uniform permutation of 0..size-1."""
        return np.argsort(self.raw(size), kind="stable").astype(np.int64)

    def pick(self, weights: NDArray[np.int64], size: int) -> NDArray[np.int64]:
        """Independent indices, each with probability proportional to its integer weight."""
        ends = np.cumsum(weights)
        return np.searchsorted(ends, self.below(int(ends[-1]), size), side="right").astype(np.int64)

    def pick_distinct(self, weights: NDArray[np.int64], size: int) -> NDArray[np.int64]:
        """Sorted distinct indices, drawn one after another in proportion to weight.

        The item whose exponential clock of rate `weight` rings first is the
        one such a draw would take first (Efraimidis & Spirakis, 2006).
        """
        clocks = -np.log1p(-self.uniform(weights.size)) / np.maximum(weights, 1)
        clocks[weights <= 0] = np.inf
        return np.sort(np.argsort(clocks, kind="stable")[:size]).astype(np.int64)

    def lognormal(self, sigma: float, size: int) -> NDArray[np.float64]:
        """Independent values exp(sigma * Z) of median 1, by the Box-Muller transform."""
        radius = np.sqrt(-2.0 * np.log1p(-self.uniform(size)))
        return np.exp(sigma * radius * np.cos(2.0 * np.pi * self.uniform(size)))
