"""Least squares on trees, against dense matrices."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietway.errors import FitError
from quietway.estimate import TreeErrors, fit_tree
from quietway.measurement import Measurement
from quietway.universe import Axis, Partition, Range, Universe, grouped
from tests.estimate.trees import dense, matrix, noisy, trees

Tree = tuple[Measurement, ...]


@given(trees())
def test_estimates_are_the_weighted_least_squares_solution(measurements: Tree) -> None:
    """Every level's estimates equal the dense solution's sums, for any fan-out and any variances."""
    cells, _ = dense(measurements)
    for measurement, estimate in zip(measurements, fit_tree(measurements).estimate, strict=True):
        np.testing.assert_allclose(estimate, matrix(measurement.partition) @ cells, rtol=1e-9, atol=1e-9)


@given(trees(), st.data())
def test_variances_of_sums_are_those_of_the_dense_covariance(measurements: Tree, data: st.DataObject) -> None:
    """Any sums of leaves, some leaves left out, have the estimate and variance of the dense solution."""
    cells, covariance = dense(measurements)
    block = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=cells.size, max_size=cells.size)))
    chosen = (np.arange(3)[:, None] == block[None, :]).astype(np.float64)
    leaves = np.flatnonzero(block >= 0)
    tree = fit_tree(measurements)
    estimate, variance = tree.sums(len(measurements) - 1, leaves, block[leaves], 3)
    np.testing.assert_allclose(estimate, chosen @ cells, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(variance, np.diag(chosen @ covariance @ chosen.T), rtol=1e-8, atol=1e-9)


@given(trees())
def test_sums_are_the_same_from_any_level_that_knows_them(measurements: Tree) -> None:
    """A level's nodes, summed from that level or from the leaves, have one estimate and one variance."""
    tree, leaves = fit_tree(measurements), len(measurements) - 1
    for level, measurement in enumerate(measurements):
        partition = measurement.partition
        nodes, cells = np.arange(partition.blocks), np.arange(partition.universe.size)
        above = tree.sums(level, nodes, nodes, partition.blocks)
        below = tree.sums(leaves, cells, partition.block_of(cells), partition.blocks)
        np.testing.assert_allclose(above[0], below[0], atol=1e-8)
        np.testing.assert_allclose(above[1], below[1], rtol=1e-8, atol=1e-9)
        assert tree.coarsest(partition) <= level


@given(trees())
def test_a_margin_and_a_range_of_everything_agree(measurements: Tree) -> None:
    """The whole universe has one estimate, asked for as a margin or as a range."""
    universe = measurements[0].partition.universe
    errors = TreeErrors(fit_tree(measurements))
    margin = errors.margin(Partition.total(universe), 0.9)
    range_ = errors.range(Range.of(universe), 0.9)
    np.testing.assert_allclose(margin.estimate, range_.estimate, atol=1e-9)
    np.testing.assert_allclose(margin.deviation, range_.deviation, atol=1e-9)


def test_upper_levels_sharpen_their_sums() -> None:
    """The total is known better from the tree than from its leaves alone."""
    universe = Universe((Axis(name="a", size=16),))
    leaves = noisy(Partition.identity(universe), Fraction(5), 1)
    total = noisy(Partition.total(universe), Fraction(5), 2)
    deviation = TreeErrors(fit_tree([total, leaves])).margin(Partition.total(universe), 0.9).deviation
    expected = (1 / total.variance + 1 / (16 * leaves.variance)) ** -0.5
    np.testing.assert_allclose(deviation, [expected])


def test_the_last_level_must_be_the_cells() -> None:
    """Without a measurement of the cells there is no table to fit."""
    universe = Universe((Axis(name="a", size=4),))
    halves = Partition.by(universe, [grouped(universe, ["a"], np.array([0, 0, 1, 1]), name="half")])
    with pytest.raises(FitError, match="must be the cells"):
        fit_tree([noisy(halves, Fraction(1), 1)])
