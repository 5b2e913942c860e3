"""How far the way that trips share themselves out within known totals may differ from what was expected.

Notation: m is what is expected of a block R, M of the known block around it, p = m / M. Trips are taken to be
over-dispersed: every cell's expectation is multiplied by one plus a sum of independent effects, one for each element
of each set A of axes (an origin's, a period's, a pair of places' ...), of variance e_A. With R's share of the known
block fixed, R's total then has the variance

    m (1 - p)  +  sum over A and over A's elements a of  e_a (m_aR - p m_a)^2  +  e (m (1 - p))^2

where m_aR and m_a are what is expected of a inside of R and inside of the known block. The last term is for effects
that go with the question's own blocks, such as zones that nobody measured. Where a measured margin tells A's
elements, what is left of e_a is the relative variance of what is believed of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.flat import parents
from quietway.estimate.scattering import scatter
from quietway.estimate.solution import Floats, sums
from quietway.universe import Partition, Universe

Index = NDArray[np.int64]

BY_ORDER = (1.0, 0.5, 0.5)
OWN = 0.5
MOST_TOGETHER = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class Told:
    """A measured margin: what is believed of its blocks, and the variance of that."""

    partition: Partition
    mean: Floats
    variance: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class Effects:
    """One independent effect for each block of a partition, and their variances."""

    partition: Partition
    variance: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class Splitting:
    """Expected cells, the margins that they were fitted to, and how trips scatter around them."""

    universe: Universe
    cells: Floats
    told: Sequence[Told]

    def totals(self, partition: Partition) -> Floats:
        """What is expected of every block."""
        if partition.blocks == self.universe.size:
            partition = Partition.identity(self.universe)
        return sums(partition.labels(), self.cells, partition.blocks)

    def of_known(self, partition: Partition) -> Floats | None:
        """The least variance of every block by a measured margin that tells it; None if none does.

        Where the cells did not follow what was believed, that gap is an error that we know of.
        """
        found = None
        held = self.totals(partition)
        for told in self.told:
            if told.partition.refines(partition):
                up = parents(told.partition, partition)
                gap = sums(up, told.mean, partition.blocks) - held
                variance = sums(up, told.variance, partition.blocks) + gap**2
                found = variance if found is None else np.minimum(found, variance)
        return found

    @cached_property
    def effects(self) -> tuple[Effects, ...]:
        """Of every set of axes."""
        names = self.universe.names
        most = min(MOST_TOGETHER, len(names))
        return tuple(
            self._effects(chosen) for order in range(1, most + 1) for chosen in combinations(names, order)
        )

    def _effects(self, axes: Sequence[str]) -> Effects:
        partition = Partition.margin(self.universe, axes)
        usual = BY_ORDER[len(axes) - 1]
        variance = np.full(partition.blocks, usual)
        known = self.of_known(partition)
        if known is not None:
            variance = np.minimum(variance, known / np.maximum(self.totals(partition), 1e-9) ** 2)
        return Effects(partition=partition, variance=variance)

    def variance(self, partition: Partition, above: Partition) -> Floats | None:
        """Of every block, by way of the blocks above that it shares; None where those are not known."""
        known = self.of_known(above)
        if known is None:
            return None
        up = parents(partition, above)
        held = self.totals(partition)
        share = held / sums(up, held, above.blocks)[up]
        found = known[up] * share**2 + held * (1 - share)
        if above.blocks < partition.blocks:
            found += OWN * (held * (1 - share)) ** 2
            for effects in self.effects:
                found += self._scattered(effects, partition, above, share, up)
        return found

    def _scattered(
        self, effects: Effects, partition: Partition, above: Partition, share: Floats, up: Index
    ) -> Floats:
        by = effects.partition
        unit, whole = self._meet(by, partition), self._meet(by, above)
        held = self.totals(unit)
        to_whole = _parents(unit, whole)
        of_whole = sums(to_whole, held, whole.blocks)
        found = np.zeros(partition.blocks)
        scatter(
            held, _parents(unit, partition), _parents(unit, by), to_whole, of_whole, share, effects.variance, found
        )
        squares = effects.variance[_parents(whole, by)] * of_whole**2
        found += share**2 * sums(_parents(whole, above), squares, above.blocks)[up]
        return np.maximum(0.0, found)

    def _meet(self, one: Partition, other: Partition) -> Partition:
        both = one.refine(other)
        return Partition.identity(self.universe) if both.blocks == self.universe.size else both


def _parents(finer: Partition, coarser: Partition) -> Index:
    return coarser.labels().astype(np.int64) if finer.is_identity else parents(finer, coarser)
