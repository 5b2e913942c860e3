"""Which measurements make a fit, and what the extra ones add."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from quietway.errors import FitError
from quietway.estimate.boxes import fit_paths
from quietway.estimate.boxes.cells import believed
from quietway.estimate.boxes.density import EVEN
from quietway.estimate.boxes.fitted import FittedBoxes
from quietway.measurement import NoisyBoxes, NoisyCells
from quietway.universe import Region
from tests.estimate.boxes.test_fitted import cells_of, grid_of, of_stop, total_of
from tests.estimate.boxes.trees import random_tree, space_of

SPACE = space_of(2, 6)


def test_a_total_alone_is_spread_over_everything() -> None:
    """Evenly, with an interval that allows for all of it to be anywhere."""
    fit = fit_paths([total_of(SPACE, 1296)])
    answer = fit.answer(np.array([[0, 0, 0, 0]]), np.array([[3, 6, 6, 2]]), 0.95)
    assert answer.estimate == pytest.approx([216.0])
    assert answer.high[0] > 1000


def test_a_total_beside_boxes_is_one_draw_more_of_the_whole() -> None:
    """Averaged by inverse variance with what the boxes say."""
    tree = random_tree(SPACE, 2)
    alone, both = fit_paths([tree]), fit_paths([total_of(SPACE, 10_000), tree])
    assert isinstance(alone, FittedBoxes)
    assert isinstance(both, FittedBoxes)
    variance, told = alone.fit.variance[0], total_of(SPACE, 0).variances[0]
    expected = (alone.fit.x[0] / variance + 10_000 / told) / (1 / variance + 1 / told)
    assert both.fit.x[0] == pytest.approx(expected)
    assert both.fit.variance[0] == pytest.approx(1 / (1 / variance + 1 / told))


@pytest.mark.parametrize("kind", ["none", "two trees", "tree and grid", "twice a stop", "a pair of three"])
def test_measurements_that_do_not_go_together_are_refused(kind: str) -> None:
    """One kind over all stops, and at most one tree for each single stop."""
    three = space_of(3, 4)
    pair = random_tree(space_of(2, 4), 1)
    cases: dict[str, list[NoisyBoxes | NoisyCells]] = {
        "none": [],
        "two trees": [random_tree(SPACE, 1), random_tree(SPACE, 2)],
        "tree and grid": [random_tree(SPACE, 1), grid_of(SPACE, 1)],  # type: ignore[list-item]
        "twice a stop": [random_tree(SPACE, 1), of_stop(SPACE, 0, 1), of_stop(SPACE, 0, 2)],
        "a pair of three": [total_of(three, 9), replace(pair, space=three, stops=(0, 2))],
    }
    with pytest.raises(FitError, match="one tree"):
        fit_paths(cases[kind])


def leaf_tree(stop: int, noisy: list[int]) -> NoisyBoxes:
    """The southern and the northern half of one stop."""
    return NoisyBoxes(
        name="halves",
        space=SPACE,
        stops=(stop,),
        low=np.array([[0, 0], [0, 0], [3, 0]], dtype=np.int32),
        high=np.array([[6, 6], [3, 6], [6, 6]], dtype=np.int32),
        parent=np.array([-1, 0, 0]),
        node=np.array([1, 2]),
        noisy=np.array(noisy),
        drawn=np.array([0, 0]),
        scales=(Fraction(1, 100),),
    )


def test_densities_of_stops_spread_the_paths_of_a_box_by_their_product() -> None:
    """Nine tenths of starts are in the south and one of ends, but for the even share that keeps everything possible."""
    fit = fit_paths([total_of(SPACE, 1000), leaf_tree(0, [90, 10]), leaf_tree(1, [10, 90])])
    low, high = np.array([[0, 0, 0, 0], [0, 0, 0, 0]]), np.array([[3, 6, 6, 6], [3, 6, 3, 6]])
    south, both_south = fit.answer(low, high, 0.95).estimate
    starts, ends = ((1 - EVEN) * part + EVEN / 2 for part in (0.9, 0.1))
    assert south == pytest.approx(1000 * starts, rel=1e-3)
    assert both_south == pytest.approx(1000 * starts * ends, rel=1e-3)


def test_a_question_about_one_stop_is_as_sure_as_the_boxes_of_that_stop_make_it() -> None:
    """Nine hundred starts were counted in the south, so the interval is of that count's noise; not so at other stops."""
    fit = fit_paths([total_of(SPACE, 1000), leaf_tree(0, [900, 100])])
    everywhere = Region.everywhere(SPACE)
    south = (0, 3), (0, 6)
    started, ended, both = (
        fit.ask(region, 0.95)
        for region in (
            everywhere.rectangle("s0", *south),
            everywhere.rectangle("s1", *south),
            everywhere.rectangle("s0", *south).rectangle("s1", *south),
        )
    )
    assert started.low[0] < 900 < started.high[0]
    assert started.high[0] - started.low[0] < 50
    assert ended.high[0] - ended.low[0] > 900
    assert both.high[0] - both.low[0] > 700
    boxes = fit.answer(np.array([[0, 0, 0, 0], [0, 0, 0, 0]]), np.array([[3, 6, 6, 6], [3, 6, 3, 6]]), 0.95)
    assert boxes.low == pytest.approx([started.low[0], both.low[0]])
    scattered = np.zeros((6, 6), dtype=np.bool_)
    scattered[:3] = True
    scattered[0, 0] = False
    assert fit.ask(everywhere.cells("s1", scattered), 0.95).high[0] > 900


