"""Grids, by prefix sums and by their tree."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietway.estimate.boxes import fit_paths
from quietway.estimate.boxes.fitted import FittedBoxes
from quietway.estimate.boxes.fitted_grid import FittedGrid
from quietway.measurement import NoisyGrid
from quietway.universe import Frame, PathSpace
from quietway.universe.path_workload import random_boxes
from tests.estimate.boxes.test_fitted import grid_of, total_of
from tests.estimate.boxes.trees import shares, space_of

SEEDS = st.integers(0, 10**6)


@given(st.integers(1, 3), st.integers(1, 8), SEEDS, st.booleans())
def test_prefix_sums_say_what_the_tree_says(stops: int, side: int, seed: int, told: bool) -> None:
    """Estimates and variances are the same; of how far cut blocks lean together, prefix sums give a bound."""
    space = space_of(stops, side)
    fit = fit_paths([grid_of(space, seed), *([total_of(space, 400)] if told else [])])
    assert isinstance(fit, FittedGrid)
    low, high = random_boxes(space, 10, seed=seed)
    by_sums, by_tree = fit.by_sums(low, high), FittedBoxes.pieces(fit, low, high)
    np.testing.assert_allclose(by_sums[:, :4], by_tree[:, :4], rtol=1e-6, atol=1e-5)
    assert (by_sums[:, 4] >= by_tree[:, 4] - 1e-5).all()


@given(SEEDS)
def test_a_block_is_its_noisy_count_where_all_are_positive(seed: int) -> None:
    """Nothing is clipped, so nothing changes; parts of blocks count by area."""
    space = space_of(1, 9)
    grid = grid_of(space, seed)
    grid = replace(grid, noisy=np.abs(grid.noisy) + 1)
    fit = fit_paths([grid])
    low, high = random_boxes(space, 10, seed=seed)
    boxes = fit.boxes
    np.testing.assert_allclose(np.sort(boxes.estimate), np.sort(grid.noisy), rtol=1e-9)
    share = shares(boxes.low, boxes.high, low, high)
    np.testing.assert_allclose(fit.answer(low, high, 0.95).estimate, share @ boxes.estimate, rtol=1e-9)


def test_blocks_stand_where_their_edges_put_them() -> None:
    """In row-major order, the rows of the first stop first."""
    space = PathSpace(stops=("a",), frames=(Frame(rows=4, columns=6),))
    edges = (np.array([0, 1, 4]), np.array([0, 2, 5, 6]))
    grid = NoisyGrid(name="g", space=space, edges=edges, noisy=np.arange(10, 70, 10), scale=Fraction(1))
    found = fit_paths([grid]).answer(np.array([[0, 2], [1, 5]]), np.array([[1, 5], [4, 6]]), 0.95)
    np.testing.assert_allclose(found.estimate, [20, 60])


def test_a_grid_of_many_axes_is_answered_by_its_tree() -> None:
    """Twelve axes have 16 million corners, which are more than its 4,096 blocks."""
    space = space_of(6, 2)
    fit = fit_paths([grid_of(space, 1)])
    low, high = random_boxes(space, 200, seed=1)
    np.testing.assert_array_equal(fit.pieces(low, high), FittedBoxes.pieces(fit, low, high))
    assert fit.answer(np.zeros_like(low[:1]), high[:1] * 0 + 2, 0.95).estimate == fit.fit.value[0]


@pytest.mark.parametrize("stops", [5, 40])
def test_grids_of_many_stops_are_answered_by_their_tree(stops: int) -> None:
    """Prefix sums of so many axes would not fit in memory, and an array has 64 axes at most."""
    space = PathSpace(stops=tuple(map(str, range(stops))), frames=(Frame(rows=3, columns=2),) * stops)
    edges = (np.array([0, 1, 3]), *(np.array([0, side]) for side in space.shape[1:]))
    grid = NoisyGrid(name="g", space=space, edges=edges, noisy=np.array([30, 60]), scale=Fraction(1))
    high = np.array([space.shape, [1, *space.shape[1:]]])
    found = fit_paths([grid]).answer(np.zeros_like(high), high, 0.95)
    np.testing.assert_allclose(found.estimate, [90, 30])
