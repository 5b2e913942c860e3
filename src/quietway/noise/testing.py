"""Noise that is no noise, for tests of what is built upon it. None of it protects anyone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quietway.errors import UniverseError
from quietway.noise.source import NoiseSource, Survivors, candidates, check_sparse, checked_scale, integers

_MOST_LISTED = 2**24


@dataclass(frozen=True)
class ConstantNoise:
    """Adds the same number to everything; a selection takes the first of the best."""

    shift: int

    @property
    def private(self) -> bool:
        """Never."""
        return False

    def laplace(self, true: NDArray[np.int64], scale: Fraction) -> NDArray[np.int64]:
        """The values, shifted."""
        checked_scale(scale)
        return integers(true) + np.int64(self.shift)

    def laplace_above(
        self, true: NDArray[np.int64], empty: int, threshold: int, scale: Fraction
    ) -> Survivors:
        """Every empty cell survives, or none does."""
        check_sparse(true, empty, threshold)
        listed = empty if self.shift >= threshold else 0
        return _filtered(self.laplace(true, scale), self.laplace(_zeros(listed), scale), threshold)

    def select(self, scores: NDArray[np.int64], scale: Fraction) -> int:
        """The first of the best."""
        checked_scale(scale)
        return int(np.argmax(candidates(scores)))

    def choose(self, scores: NDArray[np.int64], scale: Fraction) -> int:
        """The first of the best."""
        return self.select(scores, scale)


class ZeroNoise(ConstantNoise):
    """Adds nothing."""

    def __init__(self) -> None:
        super().__init__(0)


@dataclass(frozen=True)
class FlippedNoise:
    """Subtracts the noise that a source would add; selections are the source's.

    Above a threshold every empty cell is noised by the source's `laplace`, so
    this is for universes small enough to list.
    """

    source: NoiseSource

    @property
    def private(self) -> bool:
        """Never."""
        return False

    def laplace(self, true: NDArray[np.int64], scale: Fraction) -> NDArray[np.int64]:
        """The values minus the source's noise."""
        values = integers(true)
        return 2 * values - self.source.laplace(values, scale)

    def laplace_above(
        self, true: NDArray[np.int64], empty: int, threshold: int, scale: Fraction
    ) -> Survivors:
        """Every cell's flipped noise, thresholded."""
        check_sparse(true, empty, threshold)
        return _filtered(self.laplace(true, scale), self.laplace(_zeros(empty), scale), threshold)

    def select(self, scores: NDArray[np.int64], scale: Fraction) -> int:
        """What the source selects."""
        return self.source.select(scores, scale)

    def choose(self, scores: NDArray[np.int64], scale: Fraction) -> int:
        """What the source chooses."""
        return self.source.choose(scores, scale)


def _zeros(count: int) -> NDArray[np.int64]:
    if count > _MOST_LISTED:
        raise UniverseError(f"this test source lists every empty cell; use at most {_MOST_LISTED:,} of them")
    return np.zeros(count, dtype=np.int64)


def _filtered(occupied: NDArray[np.int64], empty: NDArray[np.int64], threshold: int) -> Survivors:
    kept, sprung = np.flatnonzero(occupied >= threshold), np.flatnonzero(empty >= threshold)
    return Survivors(kept, occupied[kept], sprung, empty[sprung])
