"""Dividing a total epsilon."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietway.budget import cube_root, custom, geometric, uniform
from quietway.budget.split import GRID
from quietway.errors import ConfigError

TOTALS = st.fractions(min_value=Fraction(1, 1000), max_value=20, max_denominator=1000)
SIZES = st.lists(st.integers(1, 10**18), min_size=1, max_size=200)


def whole_and_modest(parts: tuple[Fraction, ...], total: Fraction) -> bool:
    finest = max(GRID, 2 * len(parts) ** 2)
    return (
        sum(parts) == total and min(parts) > 0 and max((part / total).denominator for part in parts) <= finest
    )


@given(TOTALS, st.integers(1, 300))
def test_uniform_parts_are_the_same(total: Fraction, parts: int) -> None:
    """Equal parts, and not a grain is lost."""
    shares = uniform(total, parts)
    assert len(set(shares)) == 1
    assert len(shares) == parts
    assert whole_and_modest(shares, total)


@given(TOTALS, SIZES)
def test_cube_root_parts_spend_the_total_exactly(total: Fraction, sizes: list[int]) -> None:
    """However lopsided the sizes, every part is positive and the sum is the total."""
    shares = cube_root(total, sizes)
    assert len(shares) == len(sizes)
    assert whole_and_modest(shares, total)


@given(TOTALS, st.integers(1, 64))
def test_geometric_parts_grow_toward_the_leaves(total: Fraction, levels: int) -> None:
    """The root gets least, the leaves most, and the sum is the total."""
    shares = geometric(total, levels)
    assert list(shares) == sorted(shares)
    assert whole_and_modest(shares, total)


@given(TOTALS, st.lists(st.fractions(min_value=Fraction(1, 10**9), max_value=10**9), min_size=1, max_size=50))
def test_custom_parts_spend_the_total_exactly(total: Fraction, shares: list[Fraction]) -> None:
    """Shares of any size are brought to the total."""
    assert whole_and_modest(custom(total, shares), total)


def test_cube_root_matches_the_worked_example() -> None:
    """Levels of 1, 48, 768 and 811,200 blocks get .009, .034, .086 and .871 of epsilon."""
    shares = cube_root(Fraction(1), [1, 48, 768, 811_200])
    assert [round(float(share), 3) for share in shares] == [0.009, 0.034, 0.086, 0.871]


def test_cube_root_minimises_the_summed_variance() -> None:
    """Moving a hundredth of epsilon between any two partitions makes the whole worse."""
    sizes = [1, 48, 768, 5000]
    best = cube_root(Fraction(1), sizes)

    def variance(parts: list[Fraction]) -> Fraction:
        return sum((size / part**2 for size, part in zip(sizes, parts, strict=True)), Fraction(0))

    for giver in range(4):
        for taker in set(range(4)) - {giver}:
            moved = list(best)
            moved[giver] -= Fraction(1, 100)
            moved[taker] += Fraction(1, 100)
            assert moved[giver] <= 0 or variance(moved) > variance(list(best))


def test_geometric_steps_by_the_cube_root_of_two() -> None:
    """Three levels down, the share has doubled."""
    shares = geometric(Fraction(1), 7)
    assert [float(lower / upper) for upper, lower in zip(shares, shares[3:], strict=False)] == pytest.approx(
        [2] * 4, rel=0.002
    )


def test_simple_shares_are_kept_as_they_are() -> None:
    """Thirds and halves need no grid, whether written as numbers or as text."""
    assert custom(Fraction(1, 2), [1, 1, 1]) == (Fraction(1, 6),) * 3
    assert custom(Fraction(2), ["1/2", 0.25, 0.25]) == (Fraction(1), Fraction(1, 2), Fraction(1, 2))
    assert cube_root(Fraction(9), [1, 8]) == (Fraction(3), Fraction(6))


def test_more_parts_than_steps_of_the_grid_still_divide() -> None:
    """Fifteen thousand vanishing shares do not eat up the largest one."""
    assert whole_and_modest(cube_root(Fraction(1), [1] * 15_000 + [2]), Fraction(1))


@pytest.mark.parametrize(
    "split",
    [
        lambda: uniform(Fraction(1), 0),
        lambda: cube_root(Fraction(1), []),
        lambda: cube_root(Fraction(1), [4, 0]),
        lambda: geometric(Fraction(1), 0),
        lambda: custom(Fraction(1), []),
        lambda: custom(Fraction(1), [1, 0]),
        lambda: custom(Fraction(1), [1, "much"]),
        lambda: uniform(Fraction(0), 2),
        lambda: custom(Fraction(-1), [1]),
    ],
)
def test_what_cannot_be_divided_is_refused(split: Callable[[], tuple[Fraction, ...]]) -> None:
    """No parts, an empty partition, a share of nothing or nothing to share."""
    with pytest.raises(ConfigError):
        split()
