"""What answers have in common, whatever was measured."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from quietway.errors import UniverseError
from quietway.estimate.boxes import BoxSolution, fit_paths
from quietway.measurement import NoisyBoxes, NoisyCells, NoisyGrid
from quietway.universe import Frame, PathSpace, Region
from quietway.universe.path_workload import random_boxes
from tests.estimate.boxes.trees import laplace, random_tree, space_of

SEEDS = st.integers(0, 10**6)
KINDS = st.sampled_from(["tree", "thin tree", "grid", "cells alone", "densities"])
ALL_KINDS = st.sampled_from(["tree", "thin tree", "grid", "cells", "cells alone", "densities"])


def zones(seed: int) -> Frame:
    """Fifteen zones, some in the same cell of the rank rectangle as others."""
    draw = np.random.default_rng(seed)
    points = draw.integers(0, 4, (15, 2)) / 10 + [2.0, 48.0]
    return Frame.zones(tuple(f"z{i}" for i in range(15)), points)


def total_of(space: PathSpace, noisy: int) -> NoisyBoxes:
    """One box of everything."""
    return NoisyBoxes(
        name="total",
        space=space,
        stops=tuple(range(len(space.stops))),
        low=np.zeros((1, space.axes), dtype=np.int32),
        high=np.array([space.shape], dtype=np.int32),
        parent=np.array([-1]),
        node=np.array([0]),
        noisy=np.array([noisy]),
        drawn=np.array([0]),
        scales=(Fraction(3),),
    )


def grid_of(space: PathSpace, seed: int) -> NoisyGrid:
    """Uneven cuts."""
    draw = np.random.default_rng(seed)
    edges = tuple(
        np.r_[0, np.sort(draw.permutation(np.arange(1, side))[: draw.integers(0, min(side, 4))]), side]
        for side in space.shape
    )
    blocks = int(np.prod([len(cuts) - 1 for cuts in edges]))
    noisy = draw.poisson(draw.gamma(0.3, 30, blocks)) + laplace(Fraction(4), blocks, draw)
    return NoisyGrid(name="grid", space=space, edges=edges, noisy=noisy, scale=Fraction(4))


def cells_of(space: PathSpace, seed: int) -> NoisyCells:
    """Any cells, each listed once."""
    draw = np.random.default_rng(seed)
    cells = np.unique(draw.integers(0, space.shape, (draw.integers(0, 40), space.axes)), axis=0)
    noisy = draw.integers(8, 60, len(cells))
    return NoisyCells(
        name="cells",
        space=space,
        cells=cells.astype(np.int32),
        noisy=noisy,
        threshold=8,
        scale=Fraction(3),
    )


def measured(kind: str, space: PathSpace, seed: int) -> list[NoisyBoxes | NoisyGrid | NoisyCells]:
    """Something of each kind that mechanisms measure."""
    if kind in ("tree", "thin tree"):
        return [random_tree(space, seed, every_leaf=kind == "tree")]
    if kind == "grid":
        return [grid_of(space, seed), total_of(space, 500)]
    if kind.startswith("cells"):
        return [cells_of(space, seed), *([total_of(space, 900)] if kind == "cells" else [])]
    return [random_tree(space, seed), *(of_stop(space, stop, seed) for stop in range(len(space.stops)))]


def of_stop(space: PathSpace, stop: int, seed: int) -> NoisyBoxes:
    """A tree of one of several stops."""
    alone = PathSpace(stops=("alone",), frames=(space.frames[stop],))
    tree = random_tree(alone, seed + stop)
    return NoisyBoxes(**{**vars(tree), "space": space, "stops": (stop,)})


def spaces(kind: str, seed: int) -> PathSpace:
    """Two stops: squares, or a square and zones."""
    if seed % 2:
        return PathSpace(stops=("a", "b"), frames=(Frame(rows=6, columns=5), zones(seed)))
    return space_of(2, 6)


def solved(kind: str, seed: int) -> tuple[PathSpace, BoxSolution]:
    """A space of paths and a fit."""
    space = spaces(kind, seed)
    return space, fit_paths(measured(kind, space, seed))


@given(KINDS, SEEDS)
def test_disjoint_questions_add_up(kind: str, seed: int) -> None:
    """A box cut in two, along any axis, holds what its halves hold."""
    space, fit = solved(kind, seed)
    low, high = random_boxes(space, 20, seed=seed)
    axis = seed % space.axes
    middle = (low[:, axis] + high[:, axis]) // 2
    wide = middle > low[:, axis]
    low, high, middle = low[wide], high[wide], middle[wide]
    left, right = high.copy(), low.copy()
    left[:, axis] = right[:, axis] = middle
    whole, one, two = (fit.answer(a, b, 0.95).estimate for a, b in ((low, high), (low, left), (right, high)))
    np.testing.assert_allclose(one + two, whole, rtol=1e-6, atol=1e-5)


@given(KINDS, SEEDS)
def test_everything_is_the_sum_of_the_published_boxes(kind: str, seed: int) -> None:
    """And the published integers add up to it, rounded."""
    space, fit = solved(kind, seed)
    everything = fit.ask(Region.everywhere(space), 0.95)
    assert everything.estimate == pytest.approx([fit.boxes.estimate.sum()], abs=1e-6)
    assert fit.boxes.count.sum() == np.rint(everything.estimate[0])
    assert fit.boxes.count.min(initial=0) >= 0


@given(ALL_KINDS, SEEDS)
def test_a_region_of_rectangles_is_a_box(kind: str, seed: int) -> None:
    """Asked either way, it has one answer and one interval."""
    space, fit = solved(kind, seed)
    low, high = random_boxes(space, 5, seed=seed)
    answers = fit.answer(low, high, 0.9)
    for i in range(len(low)):
        asked = fit.ask(Region.box(space, low[i].tolist(), high[i].tolist()), 0.9)
        for name in ("estimate", "deviation", "low", "high"):
            assert getattr(asked, name)[0] == pytest.approx(getattr(answers, name)[i], rel=1e-9, abs=1e-9)


@given(KINDS, SEEDS)
def test_a_set_of_cells_is_the_sum_of_its_cells(kind: str, seed: int) -> None:
    """However they lie, at one stop or at several."""
    space, fit = solved(kind, seed)
    draw = np.random.default_rng(seed)
    masks = [draw.random(frame.shape) < 0.4 for frame in space.frames]
    for mask, frame in zip(masks, space.frames, strict=True):
        mask |= (np.ones(frame.shape) if frame.weight is None else frame.weight) * mask.sum() == 0
    region = Region.everywhere(space)
    for stop, mask, frame in zip(space.stops, masks, space.frames, strict=True):
        if (mask if frame.weight is None else mask * frame.weight).any():
            region = region.cells(stop, mask)
    cells = single_cells(region)
    answer = fit.ask(region, 0.95)
    assert answer.estimate[0] == pytest.approx(
        fit.answer(cells, cells + 1, 0.95).estimate.sum(), rel=1e-5, abs=1e-4
    )
    assert answer.low[0] <= answer.estimate[0] <= answer.high[0]


def single_cells(region: Region) -> NDArray[np.int64]:
    """Every cell of the space in a region."""
    one, two = (np.argwhere(area.chosen > 0) for area in region.areas)
    return np.column_stack([np.repeat(one, len(two), axis=0), np.tile(two, (len(one), 1))])


@given(KINDS, SEEDS, st.sampled_from([0, 1]), st.booleans())
def test_a_map_shows_the_answers_of_its_squares(kind: str, seed: int, stop: int, masked: bool) -> None:
    """Each square of the map of one stop is the answer to the region cut to that square."""
    space, fit = solved(kind, seed)
    region = Region.everywhere(space)
    other, name = space.stops[1 - stop], space.stops[stop]
    frame = space.frames[1 - stop]
    if masked:
        region = region.cells(other, np.arange(frame.rows * frame.columns).reshape(frame.shape) % 3 < 2)
    else:
        region = region.rectangle(other, (0, (frame.rows + 1) // 2), (0, frame.columns))
    rows, columns = space.frames[stop].shape
    shape = (min(3, rows), min(2, columns))
    found = fit.map(name, region, shape)
    assert found.shape == shape
    for row in range(shape[0]):
        for column in range(shape[1]):
            part = region.rectangle(
                name,
                (row * rows // shape[0], (row + 1) * rows // shape[0]),
                (column * columns // shape[1], (column + 1) * columns // shape[1]),
            )
            assert found[row, column] == pytest.approx(fit.ask(part, 0.95).estimate[0], rel=1e-6, abs=1e-4)


@given(KINDS, SEEDS)
def test_a_map_keeps_to_its_region(kind: str, seed: int) -> None:
    """Where the stop itself is restricted, the rest of the map is empty; nowhere is there less than nothing."""
    space, fit = solved(kind, seed)
    frame = space.frames[0]
    mask = np.arange(frame.rows * frame.columns).reshape(frame.shape) % 2 == 0
    region = Region.everywhere(space).cells("a" if "a" in space.stops else "s0", mask)
    found = fit.map(space.stops[0], region, frame.shape)
    assert (found[~mask] == 0).all() and (found >= 0).all()
    assert found.sum() == pytest.approx(fit.ask(region, 0.95).estimate[0], rel=1e-6, abs=1e-4)


@given(ALL_KINDS, SEEDS)
def test_wider_confidence_means_wider_intervals(kind: str, seed: int) -> None:
    """And all of them hold the estimate and nothing below zero."""
    space, fit = solved(kind, seed)
    low, high = random_boxes(space, 10, seed=seed)
    some, most = (fit.answer(low, high, confidence) for confidence in (0.5, 0.99))
    assert (most.low >= 0).all()
    assert (most.low <= some.low).all()
    assert (some.low <= some.estimate).all()
    assert (some.estimate <= some.high).all()
    assert (some.high <= most.high).all()


@pytest.mark.parametrize(
    ("low", "high", "complaint"),
    [
        ([[0, 0, 0]], [[1, 1, 1]], "4 lower and 4 upper"),
        ([[0, 0, 0, 0]], [[1, 1, 1, 7]], "columns 0..7 of stop 's1'"),
        ([[2, 0, 0, 0]], [[1, 1, 1, 1]], "rows 2..1 of stop 's0'"),
        ([[-1, 0, 0, 0]], [[1, 1, 1, 1]], "rows -1..1"),
        ([[0.5, 0, 0, 0]], [[1.0, 1, 1, 1]], "integers"),
    ],
)
def test_queries_that_do_not_fit_are_refused(
    low: list[list[float]], high: list[list[float]], complaint: str
) -> None:
    """With the query, the stop and what it may ask."""
    fit = fit_paths([random_tree(space_of(2, 6), 1)])
    with pytest.raises(UniverseError, match=complaint):
        fit.answer(np.array(low), np.array(high), 0.95)


def test_regions_and_maps_of_other_paths_are_refused() -> None:
    """A region carries the space it was made for; a map cannot be finer than the stop."""
    space = space_of(2, 6)
    fit = fit_paths([random_tree(space, 1)])
    with pytest.raises(UniverseError, match="other paths"):
        fit.ask(Region.everywhere(space_of(2, 7)), 0.95)
    with pytest.raises(UniverseError, match="does not fit stop 's0'"):
        fit.map("s0", Region.everywhere(space), (7, 1))
    with pytest.raises(UniverseError, match="no stop 'lunch'"):
        fit.map("lunch", Region.everywhere(space), (2, 2))


@pytest.mark.parametrize("masked", [True, False])
def test_a_few_cells_of_a_huge_space_are_found(masked: bool) -> None:
    """However small a part of everything they are."""
    space = space_of(2, 1000)
    cells = np.array([[500, 500, 7, 9], [1, 2, 3, 4]], dtype=np.int32)
    listed = NoisyCells(
        name="cells",
        space=space,
        cells=cells,
        noisy=np.array([700, 500]),
        threshold=40,
        scale=Fraction(3),
    )
    region = Region.box(space, cells[0].tolist(), (cells[0] + 1).tolist())
    if masked:
        for stop, (row, column) in zip(space.stops, cells[0].reshape(2, 2).tolist(), strict=True):
            mask = np.zeros((1000, 1000), dtype=np.bool_)
            mask[[row, 900], [column, 901]] = True
            region = region.cells(stop, mask)
    assert fit_paths([listed]).ask(region, 0.95).estimate == pytest.approx([700.0])
    asked = fit_paths([total_of(space, 10**12)]).ask(region, 0.95).estimate
    assert asked == pytest.approx([4.0 if masked else 1.0], rel=1e-6)
