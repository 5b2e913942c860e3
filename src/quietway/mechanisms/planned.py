"""A noisy total first, then the margins that it says are worth measuring."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from quietway.budget import Cost
from quietway.counts import Counts
from quietway.measurement import Measurement
from quietway.mechanisms.mechanism import noisy_totals, require_audible, require_unit
from quietway.mechanisms.plan import Candidate, chosen
from quietway.noise import NoiseSource
from quietway.universe import Partition, PrivacyUnit, Universe


@dataclass(frozen=True, kw_only=True, eq=False)
class PlannedMargins:
    """Noisy totals over the margins that suit a universe, an epsilon and about so many trips.

    Where no margin is worth its noise, the total is measured once more.

    Privacy: epsilon_total + epsilon_margins, per contributor of `unit`: which
        margins are measured follows from public sizes and the noisy total, and
        they share epsilon_margins evenly, however many they are.
    Source: Fioretto, Lee and Van Hentenryck (2018), section 7, for features.
        Departures: the features are chosen, and the cells are measured only
        where their noise would not drown them.
    """

    universe: Universe
    candidates: tuple[Candidate, ...]
    epsilon_total: Fraction
    epsilon_margins: Fraction
    unit: PrivacyUnit

    def __post_init__(self) -> None:
        require_audible(self.unit, (self.epsilon_total, self.epsilon_margins / max(1, len(self.candidates))))

    @property
    def cost(self) -> Cost:
        """The total and the margins."""
        return Cost.sequential([Cost(epsilon, self.unit) for _, epsilon in self.parts])

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """What the total takes, and all margins together."""
        return (("total", self.epsilon_total), ("margins chosen by it", self.epsilon_margins))

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """The total, then one measurement per chosen margin."""
        require_unit(counts, self.unit)
        whole = Partition.total(self.universe)
        total = noisy_totals("total", whole, self.epsilon_total, counts, rng=rng)
        margins = [(margin.name, margin.partition) for margin in self.plan(max(1, int(total.noisy[0])))]
        margins = margins or [("total again", whole)]
        share = self.epsilon_margins / len(margins)
        return (total, *(noisy_totals(name, part, share, counts, rng=rng) for name, part in margins))

    def plan(self, trips: int) -> tuple[Candidate, ...]:
        """What would be measured if there were so many trips."""
        noise = float(self.unit.sensitivity / self.epsilon_margins)
        return chosen(self.candidates, noise=noise, trips=float(trips))
