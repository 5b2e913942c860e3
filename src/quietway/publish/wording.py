"""Numbers as sentences and tables show them: promises exactly, or rounded toward caution."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, expm1, floor, log, log10, tanh

FINEST_DECIMAL = 10**12
LARGEST_ODDS = 1e6
SMALLEST_CHANGE = 1e-9


def whole(value: float) -> str:
    """A number without decimals, thousands apart: `12,345`."""
    return f"{round(value):,}".replace("-", "\N{MINUS SIGN}")


def measured(value: float) -> str:
    """A number with as many decimals as its size deserves: `0.42`, `7.3`, `1,204`."""
    if abs(value) >= 99.5 or value == 0:
        return whole(value)
    decimals = 2 if abs(value) < 9.95 else 1
    return f"{value:.{decimals}f}".replace("-", "\N{MINUS SIGN}")


def exact(value: Fraction) -> str:
    """A rational in full: a decimal where one ends, else the fraction and about what it is."""
    if FINEST_DECIMAL % value.denominator == 0:
        digits = value.numerator * (FINEST_DECIMAL // value.denominator)
        units, rest = divmod(digits, FINEST_DECIMAL)
        return f"{units}.{rest:012d}".rstrip("0").rstrip(".")
    return f"{value} (about {float(value):.4g})"


def odds_factor(epsilon: Fraction) -> str:
    """e^epsilon, rounded up: the most by which a belief's odds can change."""
    if epsilon > log(LARGEST_ODDS):
        return "more than a million"
    change = max(expm1(epsilon), SMALLEST_CHANGE)
    decimals = 0 if change >= 99 else max(2, 1 - floor(log10(change)))
    return f"{1 + ceil(change * 10**decimals) / 10**decimals:,.{decimals}f}"


def odds_in_short(epsilon: Fraction) -> str:
    """The same factor as what a belief can change by."""
    factor = odds_factor(epsilon)
    return factor if epsilon > log(LARGEST_ODDS) else f"up to {factor}"


def certainty(epsilon: Fraction) -> str:
    """How sure an even guess can become, in percent, rounded up."""
    gained = max(tanh(min(epsilon, 50) / 2), SMALLEST_CHANGE)
    return f"{(500 + ceil(500 * gained)) / 10:.1f} %"


def plural(count: int, noun: str, many: str | None = None) -> str:
    """`1 cell`, `2,000 cells`, `3 boxes`."""
    return f"{count:,} " + (noun if count == 1 else many or f"{noun}s")
