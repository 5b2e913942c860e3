"""Values that lean on what is expected."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quietway.errors import FitError
from quietway.estimate.boxes import fit_paths, tree_kernels
from quietway.estimate.boxes.fitted import FittedBoxes
from quietway.estimate.boxes.leaning import leaning, shares
from quietway.estimate.boxes.mass import Mass
from quietway.estimate.boxes.nested import Nested, nested
from quietway.estimate.boxes.smoothing import smoothed
from quietway.estimate.boxes.solution import BoxTable
from quietway.estimate.boxes.tree import fit_tree
from quietway.measurement import NoisyBoxes
from quietway.universe import Frame, PathSpace
from quietway.universe.box_counts import counts_in_boxes as counted
from quietway.universe.path_workload import mean_relative_error, random_boxes
from tests.estimate.boxes.trees import quadtree, space_of

SPACE = space_of(1, 64)


def cluster(space, count: int, seed: int, spread: float = 5.0):
    """Paths around one place."""
    shape = np.array(space.shape)
    points = np.random.default_rng(seed).normal(shape * 0.4, spread, (count, len(shape)))
    return np.clip(points, 0, shape - 1).astype(np.int64)


def joint(tree: Nested, share: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """The posterior mean of every node from one dense Gaussian system over the leaves' deviations."""
    n = len(tree.parent)
    unit = np.zeros((n, n))
    big = 1e9
    prior = np.zeros((n, n))
    unit[0, 0] = 1
    prior[0, 0] = big
    for up in range(n):
        children = np.flatnonzero(tree.parent == up)
        if not len(children):
            continue
        s = share[children]
        prior[np.ix_(children, children)] = tau[up] * (np.diag(s) - np.outer(s, s))
        for child in children:
            unit[child] = share[child] * unit[up]
            unit[child, child] = 1
    covariance = unit @ prior @ unit.T
    seen = np.isfinite(tree.variance)
    noise = np.diag(tree.variance[seen])
    gain = covariance[:, seen] @ np.linalg.inv(covariance[np.ix_(seen, seen)] + noise)
    return gain @ tree.noisy[seen]


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.floats(0.1, 1e4))
def test_two_passes_are_the_gaussian_posterior(seed: int, spread: float) -> None:
    """Whatever the tree, its shares and its variances: the same as one dense solve."""
    draw = np.random.default_rng(seed)
    parent = np.array([-1, 0, 1, 1, 0, 0, 5, 5, 5])
    end = np.array([9, 4, 3, 4, 5, 9, 7, 8, 9])
    variance = np.where(draw.random(9) < 0.3, np.inf, draw.uniform(0.5, 20, 9))
    variance[0] = 4.0
    noisy = np.where(np.isfinite(variance), draw.normal(50, 30, 9), 0.0)
    share = np.ones(9)
    for up in (0, 1, 5):
        children = np.flatnonzero(parent == up)
        share[children] = draw.dirichlet(np.ones(len(children)))
    tau = draw.uniform(0.5, 1.5, 9) * spread
    tree = Nested(
        low=np.zeros((9, 2), np.int32),
        high=np.ones((9, 2), np.int32),
        parent=parent,
        end=end,
        depth=3,
        noisy=noisy,
        variance=variance,
    )
    z, v = tree_kernels.upward_leaning(parent, noisy, variance, share, tau)
    x, _ = tree_kernels.downward_leaning(end, z, v, share, tau)
    expected = joint(tree, share, tau)
    if (expected[[0, 1, 5]] > 0).all():  # a parent below zero is taken to hold nothing
        np.testing.assert_allclose(x, expected, rtol=1e-5, atol=1e-4)


def test_an_unbounded_tau_is_least_squares() -> None:
    """With no leaning at all, the passes give what least squares does."""
    points = cluster(SPACE, 4_000, 1)
    tree = nested(quadtree(SPACE, points, epsilon=1.0, draw=np.random.default_rng(2)))
    plain = fit_tree(tree, SPACE)
    share, tau = shares(tree, Mass.of(SPACE, {})), np.full(len(tree.parent), 1e18)
    z, v = tree_kernels.upward_leaning(tree.parent, tree.noisy, tree.variance, share, tau)
    x, _ = tree_kernels.downward_leaning(tree.end, z, v, share, tau)
    inner = plain.x[np.maximum(tree.parent, 0)] > 0
    np.testing.assert_allclose(x[inner], plain.x[inner], rtol=1e-6, atol=1e-6)


def test_values_add_up_and_are_not_negative() -> None:
    """Each node is the sum of its children, the root what least squares makes of the total."""
    points = cluster(SPACE, 4_000, 3)
    tree = nested(quadtree(SPACE, points, epsilon=0.3, draw=np.random.default_rng(4)))
    fitted = leaning(fit_tree(tree, SPACE), tree, Mass.of(SPACE, {}))
    assert (fitted.value >= 0).all()
    sums = np.bincount(tree.parent[1:], fitted.value[1:], minlength=len(tree.parent))
    inner = ~tree.leaf
    np.testing.assert_allclose(sums[inner], fitted.value[inner], rtol=1e-9, atol=1e-6)
    assert abs(fitted.value[0] - 4_000) < 200


