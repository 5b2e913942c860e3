"""Exact numbers as people and files write them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietway.budget.ratio import as_ratio, from_ratio, in_words, parse_positive
from quietway.errors import ConfigError


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        ("0.1", Fraction(1, 10)),
        (" 1/3 ", Fraction(1, 3)),
        ("1e-2", Fraction(1, 100)),
        ("2", Fraction(2)),
        (".5", Fraction(1, 2)),
        (3, Fraction(3)),
        (0.1, Fraction(1, 10)),
        (1e-05, Fraction(1, 100_000)),
        (Decimal("0.30"), Fraction(3, 10)),
        (Fraction(2, 7), Fraction(2, 7)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.int64(2), Fraction(2)),
    ],
)
def test_a_number_means_the_decimal_it_is_written_as(value: object, exact: Fraction) -> None:
    """A person who writes 0.1 means one tenth, whatever type carries it."""
    assert parse_positive(value, "epsilon") == exact


@pytest.mark.parametrize(
    "value",
    [
        *(0, 0.0, "0", "0/5", -1, "-0.1", -0.1, Fraction(-1, 2), Decimal(0)),
        *(float("nan"), float("inf"), "nan", "inf", "Infinity", Decimal("NaN"), Decimal("Infinity")),
        *(True, False, None, "", "abc", "0,1", "1/0", "1/3/5", "0.1/2", "1_000", "١", [1], b"1", 1j),
        *("1e999999999", "1e-400", Decimal("1e400"), 10**5000, -(10**5000), "9" * 100),
    ],
    ids=lambda value: f"{type(value).__name__}",
)
def test_what_is_not_a_positive_number_is_refused(value: object) -> None:
    """Nothing that could mean 'no privacy' or 'no budget' passes for an epsilon."""
    with pytest.raises(ConfigError, match=r"^epsilon is .*give a positive number, such as 0\.1 or '1/3'$"):
        parse_positive(value, "epsilon")


@given(st.fractions(min_value=0, max_value=10**6))
def test_a_ratio_survives_being_written(exact: Fraction) -> None:
    """What the file holds is the number itself."""
    assert from_ratio(as_ratio(exact)) == exact


@pytest.mark.parametrize("text", ["1", "0.1", "-1/2", "1/0", "01/2", " 1/2", "1/2\n", "1/-2", "", "a/b"])
def test_only_a_ratio_is_read_back(text: str) -> None:
    """A file that holds any other spelling was not written by the ledger."""
    with pytest.raises(ValueError, match="ratio"):
        from_ratio(text)


@pytest.mark.parametrize(
    ("exact", "words"),
    [("2", "2"), ("1/10", "1/10 (0.1)"), ("1/3", "1/3 (about 0.333333)"), ("1234567/1000000", None)],
)
def test_a_message_says_when_its_decimal_is_rounded(exact: str, words: str | None) -> None:
    """A reader is never shown a rounded number as if it were exact."""
    assert in_words(Fraction(exact)) == (words or f"{exact} (about 1.23457)")
