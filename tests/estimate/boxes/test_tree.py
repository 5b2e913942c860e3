"""Least squares on trees of boxes, against dense matrices, and what follows from it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from quietway.errors import FitError
from quietway.estimate.boxes import fit_paths, tree_kernels
from quietway.estimate.boxes.fitted import FittedBoxes
from quietway.measurement import NoisyBoxes
from quietway.universe import Frame, PathSpace
from quietway.universe.path_workload import random_boxes
from tests.estimate.boxes.trees import random_tree, shares, space_of

SEEDS = st.integers(0, 10**6)
SPACES = st.builds(space_of, st.integers(1, 2), st.integers(1, 9))


def fitted(*measurements: NoisyBoxes) -> FittedBoxes:
    """The fit, with its insides."""
    fit = fit_paths(measurements)
    assert isinstance(fit, FittedBoxes)
    return fit


def dense(tree: NoisyBoxes) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """The leaves, their weighted least-squares solution, and its covariance."""
    leaves = tree.leaves
    held = (tree.low[:, None] <= tree.low[leaves]).all(axis=2)
    held &= (tree.high[:, None] >= tree.high[leaves]).all(axis=2)
    rows, weight = held[tree.node].astype(np.float64), 1 / tree.variances
    covariance = np.linalg.inv(rows.T @ (weight[:, None] * rows))
    return leaves, covariance @ (rows.T @ (weight * tree.noisy)), covariance


@given(SPACES, SEEDS)
def test_answers_before_clipping_are_those_of_dense_least_squares(space: PathSpace, seed: int) -> None:
    """For any tree, any fan-out, any number of draws per box and any scales; so is the variance of their noise."""
    tree = random_tree(space, seed)
    low, high = random_boxes(space, 12, seed=seed)
    leaves, counts, covariance = dense(tree)
    share = shares(tree.low[leaves], tree.high[leaves], low, high)
    _, unclipped, noise, _, _ = fitted(tree).pieces(low, high).T
    np.testing.assert_allclose(unclipped, share @ counts, rtol=1e-7, atol=1e-6)
    np.testing.assert_allclose(
        noise, np.einsum("qi,ij,qj->q", share, covariance, share), rtol=1e-6, atol=1e-7
    )


@given(SPACES, SEEDS, st.booleans())
def test_values_are_not_negative_and_add_up(space: PathSpace, seed: int, every_leaf: bool) -> None:
    """Every box holds what its parts hold, none holds less than nothing, and the whole keeps its estimate."""
    fit = fitted(random_tree(space, seed, every_leaf=every_leaf)).fit
    assert (fit.value >= 0).all()
    children = np.bincount(fit.tree.parent[1:], fit.value[1:], minlength=len(fit.value))
    np.testing.assert_allclose(children[~fit.tree.leaf], fit.value[~fit.tree.leaf], rtol=1e-9, atol=1e-9)
    assert fit.value[0] == pytest.approx(max(0.0, fit.x[0]))


@given(SPACES, SEEDS, st.booleans())
def test_published_boxes_share_out_the_space_and_the_rounded_total(
    space: PathSpace, seed: int, every_leaf: bool
) -> None:
    """In non-negative integers, none further than one path from what it was rounded from."""
    fit = fitted(random_tree(space, seed, every_leaf=every_leaf))
    boxes = fit.boxes
    assert boxes.low.dtype == boxes.high.dtype == np.int32
    assert boxes.count.min() >= 0
    assert boxes.count.sum() == round(fit.fit.value[0])
    volume = (boxes.high.astype(np.int64) - boxes.low).prod(axis=1)
    assert volume.sum() == space.size
    low, high = random_boxes(space, 5, seed=seed)
    share = shares(boxes.low, boxes.high, low, high)
    np.testing.assert_allclose(share @ volume, (high - low).prod(axis=1))


@given(st.lists(st.floats(0, 50), min_size=1, max_size=30))
def test_apportioned_integers_are_the_nearest_that_add_up(wanted: list[float]) -> None:
    """By largest remainder: none is a whole path off."""
    values = np.array(wanted)
    part = tree_kernels.apportioned(values, round(values.sum()))
    assert part.sum() == round(values.sum())
    assert (np.abs(part - values) < 1 + 1e-9).all()


def nearest_by_bisection(
    wanted: NDArray[np.float64], variance: NDArray[np.float64], total: float
) -> NDArray[np.float64]:
    """min sum (v - wanted)^2 / variance over v >= 0 that add up to the total, by its multiplier."""
    below, above = 0.0, float((np.abs(wanted) / variance).max()) + 1
    for _ in range(200):
        middle = (below + above) / 2
        if np.maximum(0, wanted - middle * variance).sum() > total:
            below = middle
        else:
            above = middle
    return np.maximum(0, wanted - below * variance)


@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(0.1, 10)), min_size=2, max_size=20))
def test_children_get_the_nearest_values_that_are_not_negative(cases: list[tuple[float, float]]) -> None:
    """In the distance that trusts a child by the inverse of its variance."""
    wanted, variance = (np.array(column) for column in zip(*cases, strict=True))
    total = max(0.0, wanted.sum())
    end = np.r_[len(wanted) + 1, np.arange(2, len(wanted) + 2)]
    value = tree_kernels.nonnegative(end, np.r_[wanted.sum(), wanted], np.r_[1.0, variance])
    np.testing.assert_allclose(value[1:], nearest_by_bisection(wanted, variance, total), atol=1e-6)


def test_boxes_below_the_last_draw_share_it_by_area() -> None:
    """What nothing tells apart is published as one box, and answered as if spread evenly."""
    tree = random_tree(space_of(1, 8), 3)
    only_root = replace(tree, node=np.array([0]), noisy=np.array([64]), drawn=np.array([0]))
    fit = fitted(only_root)
    assert len(fit.boxes) == 1
    answer = fit.answer(np.array([[0, 0]]), np.array([[4, 2]]), 0.95)
    assert answer.estimate == pytest.approx([8.0])


def test_boxes_not_drawn_get_what_their_siblings_leave() -> None:
    """In proportion to their places."""
    space = space_of(1, 4)
    tree = NoisyBoxes(
        name="half told",
        space=space,
        stops=(0,),
        low=np.array([[0, 0], [0, 0], [1, 0], [2, 0]], dtype=np.int32),
        high=np.array([[4, 4], [1, 4], [2, 4], [4, 4]], dtype=np.int32),
        parent=np.array([-1, 0, 0, 0]),
        node=np.array([0, 1]),
        noisy=np.array([100, 40]),
        drawn=np.array([0, 0]),
        scales=(Fraction(1, 2),),
    )
    np.testing.assert_allclose(fitted(tree).boxes.estimate, [40, 20, 40], rtol=1e-5)


def test_a_box_that_nothing_tells_of_is_refused() -> None:
    """Neither it nor anything it is a part of was drawn."""
    space = space_of(1, 4)
    tree = random_tree(space, 0)
    leaf = int(tree.leaves[-1])
    keep = tree.node == leaf
    with pytest.raises(FitError, match="not drawn"):
        fit_paths([replace(tree, node=tree.node[keep], noisy=tree.noisy[keep], drawn=tree.drawn[keep])])


def test_several_roots_are_one_tree() -> None:
    """Their sum is the whole."""
    tree = random_tree(space_of(1, 9), 5)
    top = tree.parent >= 0
    forest = replace(
        tree,
        low=tree.low[1:],
        high=tree.high[1:],
        parent=tree.parent[1:] - 1,
        node=tree.node[top[tree.node]] - 1,
        noisy=tree.noisy[top[tree.node]],
        drawn=tree.drawn[top[tree.node]],
    )
    assert (forest.parent < 0).sum() > 1
    leaves, counts, _ = dense(forest)
    np.testing.assert_allclose(fitted(forest).fit.x[0], counts.sum(), rtol=1e-9)
    assert len(leaves) == len(fitted(forest).boxes)


def test_boxes_without_a_place_hold_nothing() -> None:
    """Where no zone is, noise is known to be noise."""
    frame = Frame.zones(("a", "b"), np.array([[0.0, 0.0], [1.0, 1.0]]))
    space = PathSpace(stops=("s",), frames=(frame,))
    tree = NoisyBoxes(
        name="corners",
        space=space,
        stops=(0,),
        low=np.array([[0, 0], [0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.int32),
        high=np.array([[2, 2], [1, 1], [1, 2], [2, 1], [2, 2]], dtype=np.int32),
        parent=np.array([-1, 0, 0, 0, 0]),
        node=np.arange(5),
        noisy=np.array([20, 10, 7, 5, 10]),
        drawn=np.zeros(5, dtype=np.int64),
        scales=(Fraction(1, 2),),
    )
    np.testing.assert_allclose(fitted(tree).boxes.estimate, [10, 0, 0, 10], atol=1e-4)
