"""What every estimator returns: a table of integers, and how far it may be off."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from quietway.universe import Partition, Range

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Estimates:
    """Estimates, their standard deviations, and intervals that hold the truth."""

    estimate: Floats
    deviation: Floats
    low: Floats
    high: Floats


class ErrorModel(Protocol):
    """Estimates with intervals for any margin or range, from the measurements and public knowledge alone.

    `unbiased` says whether estimates are right on average whatever the truth, with intervals by the noise alone;
    else they are means of what may be believed, given a prior.
    """

    unbiased: ClassVar[bool]

    def margin(self, partition: Partition, confidence: float) -> Estimates:
        """One estimate per block."""
        ...

    def range(self, range_: Range, confidence: float) -> Estimates:
        """The estimate for one range, as arrays of length one."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Solution:
    """The published table: keys and positive integers of its non-empty cells."""

    keys: NDArray[np.int64]
    counts: NDArray[np.int64]
    errors: ErrorModel
    status: str


def sums(
    group: NDArray[np.int64] | NDArray[np.int32], value: NDArray[np.float64] | NDArray[np.int64], groups: int
) -> Floats:
    """The sum of the values of each group."""
    return np.bincount(group, value, minlength=groups).astype(np.float64, copy=False)


def around(estimate: Floats, deviation: Floats, confidence: float) -> Estimates:
    """Intervals around estimates whose noise is a sum of discrete Laplace draws.

    The tail of such a sum lies between a normal's and a single Laplace draw's,
    so the larger of the two quantiles is used; one trip more covers the steps
    of integer noise, which matter where the noise is seldom anything but zero.
    True counts are not negative, so an interval is cut at zero.
    """
    half = _quantile(confidence) * deviation + 1.0
    low, high = np.maximum(0.0, estimate - half), np.maximum(0.0, estimate + half)
    return Estimates(estimate=estimate, deviation=deviation, low=low, high=high)


def _quantile(confidence: float) -> float:
    """In standard deviations."""
    return max(NormalDist().inv_cdf((1 + confidence) / 2), -log(1 - confidence) / sqrt(2))
