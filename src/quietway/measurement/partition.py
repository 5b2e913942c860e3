"""Measurement: noisy totals over a public partition."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sinh

import numpy as np
from numpy.typing import NDArray

from quietway.universe import Partition


@dataclass(frozen=True, eq=False)
class Floors:
    """For each block of `groups`, the level from which on all of its noisy cells are listed."""

    groups: Partition
    levels: NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Measurement:
    """Noisy totals over the blocks of a public partition, already paid for.

    `noisy[i]` is the total of block i plus discrete Laplace noise of scale
    `scale` (Pr(z) proportional to exp(-|z| / scale)). With a `threshold`, only
    the blocks whose noisy total reached it are listed in `blocks`, and with
    `floors` those that reached the floor of their group; with neither,
    `blocks` is None and every block is there, in order.
    """

    name: str
    partition: Partition
    noisy: NDArray[np.int64]
    scale: Fraction
    blocks: NDArray[np.int64] | None = None
    threshold: int | None = None
    floors: Floors | None = None

    @property
    def variance(self) -> float:
        """The variance of one noisy total's noise."""
        return variance_of(self.scale)


def variance_of(scale: Fraction) -> float:
    """The variance of discrete Laplace noise: 2r / (1 - r)^2 with r = exp(-1 / scale).

    Below any float it stays positive, because estimators divide by it.
    """
    return 0.5 / sinh(min(0.5 / float(scale), 300.0)) ** 2
