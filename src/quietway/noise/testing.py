"""Noise that is no noise, for tests of what is built upon it. None of it protects anyone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quietway.errors import UniverseError
from quietway.noise.checks import candidates, check_sparse, checked_scale, integers
from quietway.noise.groups import Cells, Groups, HiddenCells, Revealed
from quietway.noise.source import NoiseSource, Survivors

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

    def hide(
        self, true: NDArray[np.int64], where: NDArray[np.int64], sizes: NDArray[np.int64], scale: Fraction
    ) -> HiddenCells:
        """The values, shifted, and empty cells that all hold the shift."""
        groups = Groups.of(sizes)
        occupied = groups.occupied(true, where)
        return _AlikeCells(groups, occupied._replace(noisy=self.laplace(occupied.noisy, scale)), self.shift)

    def select(self, scores: NDArray[np.int64], scale: Fraction) -> int:
        """The first of the best."""
        checked_scale(scale)
        return int(np.argmax(candidates(scores)))

    def choose(self, scores: NDArray[np.int64], scale: Fraction) -> int:
        """The first of the best."""
        return self.select(scores, scale)

    def positive(self, true: NDArray[np.int64], scale: Fraction) -> NDArray[np.bool_]:
        """Whether what `laplace` makes of each value is above zero."""
        return self.laplace(true, scale) > 0


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

    def hide(
        self, true: NDArray[np.int64], where: NDArray[np.int64], sizes: NDArray[np.int64], scale: Fraction
    ) -> HiddenCells:
        """Every cell's flipped noise."""
        return ListedCells(self.laplace(listed(true, where, sizes), scale), sizes)

    def select(self, scores: NDArray[np.int64], scale: Fraction) -> int:
        """What the source selects."""
        return self.source.select(scores, scale)

    def choose(self, scores: NDArray[np.int64], scale: Fraction) -> int:
        """What the source chooses."""
        return self.source.choose(scores, scale)

    def positive(self, true: NDArray[np.int64], scale: Fraction) -> NDArray[np.bool_]:
        """Whether what `laplace` makes of each value is above zero."""
        return self.laplace(true, scale) > 0


@dataclass(frozen=True, eq=False, repr=False)
class ListedCells:
    """Hidden cells that are noised one and all: what drawing them as they are revealed must look like."""

    noisy: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def reveal(self, levels: NDArray[np.int64]) -> Revealed:
        """Every cell whose noisy value is at least the level of its group."""
        groups = Groups.of(self.sizes)
        shown = np.flatnonzero(self.noisy >= np.repeat(groups.checked(levels), groups.sizes))
        return Revealed(shown, self.noisy[shown])


def listed(true: NDArray[np.int64], where: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Every cell of the groups, zero but for the occupied ones."""
    groups = Groups.of(sizes)
    cells, occupied = _zeros(groups.cells), groups.occupied(true, where)
    cells[occupied.positions] = occupied.noisy
    return cells


@dataclass(frozen=True, eq=False, repr=False)
class _AlikeCells:
    """Hidden cells whose empty ones all hold the same."""

    groups: Groups
    occupied: Cells
    empty: int

    def reveal(self, levels: NDArray[np.int64]) -> Revealed:
        """The occupied cells that reach their levels, and all empty ones of the groups whose level they reach."""
        wanted = self.groups.checked(levels)
        shown = self.occupied.at_least(wanted)
        sizes = np.where(wanted <= self.empty, self.groups.sizes, 0)
        within = np.arange(_zeros(Groups.of(sizes).cells).size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        empty = np.setdiff1d(
            np.repeat(self.groups.starts, sizes) + within, self.occupied.positions, assume_unique=True
        )
        positions = np.concatenate([shown.positions, empty])
        noisy = np.concatenate([shown.noisy, np.full(empty.size, self.empty, dtype=np.int64)])
        order = np.argsort(positions)
        return Revealed(positions[order], noisy[order])


def _zeros(count: int) -> NDArray[np.int64]:
    if count > _MOST_LISTED:
        raise UniverseError(f"this test source lists every empty cell; use at most {_MOST_LISTED:,} of them")
    return np.zeros(count, dtype=np.int64)


def _filtered(occupied: NDArray[np.int64], empty: NDArray[np.int64], threshold: int) -> Survivors:
    kept, sprung = np.flatnonzero(occupied >= threshold), np.flatnonzero(empty >= threshold)
    return Survivors(kept, occupied[kept], sprung, empty[sprung])
