"""How far the way that trips share themselves out within known totals may differ from what was expected.

Notation: m is what is expected of a block R, M of the known block around it, p = m / M. Trips are taken to be
over-dispersed: every cell's expectation is multiplied by one plus a sum of independent effects, one for each element
a of each set A of axes (an origin's, a period's, a pair of places' ...), of variance e_a. With R's share of the known
block fixed, R's total then has the variance

    m (1 - p)  +  s^2 (sum over A and a of  e_a (m_aR - p m_a)^2  +  e (m (1 - p))^2),    s^2 = 1 + v / M^2

where v is the variance of what is known of the block, m_aR and m_a are what is expected of a inside of R and inside of
the known block. The last term is for effects that go with the question's own blocks, such as a neighbourhood that no
margin tells. Where a measured margin tells A's elements, e_a is what is left of it: the relative variance of what is
believed of them.
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
from quietway.estimate.told import OWN, Told
from quietway.universe import Partition, Universe

Index = NDArray[np.int64]

BY_ORDER = (1.0, 0.5, 0.5)


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
        return sums(partition.labels(), self.cells, partition.blocks)

    @cached_property
    def effects(self) -> tuple[Effects, ...]:
        """Of every set of up to three axes."""
        names, most = self.universe.names, min(len(BY_ORDER), len(self.universe.names))
        return tuple(
            self._effects(axes) for order in range(1, most + 1) for axes in combinations(names, order)
        )

    def _effects(self, axes: Sequence[str]) -> Effects:
        partition = Partition.margin(self.universe, axes)
        known = [told.summed(partition) for told in self.told if told.partition.refines(partition)]
        if not known:
            return Effects(partition=partition, variance=np.full(partition.blocks, BY_ORDER[len(axes) - 1]))
        return Effects(partition=partition, variance=np.minimum.reduce(known) / self.totals(partition) ** 2)

    def of_blocks(self, partition: Partition, told: Told) -> Floats:
        """The variance of every block, by way of the smallest blocks around them that a margin tells."""
        if told.partition.refines(partition):
            return told.summed(partition)
        above = told.partition.merge(partition)
        up, held = parents(partition, above), self.totals(partition)
        share, known = held / sums(up, held, above.blocks)[up], told.summed(above)[up]
        rest = held * (1 - share)
        scattered = OWN * rest**2
        for effects in self.effects:
            scattered += self._scattered(effects, partition, above, share, up)
        return known * share**2 + rest + scattered * (1 + known * (share / held) ** 2)

    def is_block(self, inside: NDArray[np.bool_], told: Told) -> bool:
        """Whether the chosen cells are one of a margin's blocks."""
        label = told.partition.labels()
        block = label[np.argmax(inside)]
        return bool(((label == block) == inside).all())

    def of_cells(self, inside: NDArray[np.bool_], told: Told) -> float:
        """The variance of the total of some cells, by way of the parts of a margin's blocks that they are."""
        label, blocks = told.partition.labels(), told.partition.blocks
        chosen = np.where(inside, self.cells, 0.0)
        held = sums(label, chosen, blocks)
        whole = sums(label, self.cells, blocks)
        share = held / whole
        rest, scale = held * (1 - share), np.sqrt(1 + told.each / whole**2)
        found = told.shared(share) + float(rest.sum()) + OWN * float((rest * scale).sum()) ** 2
        if rest.any():
            chosen = (chosen - share[label] * self.cells) * scale[label]
            for effects in self.effects:
                moved = sums(effects.partition.labels(), chosen, effects.partition.blocks)
                found += float((effects.variance * moved**2).sum())
        return found

    def _scattered(
        self, effects: Effects, partition: Partition, above: Partition, share: Floats, up: Index
    ) -> Floats:
        by = effects.partition
        unit, whole = self._meet(by, partition), self._meet(by, above)
        held = self.totals(unit)
        to_whole = _parents(unit, whole)
        of_whole = sums(to_whole, held, whole.blocks)
        found, block = np.zeros(partition.blocks), _parents(unit, partition)
        scatter(held, block, _parents(unit, by), to_whole, of_whole, share, effects.variance, found)
        squares = effects.variance[_parents(whole, by)] * of_whole**2
        found += share**2 * sums(_parents(whole, above), squares, above.blocks)[up]
        return np.maximum(0.0, found)

    def _meet(self, one: Partition, other: Partition) -> Partition:
        both = one.refine(other)
        return Partition.identity(self.universe) if both.blocks == self.universe.size else both


def _parents(finer: Partition, coarser: Partition) -> Index:
    return coarser.labels().astype(np.int64) if finer.is_identity else parents(finer, coarser)
