"""The constraint-based mechanism where a cell weighs 10^-12 of the total."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from quietway.counts import Counts
from quietway.estimate.constraint import fitted
from quietway.estimate.weights import PUBLISHED
from quietway.mechanisms.constraint import ConstraintBased
from quietway.noise import seeded
from quietway.universe import Axis, Partition, PrivacyUnit, Rule, Universe, each, grouped

ZONES, PERIODS, TRIPS = 100_000, 96, 50_000


def bands(universe: Universe, number: int, turns: int) -> list[Rule]:
    """Runs of zones as groups of each end, which come back so many times."""
    labels = np.arange(ZONES) * number * turns // ZONES % number
    return [grouped(universe, [end], labels, name=f"{number} bands of {end}") for end in ("o", "d")]


def country() -> tuple[Counts, tuple[tuple[str, Partition], ...]]:
    """Trips between a few popular zones and many others, under a total, periods and two groupings that cross."""
    universe = Universe(
        (Axis(name="o", size=ZONES), Axis(name="d", size=ZONES), Axis(name="t", size=PERIODS))
    )
    draw, period = np.random.default_rng(3), each(universe, "t")
    ends = [(ZONES * draw.power(0.2, TRIPS)).astype(np.int64) for _ in range(2)]
    keys, values = np.unique(universe.keys((*ends, draw.integers(0, PERIODS, TRIPS))), return_counts=True)
    features = (
        ("total", Partition.total(universe)),
        ("period", Partition.by(universe, [period])),
        ("zones", Partition.by(universe, [*bands(universe, 4, 1), period])),
        ("rings", Partition.by(universe, [*bands(universe, 3, 5), period])),
    )
    return Counts(universe, keys, values, PrivacyUnit()), features


@pytest.mark.parametrize("epsilon", ["1/100", "1/10", "1"])
def test_the_fit_settles_where_leaves_weigh_next_to_nothing(epsilon: str) -> None:
    """At any noise: the promised residual, the stated program's conditions, and the total of its heaviest feature."""
    counts, features = country()
    shares = (Fraction(epsilon) / 5,) * 5
    mechanism = ConstraintBased(features=features, epsilons=shares, unit=PrivacyUnit())
    measurements = mechanism.measure(counts, rng=seeded(1))
    found = fitted(measurements, PUBLISHED)
    assert found.residual <= 1e-9
    assert (found.values > 0).all()
    unit = max(float(np.abs(measurement.noisy).max()) for measurement in measurements[:-1])
    assert np.abs(slopes(found.keys, found.values, measurements)).max() <= 1e-9 * unit


def slopes(keys: np.ndarray, values: np.ndarray, measurements: tuple) -> np.ndarray:
    """Of the weighted squares, at the positive cells."""
    *features, cells = measurements
    noisy = cells.noisy[np.searchsorted(cells.blocks, keys)]
    slope = (values - noisy) / cells.partition.blocks
    for feature in features:
        block = feature.partition.block_of(keys)
        gap = np.bincount(block, values, minlength=feature.partition.blocks) - feature.noisy
        slope += gap[block] / feature.partition.blocks
    return slope
