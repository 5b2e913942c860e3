"""Integers in place of values: next to every cell and total, and no set of integers nearer."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from quietway.errors import FitError
from quietway.estimate.constraint import cbdp, fitted
from quietway.estimate.rounding import Rounded, round_consistently
from quietway.estimate.weights import PUBLISHED
from quietway.measurement import Measurement
from quietway.universe import Axis, Partition, Universe, each
from tests.estimate.rounding.tables import (
    Floats,
    Table,
    city,
    least_distance,
    random_table,
    tables,
    third_family,
)
from tests.estimate.trees import discrete_laplace

NOTHING = 1e-6


def is_next_to(integers: Floats, real: Floats) -> bool:
    """Whether each integer is the floor or the ceiling, floors and ceilings being equal where there is an integer."""
    return bool((np.floor(real + NOTHING) <= integers).all() and (integers <= np.ceil(real - NOTHING)).all())


def is_within_bounds(table: Table, rounded: Rounded) -> bool:
    """Whether cells, classes, blocks and total are where they should be."""
    return (
        is_next_to(rounded.counts, table.values)
        and all(
            is_next_to(np.bincount(label, rounded.counts), np.bincount(label, table.values))
            for label in table.labels()
        )
        and abs(rounded.counts.sum() - table.values.sum()) <= 0.5 + NOTHING
    )


@given(tables())
@settings(max_examples=300)
def test_cells_and_totals_are_next_to_their_real_values(table: Table) -> None:
    """Every cell, every block of two families and every class is floor or ceiling; the total is the nearest integer."""
    rounded = table.rounded()
    assert rounded.counts.dtype == np.int64
    assert is_within_bounds(table, rounded)
    assert all(off < 1 for off in rounded.off.values())


@given(tables(smallest=0.5))
@settings(max_examples=150)
def test_no_integers_within_the_bounds_are_nearer(table: Table) -> None:
    """The sum of distances is the optimum of the linear program over all cells; ties cost a trifle at most."""
    if table.keys.size:
        distance = float(np.abs(table.rounded().counts - table.values).sum())
        assert distance == pytest.approx(least_distance(table), abs=1e-4 * table.keys.size)


def test_no_integers_at_all_within_the_bounds_are_nearer() -> None:
    """Every table of floors and ceilings tried in turn, for two-way tables of three by three."""
    universe = Universe((Axis(name="a", size=3), Axis(name="b", size=3)))
    features = [(axis, Partition.by(universe, [each(universe, axis)])) for axis in "ab"]
    tried = np.array(list(product((0, 1), repeat=9)))
    for seed in range(20):
        values = 0.5 + np.random.default_rng(seed).random(9) * 3
        table = Table(np.arange(9), values, tuple(features))
        fits = np.ones(len(tried), dtype=bool)
        for label in (*table.labels(), np.zeros(9, dtype=np.int64)):
            sums = np.array([np.bincount(label, row) for row in np.floor(values) + tried])
            real = np.bincount(label, values)
            near = np.rint(real) if len(real) == 1 else real
            fits &= ((np.floor(near) <= sums) & (sums <= np.ceil(near))).all(axis=1)
        least = np.abs(np.floor(values) + tried[fits] - values).sum(axis=1).min()
        assert np.abs(table.rounded().counts - values).sum() == pytest.approx(least, abs=1e-3)


def test_squares_are_least_where_distances_are() -> None:
    """Next to its value, a cell's distance and its square grow alike with being rounded up."""
    part = np.random.default_rng(3).random(100)
    assert ((1 - part) ** 2 - part**2) == pytest.approx((1 - part) - part)


@given(tables())
def test_integers_come_back_as_they_are(table: Table) -> None:
    """Also those that arithmetic has moved by a trifle."""
    whole = np.floor(table.values)
    for moved in (0.0, 1e-11, -1e-11):
        values = np.maximum(0.0, whole + moved)
        assert (round_consistently(table.keys, values, table.features).counts == whole).all()


def test_integer_totals_of_fractions_are_kept() -> None:
    """Thirds that add up to one, in both ways of a table, are rounded to one in each row and column."""
    universe = Universe((Axis(name="a", size=3), Axis(name="b", size=3)))
    features = [(axis, Partition.by(universe, [each(universe, axis)])) for axis in "ab"]
    counts = round_consistently(np.arange(9), np.full(9, 1 / 3), features).counts.reshape(3, 3)
    assert (counts.sum(axis=0) == 1).all() and (counts.sum(axis=1) == 1).all()


def test_totals_that_are_whole_but_for_a_trifle_are_kept() -> None:
    """A row that adds up to one, less an error of arithmetic, has one, though nothing would be nearer over all rows."""
    universe = Universe((Axis(name="a", size=2), Axis(name="b", size=2)))
    rows = ("row", Partition.by(universe, [each(universe, "a")]))
    counts = round_consistently(np.arange(4), np.array([0.5, 0.5 - 1e-12, 0.7, 0.6]), [rows]).counts
    assert counts[:2].sum() == 1
    assert counts[2:].sum() == 1


