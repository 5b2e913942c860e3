"""How far true totals scatter around what was expected of them, learned from noisy totals alone.

Notation: m is what is expected of a block, y its true total, b its noisy total with noise variance v. Given m, y has
mean m and variance m + m^2 / k: a Poisson count whose rate scatters with shape k. A large k says that expectations
can be trusted, a small one that they say little; the k under which the noisy totals are likeliest is taken. That is a
function of what was published anyway, so it costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.solution import Floats

SHAPES = np.geomspace(0.02, 5000.0, 40)
LEAST_SHARE = 0.02


@dataclass(frozen=True, kw_only=True, eq=False)
class Belief:
    """What is believed of every block's total once its noisy total is known: a mean and a variance."""

    mean: Floats
    variance: Floats
    shape: float


def believed(expected: Floats, noisy: NDArray[np.int64], variance: float) -> Belief:
    """Expectation and noisy total, weighed by how far either may be off."""
    shape = float(min(SHAPES, key=lambda k: _risk(expected, noisy, variance, float(k))))
    spread = expected + expected**2 / shape
    trust = spread / (spread + variance)
    mean = expected + trust * (noisy - expected)
    # A block is never believed to be emptier than a trace of what was expected, so that later margins can refill it.
    return Belief(mean=np.maximum(mean, LEAST_SHARE * expected), variance=trust * variance, shape=shape)


def _risk(expected: Floats, noisy: NDArray[np.int64], variance: float, shape: float) -> float:
    """Stein's unbiased estimate of the summed squared error under this shape."""
    spread = expected + expected**2 / shape
    trust = spread / (spread + variance)
    scatter = (noisy - expected) ** 2 - variance
    return float(np.sum(trust**2 * variance + (1 - trust) ** 2 * scatter))


def likelihood(expected: Floats, noisy: NDArray[np.int64], variance: float, shape: float) -> float:
    """The logarithm of how likely the noisy totals are, all taken for Gaussian."""
    spread = expected + expected**2 / shape + variance
    return -0.5 * float(np.sum(np.log(spread) + (noisy - expected) ** 2 / spread))


def best_likelihood(expected: Floats, noisy: NDArray[np.int64], variance: float) -> float:
    """The same, under about the shape that suits best."""
    return max(likelihood(expected, noisy, variance, float(k)) for k in SHAPES[::4])
