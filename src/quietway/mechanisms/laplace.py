"""Laplace noise on a set of partitions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from quietway.budget import Cost
from quietway.counts import Counts
from quietway.measurement import Measurement
from quietway.mechanisms.mechanism import noisy_totals, require_audible, require_dense, require_unit
from quietway.noise import NoiseSource
from quietway.universe import Partition, PrivacyUnit


@dataclass(frozen=True, kw_only=True)
class FeatureLaplace:
    """Noisy totals over the blocks of several public partitions, each with its own share.

    Privacy: the sum of the epsilons, per contributor of `unit`, by sequential
        composition. Within a partition blocks are disjoint, so the sensitivity
        is the unit's; every block is noised, empty ones too.
    Source: Fioretto, Lee and Van Hentenryck (2018), section 7, first step.
        Departures: integer noise; shares need not be equal; the scale carries
        the number of trips a contributor may keep, and twice that where
        neighbours exchange a record.
    """

    features: tuple[tuple[str, Partition], ...]
    epsilons: tuple[Fraction, ...]
    unit: PrivacyUnit

    def __post_init__(self) -> None:
        if len(self.features) != len(self.epsilons):
            raise ValueError("every feature needs an epsilon of its own")
        require_audible(self.unit, self.epsilons)
        for name, partition in self.features:
            require_dense(partition, name)

    @property
    def cost(self) -> Cost:
        """All features together."""
        return Cost.sequential([Cost(epsilon, self.unit) for epsilon in self.epsilons])

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """What each feature takes."""
        return tuple((name, epsilon) for (name, _), epsilon in zip(self.features, self.epsilons, strict=True))

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """One measurement per feature."""
        require_unit(counts, self.unit)
        return tuple(
            noisy_totals(name, partition, epsilon, counts, rng=rng)
            for (name, partition), epsilon in zip(self.features, self.epsilons, strict=True)
        )
