"""What a measurement costs in privacy, and how costs add up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from quietway.budget.ratio import parse_positive
from quietway.errors import PrivacyError
from quietway.universe.unit import Neighbours, PrivacyUnit, Protects


def parse_epsilon(value: object) -> Fraction:
    """The exact epsilon that a person meant: 0.1, "0.1", "1/10" and Decimal("0.1") are all one tenth."""
    return parse_positive(value, "epsilon")


@dataclass(frozen=True)
class Cost:
    """A pure differential privacy loss: Pr(M(x) in S) <= e^epsilon Pr(M(x') in S) for neighbours x, x' and any S.

    Neighbours differ by one contributor, as `unit` says. Costs are exact, so
    sums never drift from the limit they are held against.
    """

    epsilon: Fraction
    unit: PrivacyUnit

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", parse_epsilon(self.epsilon))

    @classmethod
    def sequential(cls, costs: Iterable[Cost]) -> Cost:
        """The sum, for measurements of the same records, even if each is chosen after seeing those before it.

        Source: Dwork & Roth (2014), Theorem 3.16; adaptively chosen epsilons,
            Rogers, Roth, Ullman & Vadhan (2016).
        """
        parts = tuple(costs)
        return cls(sum((part.epsilon for part in parts), Fraction(0)), _shared_unit(parts))

    @classmethod
    def parallel(cls, costs: Iterable[Cost]) -> Cost:
        """The cost of all of them, each on a block of its own.

        The blocks are disjoint, and public or already released, and each cost
        holds for whatever a neighbour changes in its block. Adding or removing
        a contributor touches one block: the largest cost. Replacing one may
        touch the block left and the block entered: the sum of the two largest.

        A contributor with several trips may stand in several blocks. The rule
        then holds only for costs that shrink with the trips moved, as those
        of noise scaled to all of a contributor's trips do (epsilon / max_trips
        each); for anything else use `sequential`.

        Source: McSherry (2009), Theorem 4; the replace-one rule follows from
            counting the blocks touched.
        """
        parts = tuple(costs)
        unit = _shared_unit(parts)
        touched = 2 if unit.neighbours is Neighbours.REPLACE_ONE else 1
        largest = sorted((part.epsilon for part in parts), reverse=True)[:touched]
        return cls(sum(largest, Fraction(0)), unit)


def in_words(unit: PrivacyUnit) -> str:
    """A unit as messages name it."""
    kept = "" if unit.protects is Protects.TRIP else f", at most {unit.bound} trips each"
    who = f", {unit.contributor}" if unit.contributor else ""
    return f"{unit.protects} ({unit.neighbours}{kept}{who})"


def _shared_unit(parts: tuple[Cost, ...]) -> PrivacyUnit:
    if not parts:
        raise ValueError("there is no cost to compose: give at least one")
    unit = parts[0].unit
    for part in parts[1:]:
        if part.unit != unit:
            raise PrivacyError(
                f"a cost per {in_words(part.unit)} cannot be combined with a cost per {in_words(unit)}: "
                "they promise different things; measure everything with one unit"
            )
    return unit
