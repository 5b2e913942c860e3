"""How unevenly paths lie in boxes is learnt from the boxes; intervals hold the truth as often as they say."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from quietway.estimate.boxes import fit_paths
from quietway.estimate.boxes.fitted import FittedBoxes
from quietway.universe import PathSpace
from quietway.universe.box_counts import counts_in_boxes
from quietway.universe.path_workload import boxes_of_side, random_boxes
from tests.estimate.boxes.trees import DATA, Points, quadtree, space_of

Make = Callable[[PathSpace, int, np.random.Generator], Points]


def fitted(make: Make, space: PathSpace, count: int, epsilon: float, seed: int) -> tuple[Points, FittedBoxes]:
    """Paths and the fit of a quadtree over them."""
    draw = np.random.default_rng(seed)
    points = make(space, count, draw)
    fit = fit_paths([quadtree(space, points, epsilon=epsilon, draw=draw, depth=7)])
    assert isinstance(fit, FittedBoxes)
    return points, fit


def evenly(space: PathSpace, count: int, draw: np.random.Generator) -> Points:
    """Every cell alike."""
    return draw.integers(0, space.shape, (count, space.axes))


def in_few_cells(space: PathSpace, count: int, draw: np.random.Generator) -> Points:
    """Forty cells hold everything."""
    cells = draw.integers(0, space.shape, (40, space.axes))
    return cells[draw.integers(0, 40, count)]


def test_even_paths_do_not_clump() -> None:
    """Each falls for itself, and intervals are as narrow as noise lets them be."""
    space = space_of(1, 256)
    points, fit = fitted(evenly, space, 200_000, 1.0, 1)
    assert fit.clumping.rho[fit.fit.tree.leaf].max() < 0.02
    low, high = random_boxes(space, 300, seed=2)
    answer = fit.answer(low, high, 0.95)
    assert (answer.high - answer.low).mean() < 0.05 * len(points)


def test_paths_in_few_cells_clump() -> None:
    """Where children hold all or nothing of their parent's paths, so may any part of a leaf."""
    _, fit = fitted(in_few_cells, space_of(1, 256), 200_000, 1.0, 1)
    leaf = fit.fit.tree.leaf
    heavy = fit.fit.value * leaf > 1000
    assert fit.clumping.rho[heavy].min() > 0.3


@pytest.mark.parametrize("stops", [1, 2])
@pytest.mark.parametrize("name", DATA)
def test_intervals_hold_the_truth_as_often_as_they_say(stops: int, name: str) -> None:
    """On a slope, in corners and in clusters, for any shape and size; averaged over noise."""
    space = space_of(stops, 1000 if stops == 1 else 100)
    held = list[float]()
    for seed in range(3):
        points, fit = fitted(DATA[name], space, 30_000, 0.5, seed)
        for low, high in (random_boxes(space, 300, seed=seed), boxes_of_side(space, 300, 0.2, seed=seed)):
            truth = counts_in_boxes(points, low, high)
            answer = fit.answer(low, high, 0.95)
            held.append(float(((answer.low <= truth) & (truth <= answer.high)).mean()))
    assert np.mean(held) >= 0.93
