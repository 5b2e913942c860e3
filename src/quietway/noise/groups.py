"""Cells in groups, each group with a level of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from quietway.errors import UniverseError
from quietway.noise.checks import integers

Ints = NDArray[np.int64]

_FURTHEST_LEVEL = 2**62
_MOST_CELLS = 2**62


@dataclass(frozen=True, eq=False, repr=False)
class Revealed:
    """The cells at or above the levels asked for: sorted positions and their noisy values."""

    positions: Ints
    noisy: Ints


class HiddenCells(Protocol):
    """Cells that have all been noised, and are shown from above down to a level."""

    def reveal(self, levels: Ints) -> Revealed:
        """Every cell whose noisy value is at least the level of its group. What was shown once stays the same."""
        ...


@dataclass(frozen=True, eq=False)
class Groups:
    """Cells numbered from 0, group after group."""

    sizes: Ints
    ends: Ints

    @classmethod
    def of(cls, sizes: Ints) -> Groups:
        """Groups of these sizes, at most 2^62 cells together."""
        array = integers(sizes)
        if array.ndim != 1 or (array < 0).any() or _sum(array) > _MOST_CELLS:
            raise UniverseError(
                "group sizes must be a vector of numbers from 0 on that add up to at most 2^62; "
                "use fewer or coarser axes"
            )
        return cls(array, np.cumsum(array))

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return int(self.ends[-1]) if self.ends.size else 0

    @property
    def starts(self) -> Ints:
        """The position of each group's first cell."""
        return self.ends - self.sizes

    def group_of(self, positions: Ints) -> Ints:
        """The group that holds each position."""
        return np.searchsorted(self.ends, positions, side="right")

    def occupied(self, true: Ints, where: Ints) -> Cells:
        """The occupied cells, or a refusal."""
        values, positions = integers(true), integers(where)
        if values.ndim != 1 or values.shape != positions.shape:
            raise UniverseError("hidden cells need one position for each value")
        if positions.size and (
            (np.diff(positions) <= 0).any() or positions[0] < 0 or positions[-1] >= self.cells
        ):
            raise UniverseError("positions of hidden cells must be sorted, distinct and inside their groups")
        return Cells(positions, self.group_of(positions), values)

    def checked(self, levels: Ints) -> Ints:
        """One level for each group, or a refusal."""
        array = integers(levels)
        if array.shape != self.sizes.shape:
            raise UniverseError(f"{self.sizes.size:,} groups need as many levels, not {array.size:,}")
        if ((array < -_FURTHEST_LEVEL) | (array > _FURTHEST_LEVEL)).any():
            raise UniverseError("levels must be between -2^62 and 2^62")
        return array


class Cells(NamedTuple):
    """Cells in the order of their positions, each with its group and its value."""

    positions: Ints
    groups: Ints
    noisy: Ints

    def hold(self, positions: Ints) -> NDArray[np.bool_]:
        """Whether each position is one of theirs."""
        at = np.searchsorted(self.positions, positions)
        return np.append(self.positions, -1)[at] == positions

    def with_others(self, others: Cells) -> Cells:
        """These and cells at other positions."""
        at = np.searchsorted(self.positions, others.positions)
        return Cells(*(np.insert(own, at, other) for own, other in zip(self, others, strict=True)))

    def at_least(self, levels: Ints) -> Revealed:
        """Those that reach the level of their group."""
        shown = self.noisy >= levels[self.groups]
        return Revealed(self.positions[shown], self.noisy[shown])


def _sum(sizes: Ints) -> int:
    """The sum, also where it does not fit."""
    return (int((sizes >> 32).sum()) << 32) + int((sizes & (2**32 - 1)).sum())
