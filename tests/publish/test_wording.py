"""Numbers in words."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietway.publish.wording import certainty, exact, measured, odds_factor, odds_in_short, whole

epsilons = st.fractions(min_value=Fraction(1, 1000), max_value=12, max_denominator=1000)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Fraction(1, 10), "0.1"),
        (Fraction(3), "3"),
        (Fraction(1, 3), "1/3 (about 0.3333)"),
        (Fraction(5, 8), "0.625"),
    ],
)
def test_rationals_are_written_in_full(value: Fraction, words: str) -> None:
    """Decimals that end are decimals; others are fractions."""
    assert exact(value) == words


@given(st.integers(0, 10**6), st.integers(0, 12))
def test_decimals_read_back_exactly(digits: int, places: int) -> None:
    """A decimal that ends is written without loss."""
    value = Fraction(digits, 10**places)
    assert Fraction(exact(value)) == value


@given(epsilons)
def test_odds_are_rounded_up(epsilon: Fraction) -> None:
    """The printed factor is never below e^epsilon, and overstates epsilon by a tenth at most."""
    printed = float(odds_factor(epsilon).replace(",", ""))
    assert exp(epsilon) <= printed * (1 + 1e-12)
    assert printed - 1 <= (exp(epsilon) - 1) * 1.12


@given(epsilons)
def test_certainty_is_rounded_up(epsilon: Fraction) -> None:
    """The printed certainty is never below what an even guess can become."""
    assert float(certainty(epsilon)[:-2]) / 100 >= 1 / (1 + exp(-epsilon)) - 1e-12


def test_huge_epsilons_have_words() -> None:
    """An epsilon that protects nobody is printed, not overflown."""
    assert odds_factor(Fraction(10**6)) == "more than a million"
    assert certainty(Fraction(10**6)) == "100.0 %"


@pytest.mark.parametrize("exponent", [6, 9, 12, 16, 17, 30, 300])
def test_tiny_epsilons_are_rounded_up(exponent: int) -> None:
    """An epsilon that a float adds to one without effect still changes the printed odds and certainty."""
    epsilon = Fraction(1, 10**exponent)
    assert 1 + epsilon < Fraction(odds_factor(epsilon)) <= 1 + max(2 * epsilon, Fraction(2, 10**9))
    assert certainty(epsilon) == "50.1 %"


def test_odds_in_short_are_a_bound_only_where_there_is_one() -> None:
    """A factor is what the odds change up to; one beyond words is not called a bound."""
    assert odds_in_short(Fraction(1)) == "up to 2.72"
    assert odds_in_short(Fraction(10**99)) == "more than a million"


def test_numbers_are_rounded_to_their_size() -> None:
    """Small numbers keep decimals, large ones have thousands apart, and minus is a minus."""
    assert [measured(v) for v in (0, 0.421, 7.26, 42.24, 1204.4)] == ["0", "0.42", "7.26", "42.2", "1,204"]
    assert whole(-1234.4) == "\N{MINUS SIGN}1,234"
