"""Trees that are counted as they grow."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quietway.counts import Paths
from quietway.errors import ConfigError, PrivacyError
from quietway.measurement import NoisyBoxes
from quietway.mechanisms.od.adaptive import AdaptiveTrees
from quietway.mechanisms.od.registry import PATH_METHODS, PathRequest
from quietway.noise import seeded
from quietway.noise.testing import ZeroNoise
from quietway.universe import PathSpace, PrivacyUnit
from tests.mechanisms.od.scenes import clustered, space

TWO = space((64, 64), (64, 64))
ONE = space((256, 256))


def daf(where: PathSpace, epsilon: Fraction = Fraction(1)) -> AdaptiveTrees:
    """The method as a release file names it."""
    found = PATH_METHODS["daf"](PathRequest(space=where, unit=PrivacyUnit(), epsilon=epsilon))
    assert isinstance(found, AdaptiveTrees)
    return found


def leaf_counts(boxes: NoisyBoxes) -> np.ndarray:
    """The last draw of every leaf."""
    last = np.zeros(len(boxes.parent), dtype=np.int64)
    last[boxes.node] = boxes.noisy
    return last[boxes.leaves]


def test_every_stop_has_a_tree_and_whole_paths_have_one() -> None:
    """In that order; a single stop is a path, and has the one tree."""
    assert [tree.stops for tree in daf(TWO).measure(clustered(TWO, 500), rng=seeded(1))] == [
        (0,),
        (1,),
        (0, 1),
    ]
    assert [tree.stops for tree in daf(ONE).measure(clustered(ONE, 500), rng=seeded(1))] == [(0,)]


def test_a_stop_s_tree_counts_that_stop_alone() -> None:
    """Its boxes are of its own rows and columns, and hold every path once."""
    paths = clustered(TWO, 3_000)
    for tree in daf(TWO).measure(paths, rng=ZeroNoise())[:2]:
        axes = TWO.axes_of(tree.stops)
        inside = [
            int(((paths.points[:, axes] >= low) & (paths.points[:, axes] < high)).all(axis=1).sum())
            for low, high in zip(tree.low[tree.leaves], tree.high[tree.leaves], strict=True)
        ]
        assert leaf_counts(tree).tolist() == inside
        assert sum(inside) == 3_000


@settings(max_examples=20)
@given(st.integers(0, 400), st.integers(1, 3), st.sampled_from([(7, 5), (1, 30), (64, 64)]))
def test_leaves_share_out_the_space(count: int, stops: int, frame: tuple[int, int]) -> None:
    """Whatever the space: their volumes add up, and without noise so do their counts."""
    where = space(*[frame] * stops)
    tree = replace(daf(where), patience=0.5).measure(clustered(where, count), rng=ZeroNoise())[-1]
    low, high = (ends[tree.leaves].astype(object) for ends in (tree.low, tree.high))
    assert (high - low).prod(axis=1).sum() == where.size
    assert leaf_counts(tree).sum() == count


def test_dense_places_are_cut_finer_than_empty_ones() -> None:
    """The box around the middle of a cluster is far smaller than those in the corners."""
    tree = daf(ONE).measure(clustered(ONE, 50_000), rng=seeded(3))[0]
    area = (tree.high - tree.low).prod(axis=1)

    def around(place: int) -> int:
        inside = ((tree.low <= place) & (tree.high > place)).all(axis=1)
        return int(area[inside].min())

    assert around(128) <= 64
    assert around(5) >= 1_024


def test_no_paths_make_few_cuts() -> None:
    """Noise alone splits a box now and then, and what it splits soon ends."""
    empty = Paths(ONE, np.empty((0, 2), dtype=np.int32), PrivacyUnit())
    trees = [daf(ONE).measure(empty, rng=seeded(seed))[0] for seed in range(40)]
    assert np.mean([len(tree.leaves) for tree in trees]) < 20


def test_where_boxes_would_be_too_many_those_with_most_paths_are_cut() -> None:
    """At most as many boxes of a level as are allowed."""
    mechanism = replace(daf(ONE, Fraction(10)), most_boxes=16)
    tree = mechanism.measure(clustered(ONE, 50_000, spread=0.3), rng=seeded(2))[0]
    depth = np.zeros(len(tree.parent), dtype=np.int64)
    for node, parent in enumerate(tree.parent.tolist()):
        depth[node] = 0 if parent < 0 else depth[parent] + 1
    assert np.bincount(depth)[::2].max() <= 16


def test_an_epsilon_that_drowns_every_count_is_refused() -> None:
    """Before anything is measured."""
    with pytest.raises(ConfigError, match="epsilon"):
        daf(TWO, Fraction(1, 10**14))


def test_trees_priced_for_fewer_stops_are_not_grown_for_more() -> None:
    """Each stop would take the share of one, and all together more than was declared."""
    mechanism = replace(daf(TWO), stops=1)
    with pytest.raises(PrivacyError, match="priced for 1"):
        mechanism.measure(clustered(TWO, 500), rng=seeded(1))


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1), Fraction(2)])
def test_a_share_that_leaves_nothing_is_refused(share: Fraction) -> None:
    """A count that takes all there is would leave none for the boxes below, after it has been paid for."""
    with pytest.raises(ConfigError, match="share"):
        replace(daf(TWO), share=share)


def test_a_path_of_one_place_is_counted_and_nothing_else() -> None:
    """A space of one cell has nothing to cut."""
    where = space((1, 1))
    (tree,) = daf(where).measure(clustered(where, 50), rng=ZeroNoise())
    assert len(tree.parent) == 1
    assert set(tree.noisy.tolist()) == {50}
