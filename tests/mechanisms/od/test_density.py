"""The density-aware trees: what stops, what is split, and what is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from quietway.counts import Paths
from quietway.errors import ConfigError
from quietway.measurement import NoisyBoxes
from quietway.mechanisms.od.cutting import Cuts
from quietway.mechanisms.od.daf_entropy import DafEntropy
from quietway.mechanisms.od.daf_homogeneity import DafHomogeneity
from quietway.mechanisms.od.density import DensityAware, fan_out
from quietway.mechanisms.od.growing import Growth, whole
from quietway.mechanisms.od.kernels import GRID, unevenness
from quietway.mechanisms.od.registry import PATH_METHODS, PathRequest
from quietway.noise import NoiseSource, seeded
from quietway.noise.testing import ConstantNoise, ZeroNoise
from quietway.universe import PathSpace, PrivacyUnit
from tests.mechanisms.od.scenes import clustered, space
from tests.mechanisms.od.test_growing import inside

Ints = NDArray[np.int64]
BOTH = pytest.mark.parametrize("kind", [DafEntropy, DafHomogeneity])
SPACE = space((40, 30), (1, 25))


def built(kind: type[DensityAware], epsilon: Fraction = Fraction(1), **options: Any) -> DensityAware:
    """With a hundredth for the root."""
    return kind(epsilon_root=epsilon / 100, epsilon_levels=epsilon * 99 / 100, unit=PrivacyUnit(), **options)


def tree(
    kind: type[DensityAware], paths: Paths, rng: NoiseSource | None = None, **options: Any
) -> NoisyBoxes:
    """What it measures, without noise unless said otherwise."""
    return built(kind, **options).measure(paths, rng=rng or ZeroNoise())[0]


@pytest.mark.parametrize("published", [False, True])
@BOTH
def test_the_leaves_of_a_noiseless_tree_hold_every_path(kind: type[DensityAware], published: bool) -> None:
    """No part vanishes: leaf counts add up to all paths, each is its box's, and boxes share out the space."""
    paths = clustered(SPACE, 20_000)
    boxes = tree(kind, paths, published=published)
    assert len(boxes.leaves) > 50
    counts = inside(paths, boxes)
    assert np.array_equal(boxes.noisy, counts[boxes.node])
    assert counts[boxes.leaves].sum() == 20_000
    volume = np.prod((boxes.high - boxes.low).astype(np.int64), axis=1)
    assert volume[boxes.leaves].sum() == SPACE.size
    assert set(boxes.leaves) <= set(boxes.node.tolist())


@BOTH
def test_dense_parts_are_split_more_finely(kind: type[DensityAware]) -> None:
    """Where paths crowd, boxes are smaller than where hardly any are."""
    boxes = tree(kind, clustered(SPACE, 20_000, spread=0.05), seeded(1))
    volume = np.prod((boxes.high - boxes.low).astype(float), axis=1)[boxes.leaves]
    low, high = boxes.low[boxes.leaves], boxes.high[boxes.leaves]
    middle = ((low <= np.array(SPACE.shape) / 2) & (high > np.array(SPACE.shape) / 2)).all(axis=1)
    assert volume[middle].max() < np.median(volume[~middle])


@BOTH
def test_axes_are_split_in_order(kind: type[DensityAware]) -> None:
    """The root's children differ along the first axis only, theirs along a later one than their parent's."""
    boxes = tree(kind, clustered(SPACE, 20_000))
    top = np.flatnonzero(boxes.parent == 0)
    assert len(top) > 2 and (boxes.low[top][:, 1:] == 0).all()
    last = np.full(len(boxes.parent), -1)
    for node, parent in enumerate(boxes.parent):
        if parent >= 0:
            shrunk = np.flatnonzero((boxes.high - boxes.low)[node] < (boxes.high - boxes.low)[parent])
            assert len(shrunk) == 1 and shrunk[0] > last[parent]
            last[node] = shrunk[0]


def test_fan_outs_follow_the_paper() -> None:
    """(n / (sqrt(2) scale))^(2 / (3 k)), nothing of counts below zero."""
    found = fan_out(np.array([-5, 0, 1000, 10**15]), np.full(4, 2.0), 2)
    assert found.tolist() == pytest.approx(
        [0, 0, (1000 / (2 * sqrt(2))) ** (1 / 3), (10**15 / 2 / sqrt(2)) ** (1 / 3)]
    )


