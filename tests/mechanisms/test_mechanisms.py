"""Mechanisms: what they cost, what they measure, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from quietway.counts import Counts
from quietway.errors import ConfigError, PrivacyError, UniverseError
from quietway.mechanisms import FeatureLaplace, Hierarchical, Mechanism, ThresholdCells
from quietway.mechanisms.threshold import quiet_threshold
from quietway.noise import seeded
from quietway.universe import Axis, Neighbours, Partition, PrivacyUnit, Protects, Universe, grouped

CITY = Universe((Axis(name="zone", size=6), Axis(name="hour", size=4)))
HUGE = Universe(tuple(Axis(name=name, size=10**6) for name in "abc"))
UNIT = PrivacyUnit(protects=Protects.USER, max_trips=3, neighbours=Neighbours.REPLACE_ONE)
LEVELS = (
    ("total", Partition.total(CITY)),
    ("zones", Partition.margin(CITY, ["zone"])),
    ("cells", Partition.identity(CITY)),
)
EPSILONS = (Fraction(1, 10), Fraction(1, 5), Fraction(7, 10))


def counts(universe: Universe = CITY, unit: PrivacyUnit = UNIT, keys: tuple[int, ...] = (0, 3, 17)) -> Counts:
    """A few occupied cells."""
    return Counts(universe, np.array(keys), np.arange(1, len(keys) + 1) * 1000, unit)


def hierarchical() -> Mechanism:
    """Three nested levels."""
    return Hierarchical(levels=LEVELS, epsilons=EPSILONS, unit=UNIT)


def laplace() -> Mechanism:
    """The same as free features."""
    return FeatureLaplace(features=LEVELS, epsilons=EPSILONS, unit=UNIT)


def threshold() -> Mechanism:
    """A total and the cells that stand out."""
    return ThresholdCells(
        universe=CITY, epsilon_total=Fraction(3, 10), epsilon_cells=Fraction(7, 10), unit=UNIT, threshold=60
    )


EVERY = pytest.mark.parametrize("build", [hierarchical, laplace, threshold])


@EVERY
def test_the_cost_is_the_sum_of_the_parts(build: Callable[[], Mechanism]) -> None:
    """Measurements of the same records compose by adding up, exactly."""
    assert build().cost.epsilon == sum(epsilon for _, epsilon in build().parts) == 1
    assert build().cost.unit == UNIT


@EVERY
def test_each_measurement_reports_the_scale_its_part_pays_for(build: Callable[[], Mechanism]) -> None:
    """Scale is sensitivity over epsilon: two times three trips here, for each part in turn."""
    measured = build().measure(counts(), rng=seeded(1))
    for measurement, (name, epsilon) in zip(measured, build().parts, strict=True):
        assert (measurement.name, measurement.scale) == (name, 6 / epsilon)


@EVERY
def test_counts_of_another_unit_are_refused(build: Callable[[], Mechanism]) -> None:
    """Counts bounded for one promise are not measured at the price of another."""
    with pytest.raises(PrivacyError, match=r"were bounded for .* but the mechanism was priced for"):
        build().measure(counts(unit=PrivacyUnit()), rng=seeded(1))


@EVERY
def test_counts_of_another_universe_are_refused(build: Callable[[], Mechanism]) -> None:
    """Cells of one universe are not added up by the blocks of another."""
    with pytest.raises(UniverseError, match="another universe"):
        build().measure(counts(HUGE), rng=seeded(1))


@EVERY
def test_measuring_repeats_for_a_seed_and_differs_between_seeds(build: Callable[[], Mechanism]) -> None:
    """All randomness comes from the source that is handed in."""
    one, same, other = (build().measure(counts(), rng=seeded(seed)) for seed in (1, 1, 2))
    for left, right in zip(one, same, strict=True):
        np.testing.assert_array_equal(left.noisy, right.noisy)
    assert any(left.noisy.tolist() != right.noisy.tolist() for left, right in zip(one, other, strict=True))


@pytest.mark.parametrize("build", [hierarchical, laplace])
def test_every_block_is_noised_empty_ones_too(build: Callable[[], Mechanism]) -> None:
    """Each level has a value for every block, near its total, and empty cells are not left at zero."""
    for (_, partition), measurement in zip(LEVELS, build().measure(counts(), rng=seeded(3)), strict=True):
        totals = partition.totals(counts().keys, counts().values)
        assert measurement.blocks is None
        assert measurement.noisy.shape == (partition.blocks,)
        assert (abs(measurement.noisy - totals) < 30 * float(measurement.scale)).all()
    empty = np.setdiff1d(np.arange(CITY.size), counts().keys)
    assert np.count_nonzero(measurement.noisy[empty]) > empty.size / 2


def test_levels_must_refine_each_other() -> None:
    """Crossing levels are refused by name, and so is a last level that is not the cells."""
    hours = ("hours", Partition.margin(CITY, ["hour"]))
    with pytest.raises(UniverseError, match="level 'hours' does not refine 'zones'"):
        Hierarchical(levels=(LEVELS[1], hours, LEVELS[2]), epsilons=EPSILONS, unit=UNIT)
    with pytest.raises(UniverseError, match="the last level, 'zones', must be the cells"):
        Hierarchical(levels=LEVELS[:2], epsilons=EPSILONS[:2], unit=UNIT)


def test_what_cannot_be_noised_is_refused_when_built() -> None:
    """Too many blocks are refused with the method that could, before anything is paid."""
    cells = ("cells", Partition.identity(HUGE))
    with pytest.raises(UniverseError, match='or "threshold"'):
        FeatureLaplace(features=(cells,), epsilons=(Fraction(1),), unit=UNIT)
    with pytest.raises(UniverseError, match='or "threshold"'):
        Hierarchical(levels=(cells,), epsilons=(Fraction(1),), unit=UNIT)
    with pytest.raises(ValueError, match="an epsilon of its own"):
        Hierarchical(levels=LEVELS, epsilons=EPSILONS[:2], unit=UNIT)


def test_cells_above_the_threshold_are_listed_where_they_are() -> None:
    """Far cells of 10^18 are found at their keys; each listed value reached the threshold, once and in order."""
    keys = (0, 1, 10**9, 10**18 - 1)
    mechanism = ThresholdCells(
        universe=HUGE, epsilon_total=Fraction(1, 10), epsilon_cells=Fraction(9, 10), unit=UNIT
    )
    _, cells = mechanism.measure(counts(HUGE, keys=keys), rng=seeded(5))
    assert cells.blocks is not None
    assert cells.threshold is not None
    assert set(keys) <= set(cells.blocks.tolist())
    assert (np.diff(cells.blocks) > 0).all()
    assert (cells.noisy >= cells.threshold).all()
    assert ((cells.blocks >= 0) & (cells.blocks < HUGE.size)).all()
    assert cells.blocks.size < 4 + 150


def test_empty_cells_are_placed_everywhere_but_on_occupied_ones() -> None:
    """Where every cell passes, each is listed exactly once: the empty ones fill the gaps."""
    mechanism = ThresholdCells(
        universe=CITY, epsilon_total=Fraction(1), epsilon_cells=Fraction(1, 1000), unit=UNIT, threshold=1
    )
    listed = np.zeros(CITY.size, dtype=np.int64)
    for seed in range(60):
        _, cells = mechanism.measure(counts(), rng=seeded(seed))
        assert cells.blocks is not None
        assert (np.diff(cells.blocks) > 0).all()
        listed[cells.blocks] += 1
    assert (listed > 10).all()
    assert (listed < 60).all()


@pytest.mark.parametrize(("cells", "noisy"), [(10**18, 5_000), (10**6, -50), (100, 10**9)])
def test_the_usual_threshold_keeps_noise_below_a_hundredth(cells: int, noisy: int) -> None:
    """At the threshold chosen, empty cells are expected to add at most a hundredth of the trips, or ten."""
    scale = Fraction(20, 3)
    threshold, ratio = quiet_threshold(cells, scale, noisy), exp(-1 / float(scale))
    assert cells * ratio**threshold / (1 + ratio) <= max(10, noisy / 100)
    assert threshold <= 1 + float(scale) * log(max(1, cells / 10)) + 1


def test_a_threshold_is_positive() -> None:
    """A threshold of nothing would list every cell."""
    with pytest.raises(ConfigError, match="threshold is 0"):
        ThresholdCells(
            universe=CITY, epsilon_total=Fraction(1), epsilon_cells=Fraction(1), unit=UNIT, threshold=0
        )


def test_zones_may_be_grouped_in_between() -> None:
    """Any chain of refinements is a tree, groups of zones included."""
    sides = Partition.by(CITY, [grouped(CITY, ["zone"], np.array([0, 0, 0, 1, 1, 1]), name="side")])
    levels = (LEVELS[0], ("sides", sides), *LEVELS[1:])
    assert len(Hierarchical(levels=levels, epsilons=(Fraction(1, 4),) * 4, unit=UNIT).parts) == 4


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**13), Fraction(1, 10**30)])
def test_noise_that_would_drown_any_count_is_refused(epsilon: Fraction) -> None:
    """An epsilon so small that noise strains 64-bit integers is refused when the mechanism is built."""
    universe = Universe((Axis(name="a", size=3),))
    with pytest.raises(ConfigError, match="larger than any count"):
        ThresholdCells(
            universe=universe, epsilon_total=Fraction(1), epsilon_cells=epsilon, unit=PrivacyUnit()
        )
    with pytest.raises(ConfigError, match="larger than any count"):
        FeatureLaplace(
            features=(("cells", Partition.identity(universe)),), epsilons=(epsilon,), unit=PrivacyUnit()
        )
