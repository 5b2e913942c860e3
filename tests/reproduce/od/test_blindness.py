"""Scores of cuts: what is printed, and what is used."""

from __future__ import annotations

import numpy as np
import pytest

from quietway.reproduce.od.blindness import ranges, uneven
from quietway.reproduce.od.generators import gaussian


def test_a_score_is_the_plain_sum_over_all_cells() -> None:
    """Six places of two cells each, the empty ones among them."""
    table = np.array([[3, 0], [1, 1], [0, 0], [0, 7], [0, 0], [2, 0]])
    cuts = np.array([0, 2, 6])
    plain = sum(np.abs(part - part.mean()).sum() for part in (table[:2], table[2:]))
    at, column = np.nonzero(table)
    assert uneven(at, table[at, column], cuts, 2.0) == pytest.approx(plain)


def test_cuts_that_part_dense_from_empty_score_best_along_the_axis() -> None:
    """Evenness within parts is what is sought: zero where every part is even."""
    along = np.array([0, 0, 0, 5, 5, 0])
    right, wrong = np.array([0, 3, 5, 6]), np.array([0, 1, 4, 6])
    assert uneven(np.arange(6), along, right, 1.0) == 0 < uneven(np.arange(6), along, wrong, 1.0)


def test_the_printed_score_is_blind_where_cells_are_empty() -> None:
    """Of a cloud in 10^8 cells all cuts score alike; along the axis they differ by thousands."""
    printed, used = ranges(gaussian(4, 100.0, seed=0, points=20_000, side=100))
    dense, _ = ranges(gaussian(2, 100.0, seed=0, points=20_000, side=100))
    assert printed < 10 < 1_000 < used and dense > 100
