"""The paper's methods, and what stands beside them, from the library's own mechanisms and estimators."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from quietway.budget import split
from quietway.reproduce.case_study import MODES, NESTED, PERIOD, TOTAL, ZONES
from quietway.reproduce.families import (
    constrained,
    flat_ablations,
    hierarchical,
    laplace,
    laplace_in_parts,
    nearest_table,
    nested_ablations,
    spread_total,
    unpruned,
)


def evenly(total: Fraction, sizes: Sequence[int]) -> tuple[Fraction, ...]:
    """The same for each."""
    return split.uniform(total, len(sizes))


def geometrically(total: Fraction, sizes: Sequence[int]) -> tuple[Fraction, ...]:
    """Each level 2^(1/3) times the one above, over the levels that are measured."""
    return split.geometric(total, len(sizes))


def as_printed(total: Fraction, sizes: Sequence[int]) -> tuple[Fraction, ...]:
    """The same over a tree as high as the paper counts it, with two shares that nobody uses: less than epsilon."""
    return split.geometric(total, len(sizes) + 2)[2:]


FLAT = (TOTAL, PERIOD, ZONES, MODES)
NESTING = (TOTAL, PERIOD, ZONES, NESTED)
TREE = (PERIOD, ZONES, NESTED)
FAMILIES = (
    laplace(),
    laplace_in_parts(),
    hierarchical("h3", TREE[:1], geometrically),
    hierarchical("h4", TREE[:2], geometrically),
    hierarchical("h5", TREE, geometrically, projected=True),
    unpruned("h5 even shares", TREE, evenly),
    unpruned("h5 printed shares", TREE, as_printed),
    constrained(FLAT[:2], evenly, nearest_table("o3")),
    constrained(FLAT[:3], evenly, nearest_table("o4")),
    constrained(FLAT, evenly, flat_ablations),
    constrained(NESTING, evenly, nested_ablations),
    constrained(FLAT, split.cube_root, nearest_table("o5 cube-root shares")),
    spread_total(),
)
