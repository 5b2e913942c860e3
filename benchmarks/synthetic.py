"""Synthetic trips between places of very different popularity, for universes of any size.

The trips are the same whatever the universe: places lie on a line, and the
universe cuts it into more or fewer zones.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quietway.counts import Counts
from quietway.mechanisms.constraint import MOST_DENSE, ConstraintBased
from quietway.universe import Axis, Partition, PrivacyUnit, Rule, Universe, each, grouped
from true_tables import Named

PLACES = 100_000
PERIODS = 96
ZONES = 4
RINGS = (3, 4)

Index = NDArray[np.int64]


def trips(number: int, seed: int = 3) -> tuple[Index, Index, Index]:
    """Origins and destinations, of Zipf-like popularity, and periods with two peaks."""
    draw = np.random.default_rng(seed)
    popularity = 1 / np.arange(1, PLACES + 1) ** 0.8
    order = draw.permutation(PLACES)
    ends = (order[draw.choice(PLACES, number, p=popularity / popularity.sum())] for _ in range(2))
    origin, destination = ends
    peak = np.where(draw.random(number) < 0.5, 34, 70)
    period = np.clip(draw.normal(peak, 8), 0, PERIODS - 1).astype(np.int64)
    return origin, destination, period


def universe_of(zones: int, periods: int = PERIODS) -> Universe:
    """Zones of origin and of destination, and periods."""
    ends = [Axis(name=name, size=zones) for name in ("origin", "destination")]
    return Universe((*ends, Axis(name="period", size=periods, ordered=True)))


def counts_in(universe: Universe, found: tuple[Index, Index, Index]) -> Counts:
    """The trips in a universe of zones and as many periods as it has."""
    sizes = (PLACES, PLACES, PERIODS)
    indices = tuple(
        index * axis.size // size for index, axis, size in zip(found, universe.axes, sizes, strict=True)
    )
    keys, values = np.unique(universe.keys(indices), return_counts=True)
    return Counts(universe, keys, values, PrivacyUnit())


def features_of(universe: Universe) -> Named:
    """Total, period, and two groupings of zone pairs by period that cross each other."""
    period = each(universe, "period")
    zones = banded(universe, "zone", (ZONES, ZONES))
    return (
        ("total", Partition.total(universe)),
        ("period", Partition.by(universe, [period])),
        ("zone pair by period", Partition.by(universe, [*zones, period])),
        ("ring pair by period", Partition.by(universe, [*banded(universe, "ring", RINGS, turns=3), period])),
    )


def banded(universe: Universe, name: str, groups: tuple[int, int], turns: int = 1) -> list[Rule]:
    """Runs of zones as groups of each end; with more turns, groups come back as often."""
    return [
        grouped(universe, [end], _bands(universe.axis(end).size, number, turns), name=f"{name} of {end}")
        for end, number in zip(("origin", "destination"), groups, strict=True)
    ]


def _bands(size: int, groups: int, turns: int) -> Index:
    return np.arange(size, dtype=np.int64) * groups * turns // size % groups


def equal_shares(features: Named, epsilon: Fraction, most_dense: int = MOST_DENSE) -> ConstraintBased:
    """The mechanism with the same share for every feature and the cells."""
    share = epsilon / (len(features) + 1)
    return ConstraintBased(
        features=features, epsilons=(share,) * (len(features) + 1), unit=PrivacyUnit(), most_dense=most_dense
    )
