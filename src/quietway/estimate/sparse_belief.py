"""What to believe of blocks of which a few hold much and most hold nothing.

Notation: m is what is expected of a block, y its true total, b = y + Z its noisy total. Given m, y is negative
binomial with mean m and shape k; for a small k almost all blocks are empty. The mean of y given b is summed over a
grid of y with the noise's own law, exp(-|b - y| / scale); k is the one under which all b are likeliest. Noisy totals
far above both the grid and the noise speak for themselves, of their own totals and of k.
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


def log_chance(y: Floats | Ints, mean: Floats, shape: float) -> Floats:
    """The log of the negative binomial law's chance of y."""
    weight = gammaln(y + shape) - gammaln(shape) - gammaln(y + 1)
    return weight + shape * np.log(shape / (shape + mean)) + y * np.log(mean / (mean + shape))


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
        chance = log_chance(self.y, self.mean[:, None], shape)
        # Never quite impossible, or a noisy total far from all that is expected would have no mean.
        return np.exp(np.maximum(chance, LEAST_CHANCE)) * self.width


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
    clear = noisy > FINE + CLEAR * scale
    mean, variance = noisy.astype(np.float64), np.full(noisy.size, 2 * scale**2)
    shape = SHAPES[0]
    if not clear.all():
        weighing = _Weighing.of(expected[~clear], noisy[~clear], scale)

        def likelihood(shape: float) -> float:
            return weighing.likelihood(shape) + float(log_chance(noisy[clear], expected[clear], shape).sum())

        shape = max(SHAPES, key=likelihood)
        mean[~clear], variance[~clear] = weighing.moments(shape)
    return Belief(mean=np.maximum(mean, 1e-9), variance=variance, shape=shape)


@dataclass(frozen=True, eq=False)
class _Weighing:
    """Noisy totals near the noise, beside every value of the grid."""

    grid: _Grid
    looked: _Looked
    chance: Floats

    @classmethod
    def of(cls, expected: Floats, noisy: Ints, scale: float) -> _Weighing:
        grid = _Grid.of(expected, scale)
        value, row = np.unique(noisy, return_inverse=True)
        place = np.interp(np.log(expected), np.log(grid.mean), np.arange(MEANS))
        column = np.minimum(place.astype(np.int64), MEANS - 2)
        # Relative to the best of the grid, or noisy totals far below zero would vanish.
        gap = np.abs(value[:, None] - grid.y[None, :])
        chance = np.exp((gap.min(axis=1, keepdims=True) - gap) / scale)
        return cls(grid, _Looked(row, column, place - column), chance)

    def likelihood(self, shape: float) -> float:
        """How likely the noisy totals are, but for a constant, as a logarithm."""
        return float(self.looked.up(np.log(self.chance @ self.grid.prior(shape).T)).sum())

    def moments(self, shape: float) -> tuple[Floats, Floats]:
        """Mean and variance of every true total."""
        prior = self.grid.prior(shape)
        evidence = self.chance @ prior.T
        first, second = (
            self.chance @ (prior * power).T / evidence for power in (self.grid.y, self.grid.y**2)
        )
        return self.looked.up(first), self.looked.up(np.maximum(0.0, second - first**2))
