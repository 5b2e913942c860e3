"""Trees of boxes: whatever is split, no path is lost and every box is where its paths are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from quietway.counts import Paths
from quietway.measurement import NoisyBoxes
from quietway.mechanisms.od.cutting import Cuts
from quietway.mechanisms.od.growing import Growth, whole
from quietway.noise.testing import ZeroNoise
from tests.mechanisms.od.scenes import clustered, space


def inside(paths: Paths, boxes: NoisyBoxes) -> np.ndarray:
    """How many paths each box holds, by looking at every one."""
    points = paths.points
    return np.array(
        [
            ((points >= low) & (points < high)).all(axis=1).sum()
            for low, high in zip(boxes.low, boxes.high, strict=True)
        ]
    )


def grown(paths: Paths, seed: int, levels: int) -> tuple[Growth, NoisyBoxes]:
    """A tree that is split anywhere, with every count drawn."""
    random, growth = np.random.default_rng(seed), Growth.of(paths)
    growth.draw(whole(1), Fraction(1), rng=ZeroNoise())
    for _ in range(levels):
        which = np.flatnonzero(random.random(growth.size) < 0.7)
        axis = random.integers(paths.space.axes, size=len(which))
        width = (growth.high - growth.low)[which, axis].astype(np.int64)
        parts = random.integers(1, np.minimum(width, 5) + 1)
        cuts = Cuts.even(growth.low[which, axis], growth.high[which, axis], parts)
        origin = growth.split(which, axis, cuts)
        assert np.array_equal(np.bincount(origin, minlength=len(which)), parts)
        fresh = np.flatnonzero(parts[origin] > 1)
        growth.draw(fresh, Fraction(1), rng=ZeroNoise())
    return growth, growth.boxes("tree")


@given(seed=st.integers(0, 10**6), levels=st.integers(0, 5))
@settings(max_examples=60)
def test_every_box_counts_the_paths_inside_it(seed: int, levels: int) -> None:
    """Of any tree, every node's count is what a look at all paths finds, and leaves share out the space."""
    paths = clustered(space((7, 9), (1, 12)), 300, seed=seed)
    growth, boxes = grown(paths, seed, levels)
    counts = inside(paths, boxes)
    assert np.array_equal(growth.points, paths.points[growth.order])
    assert np.array_equal(boxes.noisy, counts[boxes.node])
    assert np.array_equal(np.sort(boxes.node), np.arange(len(boxes.low)))
    assert counts[boxes.leaves].sum() == 300
    volume = np.prod((boxes.high - boxes.low).astype(np.int64), axis=1)
    assert volume[boxes.leaves].sum() == paths.space.size
    assert (volume > 0).all()


@given(seed=st.integers(0, 10**6))
@settings(max_examples=30)
def test_parents_stand_before_their_children_and_hold_them(seed: int) -> None:
    """A node's number is larger than its parent's, and its box lies inside the parent's."""
    _, boxes = grown(clustered(space((7, 9), (1, 12)), 50, seed=seed), seed, 4)
    child = np.flatnonzero(boxes.parent >= 0)
    parent = boxes.parent[child]
    assert (parent < child).all() and boxes.parent[0] == -1
    assert (boxes.low[child] >= boxes.low[parent]).all() and (boxes.high[child] <= boxes.high[parent]).all()


def test_a_node_without_cuts_stays_itself() -> None:
    """It keeps its number, and may be drawn again."""
    growth = Growth.of(clustered(space((4, 4)), 10))
    growth.draw(whole(1), Fraction(2), rng=ZeroNoise())
    growth.split(whole(1), np.array([0]), Cuts.even(growth.low[:, 0], growth.high[:, 0], np.array([1])))
    growth.draw(whole(1), Fraction(3), rng=ZeroNoise())
    boxes = growth.boxes("twice")
    assert boxes.node.tolist() == [0, 0] and boxes.noisy.tolist() == [10, 10]
    assert boxes.scales == (Fraction(2), Fraction(3)) and boxes.drawn.tolist() == [0, 1]
    assert len(boxes.low) == 1


def test_what_grows_shows_nothing() -> None:
    """It holds raw paths, so it prints none of them."""
    assert "Growth object" in repr(Growth.of(clustered(space((4, 4)), 10)))


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 60), st.integers(1, 60)), max_size=6))
def test_even_cuts_are_distinct_and_inside(boxes: list[tuple[int, int, int]]) -> None:
    """Parts of a box differ by one place at most, and none is empty."""
    low = np.array([box[0] for box in boxes], dtype=np.int64)
    width = np.array([box[1] for box in boxes], dtype=np.int64)
    parts = np.minimum(np.array([box[2] for box in boxes], dtype=np.int64), width)
    cuts = Cuts.even(low, low + width, parts)
    assert np.array_equal(cuts.parts, parts)
    for i in range(len(boxes)):
        edges = [low[i], *cuts.places[cuts.offsets[i] : cuts.offsets[i + 1]], low[i] + width[i]]
        sizes = np.diff(edges)
        assert sizes.min() >= 1 and sizes.max() - sizes.min() <= 1
