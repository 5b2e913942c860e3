"""From least squares to non-negative integers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from quietway.estimate import fit_tree, project, prune
from quietway.estimate.nonnegative import apportion, shares
from quietway.measurement import Measurement
from quietway.universe import Axis, Partition, Universe, grouped
from tests.estimate.trees import trees

Floats = NDArray[np.float64]
Tree = tuple[Measurement, ...]
FAMILIES = st.lists(
    st.tuples(
        st.lists(st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float), min_size=1, max_size=6),
        st.floats(0, 1e6) | st.sampled_from([0.0, 1.0, 7.5]),
    ),
    min_size=1,
    max_size=5,
)


def family_arrays(
    families: list[tuple[list[float], float]], seed: int
) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Siblings of several parents, in mixed order."""
    wanted = np.array([value for values, _ in families for value in values])
    parent = np.repeat(np.arange(len(families)), [len(values) for values, _ in families])
    order = np.random.default_rng(seed).permutation(wanted.size)
    return wanted[order], parent[order], np.array([total for _, total in families])


def projected(wanted: Floats, total: float) -> Floats:
    """The projection on a simplex, by bisecting on what is subtracted from all."""
    low, high = wanted.min() - total - 1.0, wanted.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(0, wanted - middle).sum() > total else (low, middle)
    return np.maximum(0, wanted - high)


@given(FAMILIES, st.integers(0, 99))
@settings(max_examples=200)
def test_shares_are_the_nearest_that_add_up(families: list[tuple[list[float], float]], seed: int) -> None:
    """Each parent's children are the Euclidean projection on its simplex, whatever their order."""
    wanted, parent, total = family_arrays(families, seed)
    found = shares(wanted, parent, total)
    assert (found >= 0).all()
    np.testing.assert_allclose(np.bincount(parent, found, len(total)), total, rtol=1e-9, atol=1e-6)
    for number in range(len(total)):
        siblings = parent == number
        np.testing.assert_allclose(found[siblings], projected(wanted[siblings], total[number]), atol=1e-6)


def test_a_small_family_is_not_drowned_by_large_ones() -> None:
    """Rounding in families of millions stays out of a family of a few."""
    draw = np.random.default_rng(3)
    large, small = draw.uniform(0, 1e9, 200_000), np.array([1.25, 0.5, 0.75])
    wanted = np.concatenate([large, small])
    parent = np.r_[np.zeros(large.size, dtype=np.int64), np.ones(3, dtype=np.int64)]
    found = shares(wanted, parent, np.array([large.sum() / 2, 2.0]))
    np.testing.assert_allclose(found[-3:], small - 1 / 6, atol=1e-12)


@given(st.data(), st.integers(0, 99))
@settings(max_examples=200)
def test_apportioning_adds_up_and_moves_nothing_by_a_trip(data: st.DataObject, seed: int) -> None:
    """Integers add up to each parent's integer, next to its real total, and each is next to its share."""
    value = st.floats(0, 50) | st.integers(0, 5).map(float) | st.integers(1, 5).map(lambda i: i - 1e-10)
    families = data.draw(st.lists(st.lists(value, min_size=1, max_size=6), min_size=1, max_size=4))
    share, parent, _ = family_arrays([(values, 0.0) for values in families], seed)
    total = [sum(Fraction(value) for value in values) for values in families]
    up = data.draw(st.lists(st.booleans(), min_size=len(total), max_size=len(total)))
    whole = np.array([-(-t // 1) if u else t // 1 for t, u in zip(total, up, strict=True)], dtype=np.int64)
    integers = apportion(share, parent, whole)
    assert np.bincount(parent, integers, len(whole)).tolist() == whole.tolist()
    assert (abs(integers - share) < 1 + 1e-6).all()
    assert (integers >= 0).all()


def test_shares_lifted_over_an_integer_by_rounding_give_it_back() -> None:
    """A parent that rounded down has children that add up to it, even if one was rounded up on the way."""
    integers = apportion(np.array([4.0, 3.0]), np.array([0, 0]), np.array([6]))
    assert integers.sum() == 6


def test_the_largest_remainders_are_rounded_up() -> None:
    """The trips that are left over go to the shares that lost most."""
    assert apportion(np.array([1.2, 2.7, 0.1]), np.zeros(3, dtype=np.int64), np.array([4])).tolist() == [
        1,
        3,
        0,
    ]


@given(trees())
@settings(max_examples=200)
def test_a_projected_table_is_consistent_at_every_level(measurements: Tree) -> None:
    """Cells are non-negative integers near real shares whose totals follow the root down the tree."""
    solution, tree = project(measurements), fit_tree(measurements)
    cells = np.zeros(measurements[-1].partition.blocks, dtype=np.int64)
    cells[solution.keys] = solution.counts
    assert (solution.counts > 0).all()
    roots = measurements[0].partition.totals(solution.keys, solution.counts)
    np.testing.assert_array_equal(roots, np.rint(np.maximum(0, tree.estimate[0])))
    real = np.maximum(0.0, tree.estimate[0])
    for level, parent in enumerate(tree.parent):
        real = shares(tree.estimate[level + 1], parent, real)
        totals = measurements[level + 1].partition.totals(solution.keys, solution.counts)
        assert (abs(totals - real) < 1 + 1e-6).all()


def test_projecting_does_not_inflate_an_empty_city() -> None:
    """Where almost every cell is empty, clipping invents trips and projecting does not."""
    universe = Universe((Axis(name="a", size=5_000),))
    draw = np.random.default_rng(1)
    noise = draw.geometric(0.1, 5_000) - draw.geometric(0.1, 5_000)
    measurements = (
        Measurement(
            name="total", partition=Partition.total(universe), noisy=np.array([100]), scale=Fraction(10)
        ),
        Measurement(name="cells", partition=Partition.identity(universe), noisy=noise, scale=Fraction(10)),
    )
    assert abs(project(measurements).counts.sum() - 100) < 100
    assert np.maximum(0, noise).sum() > 10_000


@given(trees())
def test_pruning_empties_what_hangs_below_nodes_that_are_not_positive(measurements: Tree) -> None:
    """A cell keeps its rounded estimate if it and every node above it are positive, and nothing otherwise."""
    tree, solution = fit_tree(measurements), prune(measurements)
    keys = np.arange(measurements[-1].partition.blocks)
    alive = np.ones(keys.size, dtype=np.bool_)
    for measurement, estimate in zip(measurements, tree.estimate, strict=True):
        alive &= estimate[measurement.partition.block_of(keys)] > 0
    expected = np.where(alive, np.rint(tree.estimate[-1]), 0).astype(np.int64)
    cells = np.zeros_like(expected)
    cells[solution.keys] = solution.counts
    np.testing.assert_array_equal(cells, expected)


def test_pruned_by_an_empty_parent() -> None:
    """A high cell below a parent that is not positive is set to zero with it."""
    universe = Universe((Axis(name="a", size=4),))
    halves = Partition.by(universe, [grouped(universe, ["a"], np.array([0, 0, 1, 1]), name="half")])
    measurements = (
        Measurement(name="halves", partition=halves, noisy=np.array([-50, 50]), scale=Fraction(1)),
        Measurement(
            name="cells",
            partition=Partition.identity(universe),
            noisy=np.array([9, 2, 9, 2]),
            scale=Fraction(1),
        ),
    )
    assert set(prune(measurements).keys.tolist()) <= {2, 3}
