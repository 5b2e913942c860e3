"""Features in two families: nested within each, as many blocks as can be had."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quietway.estimate.rounding.families import families_of
from quietway.estimate.rounding.groups import Blocks


def blocks(*labels: int) -> Blocks:
    """The blocks of the classes 0, 1, 2, ..."""
    return Blocks.of(np.array(labels))


FINE_ROWS, ROWS = blocks(0, 0, 1, 1, 2, 2, 3, 3), blocks(0, 0, 0, 0, 1, 1, 1, 1)
COLUMNS, DIAGONALS = blocks(0, 1, 0, 1, 0, 1, 0, 1), blocks(0, 1, 1, 0, 0, 1, 1, 0)
WHOLE = blocks(0, 0, 0, 0, 0, 0, 0, 0)


def test_nested_features_are_one_family() -> None:
    """Coarse ones first, wherever they were listed."""
    families = families_of([FINE_ROWS, WHOLE, ROWS])
    assert (families.first, families.second, families.left_out) == ((1, 2, 0), (), ())


def test_crossing_features_are_two_families() -> None:
    """What is nested with both goes with the larger."""
    families = families_of([WHOLE, ROWS, COLUMNS, FINE_ROWS])
    assert (families.first, families.second, families.left_out) == ((0, 1, 3), (2,), ())


def test_the_third_way_of_crossing_is_left_out() -> None:
    """The one with the fewest blocks, or the later one of two alike."""
    families = families_of([COLUMNS, DIAGONALS, FINE_ROWS])
    assert (families.first, families.second, families.left_out) == ((2,), (0,), (1,))


def test_a_feature_that_crosses_two_of_one_family_makes_them_the_other() -> None:
    """Three features, of which only the last crosses, fit wherever they are listed."""
    halves, thirds = blocks(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1), blocks(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5)
    across = blocks(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3)
    families = families_of([halves, across, thirds])
    assert (families.first, families.second, families.left_out) == ((0, 2), (1,), ())


def _cross(x: Blocks, y: Blocks) -> bool:
    return not (x.lie_in(y) or y.lie_in(x))


@given(st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), max_size=6))
def test_families_are_nested_and_leave_out_only_what_must_be(labels: list[list[int]]) -> None:
    """No two of a family cross, all features are somewhere, and a feature left out closes an odd ring."""
    features = [Blocks.of(np.array(label)) for label in labels]
    families = families_of(features)
    assert sorted(families.order) == list(range(len(features)))
    for family in (families.first, families.second):
        assert not any(_cross(features[i], features[j]) for i, j in combinations(family, 2))
        assert [features[i].count for i in family] == sorted(features[i].count for i in family)
    kept = [i for i in range(len(features)) if i not in families.left_out]
    for left in families.left_out:
        larger = [i for i in kept if features[i].count >= features[left].count]
        assert not _falls_into_two([features[i] for i in (*larger, left)])


def _falls_into_two(features: Sequence[Blocks]) -> bool:
    """Every way of dividing them tried."""
    return any(
        not any(_cross(x, y) for side in (0, 1) for x, y in combinations(_side(features, bits, side), 2))
        for bits in range(2 ** len(features))
    )


def _side(features: Sequence[Blocks], bits: int, side: int) -> list[Blocks]:
    return [feature for i, feature in enumerate(features) if bits >> i & 1 == side]