def test_even_land_is_told_better_by_leaning_on_it() -> None:
    """Where paths are as even as expected, leaning values err by less than half as much as least squares."""
    points = np.random.default_rng(5).integers(0, 64, (20_000, 2))
    errors = []
    for seed in range(4):
        measured = quadtree(SPACE, points, epsilon=0.2, draw=np.random.default_rng(seed), most=0.5)
        tree = nested(measured)
        plain = fit_tree(tree, SPACE)
        true = counted(points, tree.low[tree.leaf], tree.high[tree.leaf])
        errors.append(
            [
                np.abs(fit.value[tree.leaf] - true).mean()
                for fit in (leaning(plain, tree, Mass.of(SPACE, {})), plain)
            ]
        )
    mine, theirs = np.mean(errors, axis=0)
    assert mine < 0.5 * theirs


def test_clustered_land_is_not_made_even() -> None:
    """Where shares are far from what is expected, counts speak: random boxes are told as well as by least squares."""
    points = cluster(SPACE, 20_000, 6, spread=2.0)
    low, high = random_boxes(SPACE, 300, seed=1)
    true = counted(points, low, high)
    found = {"even": [], "leaning": []}
    for seed in range(4):
        measured = [quadtree(SPACE, points, epsilon=1.0, draw=np.random.default_rng(seed))]
        for fit, errors in found.items():
            answers = fit_paths(measured, fit).answer(low, high, 0.95).estimate
            errors.append(mean_relative_error(true, answers, len(points)))
    assert np.mean(found["leaning"]) < 1.1 * np.mean(found["even"])


def test_smoothing_keeps_what_every_box_holds() -> None:
    """Cells are no longer flat within a box, and still add up to it."""
    low = np.array([[0, 0], [0, 8], [8, 0]], dtype=np.int32)
    high = np.array([[8, 8], [8, 16], [16, 16]], dtype=np.int32)
    estimate = np.array([10.0, 500.0, 0.0])
    cells = np.zeros((16, 16))
    for a, b, value in zip(low, high, estimate, strict=True):
        cells[a[0] : b[0], a[1] : b[1]] = value / np.prod(b - a)
    table = BoxTable(
        low=low, high=high, count=estimate.astype(np.int64), estimate=estimate, deviation=estimate
    )
    smooth = smoothed(table, cells)
    for a, b, value in zip(low, high, estimate, strict=True):
        assert smooth[a[0] : b[0], a[1] : b[1]].sum() == pytest.approx(value)
    assert (smooth >= 0).all()
    assert smooth[0, 7] > 2 * smooth[0, 0]


def test_a_single_stop_is_spread_by_its_own_boxes() -> None:
    """Halves of a box beside a denser one are not alike, and the whole stays what it was."""
    points = cluster(SPACE, 20_000, 8)
    measured = quadtree(SPACE, points, epsilon=0.3, draw=np.random.default_rng(9), most=40.0)
    fitted = fit_paths([measured], "leaning")
    assert isinstance(fitted, FittedBoxes) and fitted.mass.tables[0] is not None
    everything = fitted.answer(np.array([[0, 0]]), np.array([[64, 64]]), 0.95).estimate[0]
    assert everything == pytest.approx(fitted.boxes.estimate.sum())


def test_intervals_of_leaning_values_hold_the_truth() -> None:
    """Nineteen times out of twenty, over random boxes of a cluster."""
    points = cluster(SPACE, 20_000, 10)
    low, high = random_boxes(SPACE, 200, seed=2)
    true = counted(points, low, high)
    held = []
    for seed in range(5):
        measured = quadtree(SPACE, points, epsilon=0.3, draw=np.random.default_rng(seed))
        found = fit_paths([measured], "leaning").answer(low, high, 0.95)
        held.append(((found.low <= true) & (true <= found.high)).mean())
    assert np.mean(held) > 0.93


def test_a_fit_that_does_not_exist_is_refused() -> None:
    """Its name is told, and those that do."""
    measured = quadtree(SPACE, cluster(SPACE, 10, 1), epsilon=1.0, draw=np.random.default_rng(1))
    with pytest.raises(FitError, match="no fit 'flat' for paths"):
        fit_paths([replace(measured)], "flat")


@pytest.mark.parametrize("seed", [14964, 18726])
def test_where_next_to_nothing_is_held_shares_still_add_up(seed: int) -> None:
    """Masses are differences of sums: a box may hold a trace, of which its halves hold none or less."""
    space = PathSpace(stops=("a",), frames=(Frame(rows=8, columns=8),))
    weights = np.random.default_rng(seed).random((8, 8))
    weights[2:6, 2:6] = 0
    low = np.array([[0, 0], [0, 0], [2, 0], [2, 2], [2, 6], [6, 0], [2, 2], [4, 2]], dtype=np.int32)
    high = np.array([[8, 8], [2, 8], [6, 2], [6, 6], [6, 8], [8, 8], [4, 6], [6, 6]], dtype=np.int32)
    boxes = NoisyBoxes(
        name="frame and middle",
        space=space,
        stops=(0,),
        low=low,
        high=high,
        parent=np.array([-1, 0, 0, 0, 0, 0, 3, 3]),
        node=np.arange(8),
        noisy=np.array([100, 40, 20, 3, 20, 20, 2, 1]),
        drawn=np.zeros(8, dtype=np.int64),
        scales=(Fraction(1),),
    )
    tree, mass = nested(boxes), Mass(space, (weights,))
    share = shares(tree, mass)
    assert (share >= 0).all()
    assert np.bincount(tree.parent[1:], share[1:])[[0, 3]] == pytest.approx([1, 1])
    values = leaning(fit_tree(tree, space), tree, mass).value
    assert np.isfinite(values).all() and (values >= 0).all()