@pytest.mark.parametrize("noise", [-(10**9), -1, 10**12, 2**60])
@BOTH
def test_no_noisy_count_breaks_a_tree(kind: type[DensityAware], noise: int) -> None:
    """Negative counts stop at the root; counts beyond all bounds give no more boxes than allowed."""
    boxes = tree(kind, clustered(SPACE, 0 if noise < 0 else 100), ConstantNoise(noise), most_boxes=500)
    if noise < 0:
        assert len(boxes.parent) == 1 and len(boxes.node) == 2
    else:
        assert 100 < len(boxes.leaves) <= 500


@BOTH
def test_a_node_stops_below_the_noise_it_could_still_buy(kind: type[DensityAware]) -> None:
    """The root of n paths is split from 2 sqrt(2) scales on, and otherwise counted again for all that is left."""
    threshold = 2 * sqrt(2) / 0.99
    for count in (int(threshold), int(threshold) + 1):
        boxes = tree(kind, clustered(SPACE, count))
        if count < threshold:
            assert boxes.node.tolist() == [0, 0]
            assert [boxes.scales[i] for i in boxes.drawn] == [100, Fraction(100, 99)]
        else:
            assert len(boxes.parent) > 1


@BOTH
def test_patience_decides_what_stops(kind: type[DensityAware]) -> None:
    """The more noise a node must stand out of, the fewer boxes."""
    sizes = [
        len(tree(kind, clustered(SPACE, 3000), patience=patience).leaves) for patience in (2.0, 40.0, 4000.0)
    ]
    assert sizes[0] > sizes[1] > sizes[2]


@BOTH
def test_a_level_that_is_left_out_gives_its_share_to_the_next(kind: type[DensityAware]) -> None:
    """With few paths over many axes some levels are not worth two parts: no box is told twice, and two levels' shares halve the noise."""
    where = space(*[(20, 20)] * 3)
    boxes = tree(kind, clustered(where, 40, spread=0.01))
    width = boxes.high - boxes.low
    child = np.flatnonzero(boxes.parent >= 0)
    assert (width[child] < width[boxes.parent[child]]).any(axis=1).all()
    first = np.argmax((width[child] < width[boxes.parent[child]]), axis=1)
    assert first[boxes.parent[child] == 0].min() > 0
    published = tree(kind, clustered(where, 40, spread=0.01), published=True)
    assert published.scales[1] == 2 * boxes.scales[1]


def test_every_count_on_the_way_is_told_unless_published() -> None:
    """The default tells the root's count and those of all inner nodes; as published, the last of each leaf."""
    paths = clustered(SPACE, 5000)
    every, last = (tree(DafEntropy, paths, seeded(1), published=published) for published in (False, True))
    assert set(every.node.tolist()) == set(range(len(every.parent)))
    assert np.array_equal(np.sort(last.node), last.leaves)


@dataclass(frozen=True)
class Counting:
    """No noise, and the number of choices that are bought."""

    choices: list[Ints] = field(default_factory=list)

    @property
    def private(self) -> bool:
        """Never."""
        return False

    def laplace(self, true: Ints, scale: Fraction) -> Ints:
        """Nothing added."""
        return true.copy()

    def select(self, scores: Ints, scale: Fraction) -> int:
        """The best."""
        self.choices.append(scores)
        return int(np.argmax(scores))

    choose = select


def test_a_node_that_stops_buys_no_choice() -> None:
    """There is one choice for every node that has children, and none for a leaf."""
    source = Counting()
    boxes = built(DafHomogeneity).measure(clustered(SPACE, 5000), rng=source)[0]  # type: ignore[arg-type]
    inner = np.unique(boxes.parent[boxes.parent >= 0])
    assert len(source.choices) == len(inner) > 5
    stopped = Counting()
    built(DafHomogeneity).measure(clustered(SPACE, 1), rng=stopped)  # type: ignore[arg-type]
    assert not stopped.choices


def plainly(counts: Ints, cuts: list[int]) -> float:
    """The sum of how far counts are from the mean of their part."""
    return sum(float(np.abs(part - part.mean()).sum()) for part in np.split(counts, cuts))


def scored(counts: Ints, cuts: list[int]) -> int:
    """The compiled score of paths along one axis."""
    points = np.repeat(np.arange(len(counts)), counts).astype(np.int32)[:, None]
    one, width = np.zeros(1, dtype=np.int64), np.array([len(counts)])
    ends = np.array([len(points)])
    places = Cuts(np.array(cuts, dtype=np.int64), np.array([0, len(cuts)]))
    return int(unevenness(points, one, ends, one, one, width, places.places[None, :], places.offsets)[0, 0])


