"""Exact rational numbers as people and files write them."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from numbers import Rational

from quietway.errors import ConfigError

LARGEST_BITS = 1000  # 300 digits: room for any sum of sensible fractions, and within what a float can show
_PLAUSIBLE = re.compile(r"[+-]?[0-9./]{1,60}([eE][+-]?[0-9]{1,2})?")  # no exponent that would fill the memory
_RATIO = re.compile(r"(0|[1-9][0-9]*)/([1-9][0-9]*)")


def parse_positive(value: object, name: str) -> Fraction:
    """The exact positive rational that a person meant; a float means its shortest decimal."""
    exact = _exact(value)
    if exact is None or exact <= 0 or too_long(exact):
        raise ConfigError(f"{name} is {_shown(value)}; give a positive number, such as 0.1 or '1/3'")
    return exact


def too_long(exact: Fraction) -> bool:
    """Whether writing this number out would take an unreasonable space."""
    return max(exact.numerator.bit_length(), exact.denominator.bit_length()) > LARGEST_BITS


def as_ratio(exact: Fraction) -> str:
    """The text "p/q", always with its denominator, in lowest terms."""
    return f"{exact.numerator}/{exact.denominator}"


def from_ratio(text: str) -> Fraction:
    """The inverse of `as_ratio`; anything else is a ValueError."""
    match = _RATIO.fullmatch(text)
    if match is None:
        raise ValueError("not a ratio p/q")
    return Fraction(int(match[1]), int(match[2]))


def in_words(exact: Fraction) -> str:
    """For messages: the fraction, and the decimal beside it, marked when it is not the whole truth."""
    if exact.denominator == 1:
        return str(exact)
    decimal = f"{float(exact):.6g}"
    return f"{exact} ({decimal if Fraction(decimal) == exact else 'about ' + decimal})"


def _exact(value: object) -> Fraction | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, float):
        return _from_text(float.__repr__(value))
    return _from_text(str(value)) if isinstance(value, str | Decimal) else None


def _from_text(text: str) -> Fraction | None:
    if not _PLAUSIBLE.fullmatch(text.strip()):
        return None
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an integer too long for Python to print
        return "too long a number"
    return text if len(text) <= 60 else f"{text[:57]}..."
