"""How a total epsilon is divided among measurements of the same records.

Every function returns positive fractions that add up to the total exactly.
Shares that are not simple fractions are rounded down to a grid of the total
and the rest goes to the largest, so that noise scales stay small rationals.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from quietway.budget.ratio import parse_positive
from quietway.errors import ConfigError

GRID = 10_000  # the finest share of the total, unless there are too many parts for it
_DIGITS = 10**9  # cube roots are taken to nine decimals, in integers, so every machine agrees


def uniform(total: Fraction, parts: int) -> tuple[Fraction, ...]:
    """The same for every part."""
    _require_parts(parts)
    return (parse_positive(total, "epsilon") / parts,) * parts


def cube_root(total: Fraction, sizes: Sequence[int]) -> tuple[Fraction, ...]:
    """More for the larger partitions: minimises the summed variance of all their blocks.

    Source: the minimum of sum(n_i / epsilon_i^2) under a fixed sum of the
        epsilon_i stands where epsilon_i is proportional to n_i^(1/3).
    """
    if min(sizes, default=1) < 1:
        raise ConfigError("a partition without blocks cannot take a share of epsilon; leave it out")
    return _divide(total, [Fraction(_cube_root(size)) for size in sizes])


def geometric(total: Fraction, levels: int) -> tuple[Fraction, ...]:
    """From the root, which gets least, down to the leaves: each level 2^(1/3) times the one above.

    Source: Cormode et al. (2012), section 4.2, over the levels that are
        measured: a level that is not measured must not be counted.
    """
    return cube_root(total, [2**level for level in range(levels)])


def custom(total: Fraction, shares: Sequence[object]) -> tuple[Fraction, ...]:
    """In the proportions given: numbers or fractions of any common size."""
    return _divide(total, [parse_positive(share, "a share of epsilon") for share in shares])


def _divide(total: Fraction, weights: Sequence[Fraction]) -> tuple[Fraction, ...]:
    _require_parts(len(weights))
    whole = sum(weights, Fraction(0))
    shares = [weight / whole for weight in weights]
    if any(share.denominator > GRID for share in shares):
        shares = _rounded(shares)
    exact = parse_positive(total, "epsilon")
    return tuple(exact * share for share in shares)


def _rounded(shares: Sequence[Fraction]) -> list[Fraction]:
    # With n parts the largest share is 1/n or more. On 2n^2 steps that is 2n steps, enough to
    # pay the one step that every vanishing share is lifted to.
    grid = max(GRID, 2 * len(shares) ** 2)
    steps = [max(1, int(share * grid)) for share in shares]
    steps[steps.index(max(steps))] += grid - sum(steps)
    return [Fraction(step, grid) for step in steps]


def _cube_root(size: int) -> int:
    """The integer part of size^(1/3) * 10^9, by Newton's method from above."""
    cube = size * _DIGITS**3
    root = 1 << -(-cube.bit_length() // 3)
    while (lower := (2 * root + cube // root**2) // 3) < root:
        root = lower
    return root


def _require_parts(parts: int) -> None:
    if parts < 1:
        raise ConfigError("epsilon cannot be divided among no parts; name at least one measurement")