def test_a_stop_whose_own_boxes_disagree_is_less_sure() -> None:
    """Ninety were counted where the total and the shares say nine hundred: the interval reaches both."""
    fit = fit_paths([total_of(SPACE, 1000), leaf_tree(0, [90, 10])])
    answer = fit.ask(Region.everywhere(SPACE).rectangle("s0", (0, 3), (0, 6)), 0.95)
    assert answer.estimate[0] == pytest.approx(900, rel=0.01)
    assert answer.low[0] < 90


def test_densities_of_nothing_change_nothing() -> None:
    """A stop whose boxes are all empty is spread evenly."""
    fit = fit_paths([total_of(SPACE, 1000), leaf_tree(0, [-5, -3])])
    assert fit.ask(Region.everywhere(SPACE).rectangle("s0", (0, 2), (0, 6)), 0.9).estimate == pytest.approx(
        [1000 / 3]
    )


def sure_cells(total: int) -> tuple[NoisyCells, NoisyBoxes]:
    """Cells far above anything that noise reaches, and a total."""
    cells = cells_of(SPACE, 4)
    return replace(cells, noisy=cells.noisy + 200), total_of(SPACE, total)


def test_cells_that_stand_out_are_answered_where_they_are() -> None:
    """What they leave of the total is in no answer, but in every interval: it may be anywhere."""
    cells, total = sure_cells(50_000)
    fit = fit_paths([cells, total])
    assert len(fit.boxes) == len(cells.noisy)
    np.testing.assert_allclose(np.sort(fit.boxes.estimate), np.sort(cells.noisy), rtol=1e-4)
    low = cells.cells[:3].astype(np.int64)
    answer = fit.answer(low, low + 1, 0.95)
    np.testing.assert_allclose(answer.estimate, cells.noisy[:3], rtol=1e-4)
    half = fit.answer(np.array([[0, 0, 0, 0]]), np.array([[3, 6, 6, 6]]), 0.95)
    assert half.high[0] - half.low[0] > 0.8 * (50_000 - cells.noisy.sum())


def test_everything_is_the_total_whatever_stood_out() -> None:
    """Within its noise."""
    cells, total = sure_cells(50_000)
    everything = fit_paths([cells, total]).ask(Region.everywhere(SPACE), 0.95)
    assert everything.estimate[0] == pytest.approx(50_000, abs=20)
    assert everything.high[0] - everything.low[0] < 40


def test_cells_no_higher_than_noise_would_be_are_not_believed() -> None:
    """How many empty cells reach a height is known; in a small space none reaches far above the threshold."""
    space = space_of(2, 1000)
    draw = np.random.default_rng(1)
    false = 40 + draw.geometric(1 - np.exp(-1 / 3), 500_000)
    listed = NoisyCells(
        name="cells",
        space=space,
        cells=draw.integers(0, 1000, (500_001, 4)).astype(np.int32),
        noisy=np.r_[false, 4_000],
        threshold=41,
        scale=Fraction(3),
    )
    trust = believed(listed)
    assert trust[-1] > 0.99
    assert trust[:-1].mean() < 0.01
    assert fit_paths([listed]).boxes.estimate.sum() < 0.01 * false.sum() + 4_000