@given(tables())
def test_the_order_of_the_cells_does_not_matter(table: Table) -> None:
    """The same cells listed in another order get the same integers."""
    order = np.random.default_rng(len(table.keys)).permutation(len(table.keys))
    shuffled = Table(table.keys[order], table.values[order], table.features)
    assert (shuffled.rounded().counts == table.rounded().counts[order]).all()


@pytest.mark.parametrize("share", [0.02, 1.0])
def test_a_city_of_many_thousand_cells_is_rounded_within_bounds(share: float) -> None:
    """48 periods of 60 x 60 stops, with few positive cells and with all."""
    universe, features = city(48, 60, 4, 12)
    table = random_table(universe, features, share, seed=1)
    assert is_within_bounds(table, table.rounded())


def test_a_city_is_rounded_to_the_nearest_integers() -> None:
    """Against the linear program, on two thousand cells."""
    universe, features = city(6, 20, 4, 12)
    table = random_table(universe, features, 0.8, seed=2, smallest=0.5)
    distance = float(np.abs(table.rounded().counts - table.values).sum())
    assert distance == pytest.approx(least_distance(table), abs=2**-13 * table.keys.size)
    assert (
        distance < 0.9 * 2 * (table.values % 1 * (1 - table.values % 1)).sum()
    )  # what running sums would give


def test_cells_of_an_immense_universe_are_rounded_within_bounds() -> None:
    """Forty thousand cells of 10^12, with places and times that cross."""
    universe = Universe((Axis(name="o", size=10**4), Axis(name="d", size=10**4), Axis(name="t", size=10**4)))
    features = [
        (name, Partition.by(universe, [each(universe, axis) for axis in name])) for name in ("t", "ot", "dt")
    ]
    draw = np.random.default_rng(5)
    keys = np.unique(draw.integers(0, universe.size, 40_000))
    table = Table(keys, draw.exponential(2.0, keys.size), tuple(features))
    rounded = table.rounded()
    assert is_next_to(rounded.counts, table.values)
    assert max(rounded.off.values()) < 1


def test_features_that_cross_three_ways_are_reported() -> None:
    """The two with the most blocks are kept; of the third it is said by how much its totals are off."""
    universe, features = city(4, 12, 3, 8)
    table = random_table(universe, (*features, third_family(universe)), 0.7, seed=3)
    rounded = table.rounded()
    gap = np.bincount(table.labels()[-2], rounded.counts - table.values)
    assert rounded.off["band"] == pytest.approx(np.abs(gap).max())
    assert rounded.off["band"] > 1
    assert all(off < 1 for name, off in rounded.off.items() if name != "band")
    assert f"'band' by up to {rounded.off['band']:.3g}" in rounded.status
    assert "period" not in rounded.status


def test_the_status_names_the_feature_that_moved_most() -> None:
    """And by how much, where all totals are kept."""
    universe, features = city(2, 8, 2, 3)
    rounded = random_table(universe, features, 0.5, seed=4).rounded()
    name = max(rounded.off, key=lambda name: rounded.off[name])
    assert rounded.status.endswith(f"more than {rounded.off[name]:.3g} (in '{name}')")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
def test_values_that_are_no_counts_are_refused(bad: float) -> None:
    """Nothing is made of a fit that failed."""
    _, features = city(2, 4, 2, 3)
    with pytest.raises(FitError, match="not negative"):
        round_consistently(np.arange(2), np.array([1.0, bad]), features)


def test_margins_of_the_published_table_are_its_cells_added_up() -> None:
    """The fitted table in integers keeps the real totals of both families to within one, whatever margin is asked."""
    universe, features = city(4, 10, 3, 5)
    draw = np.random.default_rng(8)
    truth = draw.poisson(0.7, universe.size)
    scale = Fraction(2)
    measured = [
        Measurement(
            name=name,
            partition=partition,
            noisy=np.bincount(partition.block_of(np.arange(universe.size)), truth).astype(np.int64)
            + discrete_laplace(scale, (partition.blocks,), draw),
            scale=scale,
        )
        for name, partition in (*features, ("cells", Partition.identity(universe)))
    ]
    solution, optimum = cbdp(measured), fitted(measured, PUBLISHED)
    assert (solution.counts > 0).all()
    for _, partition in features:
        margin = partition.totals(solution.keys, solution.counts)
        real = np.bincount(partition.block_of(optimum.keys), optimum.values, minlength=partition.blocks)
        assert margin.sum() == solution.counts.sum() == np.rint(optimum.values.sum())
        assert is_next_to(margin, real)
