"""Real numbers enclosed between two integers, every rounding directed outward.

A real x in [0, infinity) is held at `bits` bits as integers low and high with
low <= x * 2^bits <= high. More bits give a narrower enclosure; no step
depends on floating point.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

_GUARD_BITS = 16


class Interval(NamedTuple):
    """Integers around a non-negative real number times 2^bits; the bits are kept by the caller."""

    low: int
    high: int


def divide_up(numerator: int, denominator: int) -> int:
    """The quotient rounded up."""
    return -(-numerator // denominator)


def product(left: Interval, right: Interval, bits: int) -> Interval:
    """The enclosure of a product."""
    return Interval(left.low * right.low >> bits, -(-(left.high * right.high) >> bits))


def quotient(numerator: Interval, denominator: Interval, bits: int) -> Interval:
    """The enclosure of a quotient; the denominator's lower bound must be positive."""
    return Interval(
        (numerator.low << bits) // denominator.high, divide_up(numerator.high << bits, denominator.low)
    )


def complement(value: Interval, bits: int) -> Interval:
    """The enclosure of 1 - x."""
    return Interval((1 << bits) - value.high, (1 << bits) - value.low)


def plus_one(value: Interval, bits: int) -> Interval:
    """The enclosure of 1 + x."""
    return Interval((1 << bits) + value.low, (1 << bits) + value.high)


def coarser(value: Interval, drop: int) -> Interval:
    """The same number with `drop` fewer bits."""
    return Interval(value.low >> drop, -(-value.high >> drop))


def squared(value: Interval, times: int, bits: int) -> Interval:
    """The enclosure of x^(2^times)."""
    for _ in range(times):
        value = product(value, value, bits)
    return value


def exp_minus(exponent: Fraction, bits: int) -> Interval:
    """The enclosure of exp(-exponent), for a rational exponent >= 0.

    The exponent is halved until it is below 1/2, summed there as a series of
    positive terms, inverted, and squared back. Each squaring costs one bit,
    so the work carries one spare bit for each.
    """
    halvings = max(0, exponent.numerator.bit_length() - exponent.denominator.bit_length() + 2)
    work = bits + halvings + _GUARD_BITS
    scaled = (exponent.numerator << work) // (exponent.denominator << halvings)
    one = Interval(1 << work, 1 << work)
    value = quotient(one, _exp(Interval(scaled, scaled + 1), work), work)
    return coarser(squared(value, halvings, work), work - bits)


def _exp(small: Interval, bits: int) -> Interval:
    """The enclosure of exp(y) for y <= 1/2: there, what follows a term is less than the term."""
    term = total = Interval(1 << bits, 1 << bits)
    count = 0
    while term.high > 1:
        count += 1
        term = Interval(
            term.low * small.low // (count << bits), divide_up(term.high * small.high, count << bits)
        )
        total = Interval(total.low + term.low, total.high + term.high)
    return Interval(total.low, total.high + term.high)
