"""One box for everything."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from quietway.budget import Cost
from quietway.counts import Paths
from quietway.measurement import NoisyBoxes
from quietway.mechanisms.mechanism import require_audible
from quietway.mechanisms.od.mechanism import require_unit
from quietway.mechanisms.od.total import noisy_total
from quietway.noise import NoiseSource
from quietway.universe import PrivacyUnit


@dataclass(frozen=True, kw_only=True)
class UniformPaths:
    """The noisy number of paths, which are then taken to be spread evenly.

    Privacy: epsilon, per contributor of `unit`: one count.
    Source: Shaham, Ghinita and Shahabi (2022), section 5, UNIFORM (the singular algorithm). Integer noise.
    """

    epsilon: Fraction
    unit: PrivacyUnit

    def __post_init__(self) -> None:
        require_audible(self.unit, (self.epsilon,))

    @property
    def cost(self) -> Cost:
        """The total."""
        return Cost(self.epsilon, self.unit)

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """The total takes all."""
        return (("total", self.epsilon),)

    def measure(self, paths: Paths, *, rng: NoiseSource) -> tuple[NoisyBoxes]:
        """The total."""
        require_unit(paths, self.unit)
        return (noisy_total(paths, self.epsilon, rng=rng),)
