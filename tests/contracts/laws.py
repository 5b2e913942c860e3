"""The exact laws of the noise, written independently of the samplers.

Notation: b is the scale, r = exp(-1 / b); Pr(z) = (1 - r) / (1 + r) * r^|z|.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def log_pmf(z: Ints, scale: Fraction) -> Floats:
    """ln Pr(Z = z)."""
    b = float(scale)
    return np.log(np.tanh(0.5 / b)) - np.abs(z) / b


def log_below(z: Ints, scale: Fraction) -> Floats:
    """ln Pr(Z < z): r^(1 - z) / (1 + r) up to zero, and 1 - r^z / (1 + r) from one on."""
    b = float(scale)
    low = np.minimum(z, 0)
    high = np.maximum(z, 0)
    left = (low - 1) / b - np.log1p(np.exp(-1 / b))
    right = np.log1p(-np.exp(-high / b) / (1 + np.exp(-1 / b)))
    return np.where(z <= 0, left, right)


def pmf(z: Ints, scale: Fraction) -> Floats:
    """Pr(Z = z)."""
    return np.exp(log_pmf(z, scale))


def exponential(scores: Ints, scale: Fraction) -> Floats:
    """The exponential mechanism's probabilities."""
    weights = np.exp((scores - scores.max()) / float(scale))
    return weights / weights.sum()


def permute_and_flip(scores: Ints, scale: Fraction) -> Floats:
    """Permute-and-flip's probabilities.

    A random order is a uniform time of arrival for each candidate. One that
    comes at time t wins if it is accepted and every other one is either later
    or refused: p_i times the integral over t of the product of (1 - p_j t).
    Gauss and Legendre's nodes integrate that polynomial exactly, and all their
    terms are positive, so nothing cancels however many candidates there are.
    """
    accepted = np.exp((scores - scores.max()) / float(scale))
    nodes, weights = np.polynomial.legendre.leggauss(len(scores) // 2 + 1)
    time, weight = (nodes + 1) / 2, weights / 2
    refused = 1 - np.outer(time, accepted)
    return np.array(
        [accepted[i] * _survives(np.delete(refused, i, axis=1), weight) for i in range(len(scores))]
    )


def _survives(refused: Floats, weight: Floats) -> float:
    return float((refused.prod(axis=1) * weight).sum())


def selection(kind: str, scores: Ints, scale: Fraction) -> Floats:
    """The probabilities of `select` or `choose`."""
    return {"select": permute_and_flip, "choose": exponential}[kind](scores, scale)


def log_decisions(true: Ints, scale: Fraction) -> Floats:
    """For each value, the log chances that with noise it is not above zero, and that it is."""
    b = float(scale)
    beyond = -np.where(true > 0, true, 1 - true) / b - np.log1p(np.exp(-1 / b))  # the less likely of the two
    other = np.log1p(-np.exp(beyond))
    below, above = np.where(true > 0, (beyond, other), (other, beyond))
    return np.column_stack([below, above])