def test_scores_are_what_they_are_said_to_be() -> None:
    """Of random counts and cuts, the score is the plain sum in steps of 1/1024, each part rounded down."""
    random = np.random.default_rng(4)
    for _ in range(200):
        counts = random.poisson(2, random.integers(2, 30))
        cuts = (
            np.unique(random.integers(1, len(counts), random.integers(0, 4))).tolist()
            if len(counts) > 1
            else []
        )
        exact = plainly(counts, cuts) * GRID
        assert exact - len(cuts) - 1 - 1e-6 < scored(counts, cuts) <= exact + 1e-6


def test_one_path_moves_a_score_by_two_at_most() -> None:
    """Over every table of up to four places with counts to two, every cut and every path more: 2 - 2 / width, and no more."""
    worst = 0
    for width in (2, 3, 4):
        for counts in product(range(3), repeat=width):
            for cut in [[], *([c] for c in range(1, width))]:
                before = scored(np.array(counts), cut)
                for place in range(width):
                    after = scored(np.array(counts) + (np.arange(width) == place), cut)
                    worst = max(worst, abs(after - before))
    assert 2 * GRID * 3 / 4 - 1 <= worst <= 2 * GRID


def test_choices_see_what_cells_do_not() -> None:
    """Among nearly empty cells, where paths fill half of an axis the fitting cut wins by far more than the noise of a choice."""
    half = np.zeros(1000, dtype=np.int64)
    half[:500] = 10
    assert scored(half, [500]) == 0
    assert scored(half, [250]) > 2 * 4 * GRID * 100


@pytest.mark.parametrize("rule", ["permute-and-flip", "exponential"])
def test_the_even_candidate_is_usually_chosen(rule: str) -> None:
    """With much budget, the choice is the candidate of the least unevenness, by either rule."""
    where = space((1, 400))
    points = np.zeros((40_000, 2), dtype=np.int32)
    points[:, 1] = np.random.default_rng(2).integers(0, 137, 40_000)
    paths = Paths(where, points, PrivacyUnit())
    mechanism = built(DafHomogeneity, Fraction(1), rule=rule)
    growth = Growth.of(paths)
    args = (whole(1), np.array([1]), np.array([3]), [Fraction(1)])
    best = mechanism.cuts(growth, *args, rng=ZeroNoise())
    found = [mechanism.cuts(growth, *args, rng=seeded(i)) for i in range(30)]
    assert sum(np.array_equal(cuts.places, best.places) for cuts in found) >= 28


@pytest.mark.parametrize("kind", ["daf-entropy", "daf-homogeneity"])
def test_six_dimensions_in_no_time(kind: str) -> None:
    """300,000 paths of three stops on 1000 by 1000 places each, and of five: boxes follow the paths."""
    for stops in (3, 5):
        paths = clustered(space(*[(1000, 1000)] * stops), 300_000)
        request = PathRequest(space=paths.space, unit=PrivacyUnit(), epsilon=Fraction(1, 2))
        boxes = PATH_METHODS[kind](request).measure(paths, rng=seeded(1))[0]
        assert isinstance(boxes, NoisyBoxes)
        assert 1000 < len(boxes.leaves) < 20_000


def test_what_cannot_be_is_refused() -> None:
    """One place has nothing to split, and settings have limits."""
    request = PathRequest(space=space((1, 1)), unit=PrivacyUnit(), epsilon=Fraction(1))
    for name in ("daf-entropy", "daf-homogeneity"):
        with pytest.raises(ConfigError, match="'uniform'"):
            PATH_METHODS[name](request)
    for options in ({"share": Fraction(1)}, {"share": Fraction(0)}, {"candidates": 0}, {"rule": "best"}):
        with pytest.raises(ConfigError):
            built(DafHomogeneity, **options)
    with pytest.raises(ConfigError, match="larger epsilon"):
        built(DafEntropy, Fraction(1, 10**10))


def test_one_stop_in_one_row_is_one_dimension() -> None:
    """Axes of one place are never split and cost nothing."""
    where = PathSpace(stops=("a", "b"), frames=(space((1, 50)).frames[0], space((1, 1)).frames[0]))
    boxes = tree(DafEntropy, clustered(where, 3000))
    assert (boxes.high[:, [0, 2, 3]] == 1).all() and len(boxes.leaves) > 10
    assert len(boxes.scales) == 2
