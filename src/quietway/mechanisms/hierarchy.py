"""The hierarchical mechanism: a tree of partitions, each refining the one above."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from quietway.budget import Cost
from quietway.counts import Counts
from quietway.errors import UniverseError
from quietway.measurement import Measurement
from quietway.mechanisms.laplace import FeatureLaplace
from quietway.noise import NoiseSource
from quietway.universe import Partition, PrivacyUnit


@dataclass(frozen=True, kw_only=True)
class Hierarchical:
    """Noisy totals on every measured level of a tree, from the root down to the cells.

    Privacy: the sum of the levels' epsilons, per contributor of `unit`: the
        nodes of one level are disjoint, and levels compose sequentially.
    Source: Hay, Rastogi, Miklau and Suciu (2010), section 4; Fioretto, Lee and
        Van Hentenryck (2018), section 10. Departures: the budget is divided
        among the levels that are measured, none is set aside for one that is
        not; fan-outs are whatever the partitions give; integer noise.
    """

    levels: tuple[tuple[str, Partition], ...]
    epsilons: tuple[Fraction, ...]
    unit: PrivacyUnit

    def __post_init__(self) -> None:
        _ = self._laplace  # refuses what it cannot noise
        for (coarse_name, coarse), (fine_name, fine) in pairwise(self.levels):
            if not fine.refines(coarse):
                raise UniverseError(
                    f"level '{fine_name}' does not refine '{coarse_name}': a block of it lies in two blocks above. "
                    "Order the levels from coarse to fine, and leave out those that cross"
                )
        if not self.levels[-1][1].is_identity:
            raise UniverseError(f"the last level, '{self.levels[-1][0]}', must be the cells themselves")

    @property
    def _laplace(self) -> FeatureLaplace:
        return FeatureLaplace(features=self.levels, epsilons=self.epsilons, unit=self.unit)

    @property
    def cost(self) -> Cost:
        """All levels together."""
        return self._laplace.cost

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """What each level takes."""
        return self._laplace.parts

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """One measurement per level, the root first."""
        return self._laplace.measure(counts, rng=rng)
