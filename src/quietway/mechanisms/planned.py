"""A noisy total first, then the margins that it says are worth measuring."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from quietway.budget import Cost
from quietway.counts import Counts
from quietway.measurement import Measurement
from quietway.mechanisms.mechanism import Named, noisy_totals, require_audible, require_unit
from quietway.mechanisms.plan import TOTAL_COUNTS, Candidate, chosen
from quietway.noise import NoiseSource
from quietway.universe import Partition, PrivacyUnit, Universe


@dataclass(frozen=True, kw_only=True, eq=False)
class PlannedMargins:
    """Noisy totals over the margins that suit a universe, an epsilon and about so many trips.

    A rough total comes first. It says what else to measure. What is left is
    shared evenly, with the total once more counted as two margins.

    Privacy: epsilon_plan + epsilon_margins, per contributor of `unit`, by
        sequential composition: which margins are measured follows from public
        sizes and the rough total, and their shares add up to epsilon_margins.
    Source: Fioretto, Lee and Van Hentenryck (2018), section 7, for features.
        Departures: which features are measured is chosen, and cells are
        measured only where their noise would not drown them.
    """

    universe: Universe
    candidates: tuple[Candidate, ...]
    epsilon_plan: Fraction
    epsilon_margins: Fraction
    unit: PrivacyUnit

    def __post_init__(self) -> None:
        most = {margin.name for found in self.candidates for margin in (found, *found.instead)}
        require_audible(self.unit, (self.epsilon_plan, self.epsilon_margins / (TOTAL_COUNTS + len(most))))

    @property
    def cost(self) -> Cost:
        """The rough total and the margins."""
        return Cost.sequential([Cost(epsilon, self.unit) for _, epsilon in self.parts])

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """What the rough total takes, and all margins together."""
        return (("rough total", self.epsilon_plan), ("total and margins", self.epsilon_margins))

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """The rough total, the total, and one measurement per chosen margin."""
        require_unit(counts, self.unit)
        whole = Partition.total(self.universe)
        rough = noisy_totals("rough total", whole, self.epsilon_plan, counts, rng=rng)
        margins = self.plan(int(rough.noisy[0]))
        share = self.epsilon_margins / (TOTAL_COUNTS + len(margins))
        total = noisy_totals("total", whole, share * TOTAL_COUNTS, counts, rng=rng)
        return (rough, total, *(noisy_totals(name, part, share, counts, rng=rng) for name, part in margins))

    def plan(self, trips: int) -> Named:
        """What would be measured besides the total if there were about so many trips."""
        noise = float(self.unit.sensitivity / self.epsilon_margins)
        found = chosen(self.candidates, noise=noise, trips=float(max(1, trips)))
        return tuple((margin.name, margin.partition) for margin in found)
