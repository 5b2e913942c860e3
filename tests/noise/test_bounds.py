"""Enclosures hold, checked against rational series of higher precision."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietway.noise.bounds import Interval, complement, exp_minus, product, quotient
from quietway.noise.bounds import _exp as exp_series  # pyright: ignore[reportPrivateUsage]


def enclosure(x: Fraction, terms: int) -> tuple[Fraction, Fraction]:
    """exp(-x) for x <= 1 between two partial sums of its alternating series."""
    total = term = Fraction(1)
    before = total
    for count in range(1, terms):
        term = -term * x / count
        before, total = total, total + term
    return min(before, total), max(before, total)


@given(st.fractions(min_value=0, max_value=1, max_denominator=10**6), st.integers(8, 200))
def test_exponentials_are_enclosed(x: Fraction, bits: int) -> None:
    """The rational series lies inside the integer bounds, which are a few units wide."""
    low, high = exp_minus(x, bits)
    series_low, series_high = enclosure(x, 70)
    assert low <= series_low * 2**bits
    assert series_high * 2**bits <= high
    assert high - low <= 2


@given(st.fractions(min_value=0, max_value=60, max_denominator=1000), st.integers(16, 200))
def test_large_exponents_are_enclosed(x: Fraction, bits: int) -> None:
    """exp(-x) is exp(-x/64) to the power 64, beyond where the series is short."""
    low, high = exp_minus(x, bits)
    series_low, series_high = enclosure(x / 64, 90)
    assert low <= series_high**64 * 2**bits
    assert series_low**64 * 2**bits <= high
    assert high - low <= 2


@given(st.integers(1, 2**39), st.just(40))
def test_the_series_before_its_rounding_is_an_enclosure(scaled: int, bits: int) -> None:
    """exp(y) itself, without the spare bits that would hide a bound on the wrong side."""
    low, high = exp_series(Interval(scaled, scaled), bits)
    inverse_low, inverse_high = enclosure(Fraction(scaled, 2**bits), 40)
    assert low * inverse_low <= 2**bits <= high * inverse_high
    assert low * inverse_high <= 2**bits <= high * inverse_low


def test_absurd_exponents_end_at_zero() -> None:
    """An exponent of 10^18 costs no more than any other."""
    assert exp_minus(Fraction(10**18), 192) == Interval(0, 1)


@pytest.mark.parametrize("bits", [1, 7, 64])
@given(
    left=st.fractions(0, 1, max_denominator=997), right=st.fractions(Fraction(1, 2), 1, max_denominator=991)
)
def test_arithmetic_rounds_outward(left: Fraction, right: Fraction, bits: int) -> None:
    """Products, quotients and complements contain the exact result."""
    a, b = (Interval(int(x * 2**bits), -int(-x * 2**bits // 1)) for x in (left, right))
    for found, exact in (
        (product(a, b, bits), left * right),
        (quotient(a, b, bits), left / right),
        (complement(a, bits), 1 - left),
    ):
        assert found.low <= exact * 2**bits <= found.high
