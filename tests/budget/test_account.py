"""The rules by which an account moves on."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietway.budget import Account, Cost
from quietway.errors import BudgetError, BudgetExceeded
from quietway.universe.unit import Neighbours, PrivacyUnit, Protects

TRIP = PrivacyUnit()
SMALL = st.fractions(min_value=Fraction(1, 100), max_value=2, max_denominator=100)


def account(limit: str, spent: str = "0") -> Account:
    return Account(dataset="rides", limit=Fraction(limit), spent=Fraction(spent), unit=TRIP)


@given(SMALL, st.lists(SMALL, max_size=30))
def test_the_sum_never_exceeds_the_limit(limit: Fraction, epsilons: list[Fraction]) -> None:
    """A charge is granted exactly when it fits in what is left, whatever came before."""
    standing = Account(dataset="rides", limit=limit)
    granted = Fraction(0)
    for epsilon in epsilons:
        if granted + epsilon <= limit:
            standing = standing.charged(Cost(epsilon, TRIP))
            granted += epsilon
        else:
            with pytest.raises(BudgetExceeded):
                standing.charged(Cost(epsilon, TRIP))
        assert (standing.spent, standing.left) == (granted, limit - granted)


def test_the_last_grain_can_be_spent() -> None:
    """Ten tenths make one, which floats would deny."""
    standing = account("1")
    for _ in range(10):
        standing = standing.charged(Cost(Fraction(1, 10), TRIP))
    assert standing.left == 0


def test_the_limit_has_no_tolerance() -> None:
    """What exceeds the limit by one part in 10^15 is refused, and the limit itself is granted."""
    with pytest.raises(BudgetExceeded):
        account("1").charged(Cost(1 + Fraction(1, 10**15), TRIP))
    assert account("1").charged(Cost(Fraction(1), TRIP)).left == 0


def test_a_refusal_tells_what_is_left_and_what_was_asked() -> None:
    """Exactly and in decimals, with the command that raises the limit."""
    with pytest.raises(BudgetExceeded) as refusal:
        account("1", "2/3").charged(Cost(Fraction(2, 5), TRIP))
    assert refusal.value.message == (
        "dataset 'rides' has 1/3 (about 0.333333) left of its limit 1; this charge asks for 2/5 (0.4). Nothing was "
        "spent: ask for less, or raise the limit with `quietway ledger limit rides EPSILON`"
    )


def test_a_limit_below_what_is_spent_is_refused_with_both_numbers() -> None:
    """What is spent cannot be taken back."""
    with pytest.raises(BudgetError, match=r"already spent 1/2 \(0\.5\).*cannot become 1/4 \(0\.25\)"):
        account("1", "1/2").limited(Fraction(1, 4))
    assert account("1", "1/2").limited(Fraction(1, 2)).left == 0


@pytest.mark.parametrize(
    "other",
    [
        PrivacyUnit(protects=Protects.USER, max_trips=1),
        PrivacyUnit(protects=Protects.USER_DAY, max_trips=1),
        PrivacyUnit(neighbours=Neighbours.REPLACE_ONE),
    ],
)
def test_another_promise_is_refused(other: PrivacyUnit) -> None:
    """Losses that protect different things cannot be added up."""
    with pytest.raises(BudgetError, match=r"per trip \(add-remove\), not per .*cannot be added up"):
        account("1").charged(Cost(Fraction(1, 10), other))


def test_the_trips_kept_of_a_user_may_change() -> None:
    """How many trips a measurement keeps of each user is not part of whom it protects."""
    few, many = (PrivacyUnit(protects=Protects.USER, max_trips=trips) for trips in (2, 8))
    standing = Account(dataset="rides", limit=Fraction(1))
    standing = standing.charged(Cost(Fraction(1, 4), few)).charged(Cost(Fraction(1, 4), many))
    assert standing.spent == Fraction(1, 2)


def test_a_sum_that_cannot_be_written_down_is_refused() -> None:
    """Exact sums of contrived fractions would otherwise grow without end."""
    standing = account("1").charged(Cost(Fraction(1, 3**600), TRIP))
    with pytest.raises(BudgetError, match="fewer decimals"):
        standing.charged(Cost(Fraction(1, 5**400), TRIP))


@pytest.mark.parametrize(
    ("protects", "held", "asked"),
    [
        (Protects.USER, "column u", "column t"),
        (Protects.USER, "column u", ""),
        (
            Protects.USER_DAY,
            "column u, by date of t (local time, Europe/Paris)",
            "column u, by date of t (local time, Asia/Tokyo)",
        ),
    ],
)
def test_other_contributors_are_refused(protects: Protects, held: str, asked: str) -> None:
    """What one column's users lose, or days from one midnight to the next, has no sum with what others lose."""
    one, other = (PrivacyUnit(protects=protects, max_trips=2, contributor=who) for who in (held, asked))
    standing = Account(dataset="rides", limit=Fraction(1)).charged(Cost(Fraction(1, 4), one))
    with pytest.raises(BudgetError, match="what different contributors lose does not add up") as refusal:
        standing.charged(Cost(Fraction(1, 4), other))
    assert held in refusal.value.message and (asked or "nothing that was stated") in refusal.value.message
    assert standing.charged(Cost(Fraction(1, 4), one)).spent == Fraction(1, 2)
