"""What to believe of blocks of which a few hold much and most hold nothing.

Notation: m is what is expected of a block, y its true total, b = y + Z its noisy total. Given m, y is negative
binomial with mean m and shape k; for a small k almost all blocks are empty. The mean of y given b is summed over a
grid of y with the noise's own law, exp(-|b - y| / scale); k is the one under which all b are likeliest. Noisy totals
far above both the grid and the noise speak for themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from quietway.estimate.dispersion import Belief
from quietway.estimate.solution import Floats

Ints = NDArray[np.int64]

SHAPES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 3.0)
MEANS = 40
FINE = 200
CLEAR = 40.0
LEAST_CHANCE = -600.0


@dataclass(frozen=True, eq=False)
class _Grid:
    """Values of y, how many integers each stands for, and the expectations that are looked up."""

    y: Floats
    width: Floats
    mean: Floats

    @classmethod
    def of(cls, expected: Floats, scale: float) -> _Grid:
        fine = np.arange(FINE, dtype=np.float64)
        coarse = np.arange(FINE, FINE + 1.3 * CLEAR * scale + 1, max(1.0, scale / 4))
        y = np.r_[fine, coarse]
        low, high = max(float(expected.min()), 1e-9), max(float(expected.max()), 1e-8)
        return cls(y, np.gradient(y), np.geomspace(low, high * 1.0001, MEANS))

    def prior(self, shape: float) -> Floats:
        """A row per expectation: the negative binomial law over the grid."""
        y, m = self.y, self.mean[:, None]
        weight = gammaln(y + shape) - gammaln(shape) - gammaln(y + 1)
        chance = weight + shape * np.log(shape / (shape + m)) + y * np.log(m / (m + shape))
        # Never quite impossible, or a noisy total far from all that is expected would have no mean.
        law = np.exp(np.maximum(chance, LEAST_CHANCE)) * self.width
        return law / law.sum(axis=1, keepdims=True)


@dataclass(frozen=True, eq=False)
class _Looked:
    """Every block's place in tables over distinct noisy totals and expectations, between two of the latter."""

    row: Ints
    column: Ints
    rest: Floats

    def up(self, table: Floats) -> Floats:
        left, right = table[self.row, self.column], table[self.row, self.column + 1]
        return left + self.rest * (right - left)


def believed_sparse(expected: Floats, noisy: Ints, scale: float) -> Belief:
    """Expectation and noisy total, weighed by the noise's law and by how sparse the blocks are found to be."""
    expected = np.maximum(expected, 1e-9)
    unclear = noisy <= FINE + CLEAR * scale
    mean, variance = noisy.astype(np.float64), np.full(noisy.size, 2 * scale**2)
    shape = SHAPES[0]
    if unclear.any():
        mean[unclear], variance[unclear], shape = _weighed(expected[unclear], noisy[unclear], scale)
    return Belief(mean=np.maximum(mean, 1e-9), variance=variance, shape=shape)


def _weighed(expected: Floats, noisy: Ints, scale: float) -> tuple[Floats, Floats, float]:
    grid = _Grid.of(expected, scale)
    value, row = np.unique(noisy, return_inverse=True)
    place = np.interp(np.log(expected), np.log(grid.mean), np.arange(MEANS))
    column = np.minimum(place.astype(np.int64), MEANS - 2)
    looked = _Looked(row, column, place - column)
    # Relative to the best of the grid, or noisy totals far below zero would vanish.
    gap = np.abs(value[:, None] - grid.y[None, :])
    chance = np.exp((gap.min(axis=1, keepdims=True) - gap) / scale)

    def likelihood(shape: float) -> float:
        return float(looked.up(np.log(chance @ grid.prior(shape).T)).sum())

    shape = max(SHAPES, key=likelihood)
    prior = grid.prior(shape)
    evidence = chance @ prior.T
    first, second = (chance @ (prior * power).T / evidence for power in (grid.y, grid.y**2))
    return looked.up(first), looked.up(np.maximum(0.0, second - first**2)), shape
