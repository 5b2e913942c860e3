"""PrivTree, the quadtree and the k-d tree, in any number of dimensions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from quietway.mechanisms.od.growing import Growth
from quietway.mechanisms.od.kdtree import KdTree
from quietway.mechanisms.od.kernels import imbalance
from quietway.mechanisms.od.privtree import PrivTree
from quietway.mechanisms.od.quadtree import MOST_LEAVES, Quadtree
from quietway.mechanisms.od.registry import PATH_METHODS, PathRequest
from quietway.noise import seeded
from quietway.noise.testing import ZeroNoise
from quietway.universe import PathSpace, PrivacyUnit
from tests.mechanisms.od.scenes import clustered, space
from tests.mechanisms.od.test_adaptive import leaf_counts

SPACES = (space((40, 23)), space((1, 500)), space((16, 16), (16, 16)), space((9, 9), (9, 9), (9, 9)))
every_space = pytest.mark.parametrize("where", SPACES, ids=lambda where: str(where.shape))


def request(where: PathSpace) -> PathRequest:
    """Epsilon one, a path protected."""
    return PathRequest(space=where, unit=PrivacyUnit(), epsilon=Fraction(1))


@every_space
@pytest.mark.parametrize("method", ["privtree", "quadtree", "kdtree"])
def test_leaves_share_out_the_space_and_hold_every_path(method: str, where: PathSpace) -> None:
    """Volumes add up to the space, and without noise counts to the paths."""
    (tree,) = PATH_METHODS[method](request(where)).measure(clustered(where, 2_000), rng=ZeroNoise())
    low, high = (ends[tree.leaves].astype(object) for ends in (tree.low, tree.high))
    assert (high - low).prod(axis=1).sum() == where.size
    assert leaf_counts(tree).sum() == 2_000


@pytest.mark.parametrize("dimensions", [1, 2, 4, 8, 12])
def test_decisions_cost_what_is_paid_for_them(dimensions: int) -> None:
    """The bound of the proof, at the scale and the delta that are taken, is at most the epsilon of the decisions."""
    epsilon = Fraction(1, 3)
    tree = PrivTree(epsilon_splits=epsilon, epsilon_leaves=epsilon, dimensions=dimensions, unit=PrivacyUnit())
    scale = float(tree.scale)
    assert (2 + 1 / (exp(tree.delta / scale) - 1)) / scale <= float(epsilon) * (1 + 1e-12)
    assert tree.delta >= scale * tree.halved * log(2)


def test_the_loss_of_any_way_down_is_within_the_bound() -> None:
    """With the exact chances of integer noise: whatever n, one path more costs the decisions along its way at most epsilon."""
    tree = PrivTree(
        epsilon_splits=Fraction(1, 2), epsilon_leaves=Fraction(1), dimensions=2, unit=PrivacyUnit()
    )
    r = exp(-1 / float(tree.scale))

    def chance(biased: int) -> float:
        return 1 - r**biased / (1 + r) if biased > 0 else r ** (1 - biased) / (1 + r)

    worst = 0.0
    for count in range(400):
        low = [max(count - depth * tree.delta, -tree.delta) for depth in range(60)]
        high = [max(count + 1 - depth * tree.delta, -tree.delta) for depth in range(60)]
        worst = max(worst, sum(log(chance(b) / chance(a)) for a, b in zip(low, high, strict=True)))
    assert 0.3 < worst <= 0.5


def test_a_quadtree_is_as_deep_as_its_leaves_may_be_many() -> None:
    """Whatever the number of dimensions, and no deeper than there are cells."""
    for where in (*SPACES, space((1000, 1000), (1000, 1000)), space(*[(1000, 1000)] * 4)):
        tree = Quadtree.of(where, Fraction(1), PrivacyUnit())
        assert tree.sizes[-1] <= MOST_LEAVES
        deeper = tree.sizes[-1] << tree.halved
        assert deeper > MOST_LEAVES or tree.sizes[-1] >= where.size


def test_a_quadtree_of_levels_counts_every_level() -> None:
    """One draw of each box, and of a box of one cell what all levels below it would have."""
    where = space((2, 8))
    tree = PATH_METHODS["quadtree"](request(where)).measure(clustered(where, 100), rng=seeded(1))[0]
    drawn = np.bincount(tree.node, minlength=len(tree.parent))
    leaves = np.zeros(len(tree.parent), dtype=bool)
    leaves[tree.leaves] = True
    assert set(drawn[leaves].tolist()) == {1}


def test_k_d_cuts_halve_the_paths() -> None:
    """With much to spend, both sides of the first cut hold about as many."""
    where = space((1, 400))
    paths = clustered(where, 4_001, spread=0.2)
    tree = replace(_kd(where), epsilon_cuts=Fraction(1000), depth=1).measure(paths, rng=seeded(1))[0]
    first = int(tree.high[tree.leaves][0, 1])
    assert abs(int((paths.points[:, 1] < first).sum()) - 2_000) < 100


def test_imbalance_is_that_of_a_plain_count() -> None:
    """|left - right| for every cut of every box."""
    where = space((6, 9))
    growth = Growth.of(clustered(where, 300, spread=0.3))
    one = np.ones(1, dtype=np.int64)
    found, offsets = imbalance(
        growth.paths.points, growth.order, growth.starts[:1], growth.starts[1:], one, 0 * one, 9 * one
    )
    column = growth.paths.points[:, 1]
    assert offsets.tolist() == [0, 8]
    assert found.tolist() == [
        abs(int((column < cut).sum()) - int((column >= cut).sum())) for cut in range(1, 9)
    ]


def _kd(where: PathSpace) -> KdTree:
    found = PATH_METHODS["kdtree"](request(where))
    assert isinstance(found, KdTree)
    return found
