"""The noisy cells of a universe too big to list, as a fit asks for them: from above, group by group."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from quietway.counts import Counts
from quietway.estimate.leaves import HIGHEST_LEVEL, LOWEST_LEVEL, Index, Listed
from quietway.measurement import Floors, Measurement
from quietway.noise import HiddenCells, NoiseSource
from quietway.universe import Partition
from quietway.universe.members import Members


@dataclass(frozen=True, eq=False)
class HiddenLeaves:
    """Leaves behind levels. What can be asked of them is public once it has been asked.

    Cells are numbered group after group (see `Members`), whatever they hold,
    so that their noise is hidden in the same places for every data set.
    """

    members: Members
    hidden: HiddenCells
    exact_scale: Fraction

    @classmethod
    def of(cls, counts: Counts, groups: Partition, scale: Fraction, *, rng: NoiseSource) -> HiddenLeaves:
        """Every cell of the universe noised, as it were."""
        members = Members(groups)
        positions = members.positions(counts.keys)
        order = np.argsort(positions)
        hidden = rng.hide(counts.values[order], positions[order], members.sizes, scale)
        return cls(members, hidden, scale)

    @property
    def groups(self) -> Partition:
        """How the cells are grouped."""
        return self.members.partition

    @property
    def scale(self) -> float:
        """The scale of their noise."""
        return float(self.exact_scale)

    @property
    def lowest(self) -> Index:
        """Any level may be asked for."""
        return np.array(LOWEST_LEVEL)

    def above(self, levels: Index) -> Listed:
        """Every cell whose noisy value is at least the level of its group."""
        shown = self.hidden.reveal(levels)
        keys = self.members.keys(shown.positions)
        order = np.argsort(keys)
        return Listed(keys[order], shown.noisy[order])

    @property
    def unlisted(self) -> Measurement:
        """The cells' measurement before any is listed."""
        none = np.empty(0, dtype=np.int64)
        return self._told(Listed(none, none), np.full(self.groups.blocks, HIGHEST_LEVEL))

    def measurement(self, floors: Index) -> Measurement:
        """The cells down to these floors, as they are published."""
        return self._told(self.above(floors), floors)

    def _told(self, listed: Listed, floors: Index) -> Measurement:
        return Measurement(
            name="cells",
            partition=Partition.identity(self.groups.universe),
            noisy=listed.values,
            scale=self.exact_scale,
            blocks=listed.keys,
            floors=Floors(self.groups, floors),
        )
