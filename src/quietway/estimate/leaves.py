"""Noisy cells that can be asked for by level: those of a table, or those that stood out of a universe too big to list."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.kernels import above
from quietway.measurement import Measurement
from quietway.universe import Partition

Index = NDArray[np.int64]

LOWEST_LEVEL, HIGHEST_LEVEL = -(2**62), 2**62


@dataclass(frozen=True, eq=False)
class Listed:
    """Some noisy cells: sorted keys and their values."""

    keys: Index
    values: Index


class Leaves(Protocol):
    """The noisy cells of a universe, in groups for each of which a level can be named."""

    @property
    def groups(self) -> Partition:
        """How the cells are grouped."""
        ...

    @property
    def scale(self) -> float:
        """The scale of their noise."""
        ...

    @property
    def lowest(self) -> Index:
        """The levels below which nothing can be asked for: one for each group, or one for all."""
        ...

    def above(self, levels: Index) -> Listed:
        """Every cell whose noisy value is at least the level of its group."""
        ...


@dataclass(frozen=True, eq=False)
class DenseLeaves:
    """Every cell of a universe small enough to list."""

    measurement: Measurement
    groups: Partition

    @property
    def scale(self) -> float:
        """The scale of the cells' noise."""
        return float(self.measurement.scale)

    @property
    def lowest(self) -> Index:
        """Any level may be asked for."""
        return np.array(LOWEST_LEVEL)

    @cached_property
    def _group(self) -> NDArray[np.int32]:
        return self.groups.labels()

    def above(self, levels: Index) -> Listed:
        """Every cell whose noisy value is at least the level of its group."""
        values = self.measurement.noisy
        room = np.empty(values.size + 1, dtype=np.int64)
        keys = room[: above(values, self._group, levels, room)].copy()
        return Listed(keys, values[keys])


@dataclass(frozen=True, eq=False)
class ListedLeaves:
    """The cells that a measurement lists: all those from its floors on."""

    measurement: Measurement

    @property
    def groups(self) -> Partition:
        """The groups that the measurement has floors for."""
        assert self.measurement.floors is not None
        return self.measurement.floors.groups

    @property
    def scale(self) -> float:
        """The scale of the cells' noise."""
        return float(self.measurement.scale)

    @property
    def lowest(self) -> Index:
        """The floors: nothing below them was published."""
        assert self.measurement.floors is not None
        return self.measurement.floors.levels

    def above(self, levels: Index) -> Listed:
        """Every cell whose noisy value is at least the level of its group."""
        assert self.measurement.blocks is not None
        keys, values = self.measurement.blocks, self.measurement.noisy
        kept = values >= levels[self.groups.block_of(keys)]
        return Listed(keys[kept], values[kept])
