"""Where one dataset stands, and the rules by which it may move on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from shlex import quote

from quietway.budget import ratio
from quietway.budget.cost import Cost, in_words
from quietway.errors import BudgetError, BudgetExceeded
from quietway.universe.unit import PrivacyUnit


@dataclass(frozen=True, kw_only=True)
class Account:
    """What a dataset may spend, has spent, and on whose behalf.

    Each rule returns the account as it stands afterwards, or refuses. A
    refusal depends on the account and on the request alone, never on records,
    so epsilons may be chosen adaptively (a privacy filter).

    Source: Rogers, Roth, Ullman & Vadhan (2016), for pure epsilon.
    """

    dataset: str
    limit: Fraction
    spent: Fraction = Fraction(0)
    unit: PrivacyUnit | None = None
    ledger: Path | None = field(default=None, compare=False)  # the file it stands in, for advice

    @property
    def left(self) -> Fraction:
        """What may still be charged."""
        return self.limit - self.spent

    def limited(self, limit: Fraction) -> Account:
        """With another limit, above or equal to what is spent."""
        if limit < self.spent:
            raise BudgetError(
                f"dataset '{self.dataset}' has already spent {ratio.in_words(self.spent)}, so its limit cannot "
                f"become {ratio.in_words(limit)}; the lowest limit possible is what was spent"
            )
        return replace(self, limit=limit)

    def opened(self, unit: PrivacyUnit) -> Account:
        """Held to the promise of that unit from now on.

        `max_trips` may differ from charge to charge: it says how a
        measurement bounds its contributors, not who they are, and losses per
        user add up whatever each measurement kept of a user's trips. Who a
        contributor is may not differ: two accounts of different people, or of
        days that begin at different moments, have no common sum.
        """
        held = self.unit
        if held is not None and (held.protects, held.neighbours) != (unit.protects, unit.neighbours):
            raise BudgetError(
                f"dataset '{self.dataset}' is accounted per {in_words(held)}, not per {in_words(unit)}; losses that "
                "protect different things cannot be added up, so a dataset keeps the unit and the neighbours it "
                f"began with: protect '{held.protects}' with neighbours '{held.neighbours}'"
            )
        if held is not None and held.contributor != unit.contributor:
            raise BudgetError(
                f"dataset '{self.dataset}' tells each {held.protects} apart by {_told_apart(held)}, not by "
                f"{_told_apart(unit)}; what different contributors lose does not add up to what any one of them has "
                "lost, so a dataset keeps telling them apart as it began"
            )
        return replace(self, unit=unit)

    def charged(self, cost: Cost) -> Account:
        """After paying, if that much is left."""
        opened = self.opened(cost.unit)
        spent = self.spent + cost.epsilon
        if spent > self.limit:
            raise BudgetExceeded(
                f"dataset '{self.dataset}' has {ratio.in_words(self.left)} left of its limit "
                f"{ratio.in_words(self.limit)}; this charge asks for {ratio.in_words(cost.epsilon)}. Nothing was "
                f"spent: ask for less, or raise the limit with `{limit_command(self.dataset, self.ledger)}`"
            )
        if ratio.too_long(spent):
            raise BudgetError(
                f"the exact sum of what dataset '{self.dataset}' spends has grown too long to write down; "
                "nothing was spent: choose an epsilon with fewer decimals"
            )
        return replace(opened, spent=spent)


def limit_command(dataset: str, ledger: Path | None) -> str:
    """The command that gives a dataset its limit, in the ledger it stands in."""
    where = "" if ledger is None else f" --ledger {quote(str(ledger))}"
    return f"quietway ledger limit {quote(dataset)} EPSILON{where}"


def _told_apart(unit: PrivacyUnit) -> str:
    return unit.contributor or "nothing that was stated"
