"""A mechanism that selects, so that the gates are tried on selections too."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from quietway.budget import Cost
from quietway.counts import Counts
from quietway.measurement import Measurement
from quietway.noise import NoiseSource
from quietway.universe import Partition, PrivacyUnit, Universe


@dataclass(frozen=True, kw_only=True)
class SelectedBlock:
    """The busiest block by permute-and-flip, another by the exponential mechanism, and their noisy totals.

    Privacy: the sum of its parts. A contributor moves every score by at most
        the trips they keep, so a selection takes scale 2 * bound / epsilon.
    """

    partition: Partition
    epsilon: Fraction
    unit: PrivacyUnit

    @classmethod
    def build(cls, universe: Universe, unit: PrivacyUnit, epsilon: Fraction) -> SelectedBlock:
        """Over the blocks of the first axis."""
        return cls(partition=Partition.margin(universe, universe.names[:1]), epsilon=epsilon, unit=unit)

    @property
    def cost(self) -> Cost:
        """All parts together."""
        return Cost(self.epsilon, self.unit)

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """A quarter each for two selections, a half for the two totals."""
        return (("busiest", self.epsilon / 4), ("another", self.epsilon / 4), ("totals", self.epsilon / 2))

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """One measurement of at most two blocks."""
        epsilons = dict(self.parts)
        totals = self.partition.totals(counts.keys, counts.values)
        busiest = rng.select(totals, Fraction(2 * self.unit.bound) / epsilons["busiest"])
        another = rng.choose(totals, Fraction(2 * self.unit.bound) / epsilons["another"])
        blocks = np.unique(np.array([busiest, another], dtype=np.int64))
        scale = self.unit.sensitivity / epsilons["totals"]
        noisy = rng.laplace(totals[blocks], scale)
        return (
            Measurement(name="totals", partition=self.partition, noisy=noisy, scale=scale, blocks=blocks),
        )
