"""Thousands of questions to 10^5 boxes, beside an evaluation of every box for every question by numpy.

The tree halves invented clusters at their medians, along the longest side of each box; the grid is even. Ours gives intervals too.
"""

from __future__ import annotations

from fractions import Fraction
from time import perf_counter, process_time

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.boxes import BoxSolution, BoxTable, fit_paths
from quietway.measurement import NoisyBoxes, NoisyGrid
from quietway.universe import Frame, PathSpace
from quietway.universe.path_workload import boxes_of_side, random_boxes
from timing import Timed, best

BOXES = 100_000
POINTS = 400_000
SIDE = 1_000
QUERIES = 4_000
BY_NUMPY = 20
REPEATS = 5
SCALE = Fraction(5)

Ints = NDArray[np.int64]
Ends = tuple[Ints, Ints]


def run() -> tuple[dict[str, float], dict[str, object]]:
    """Print a row per kind of boxes and of questions; return how many times faster we are on random ones, at least."""
    print(f"{QUERIES:,} questions; numpy's time is that of {BY_NUMPY} of them, times {QUERIES // BY_NUMPY}")
    print(
        f"{'boxes':<8}{'axes':>5}{'number':>9}  {'questions':<12}{'ours, ms':>10}{'numpy, ms':>11}{'times':>9}"
    )
    rows = list[dict[str, object]]()
    for stops in (1, 2):
        space = PathSpace(stops=tuple("abc"[:stops]), frames=(Frame(rows=SIDE, columns=SIDE),) * stops)
        questions = {
            "random": random_boxes(space, QUERIES, seed=1),
            "5 % of side": boxes_of_side(space, QUERIES, 0.05, seed=1),
        }
        for kind, measured in (("tree", _tree(space)), ("grid", _grid(space))):
            fit = fit_paths([measured])
            rows += [_row(kind, space, fit, name, ends) for name, ends in questions.items()]
    slowest = min(float(str(row["times"])) for row in rows if row["questions"] == "random")
    return {"query_vs_numpy": slowest}, {"questions to boxes": rows}


def _row(kind: str, space: PathSpace, fit: BoxSolution, name: str, ends: Ends) -> dict[str, object]:
    boxes = fit.boxes
    fit.answer(ends[0][:2], ends[1][:2], 0.95)
    ours = best(lambda: fit.answer(*ends, 0.95), REPEATS)
    theirs = _by_numpy(boxes, ends)
    if not np.allclose(theirs.result, ours.result.estimate[:BY_NUMPY], rtol=1e-6, atol=1e-3):
        raise AssertionError("numpy's answers differ from ours")
    times = ours.times_faster(theirs.wall, theirs.processor)
    print(
        f"{kind:<8}{space.axes:>5}{len(boxes):>9,}  {name:<12}{1e3 * ours.processor:>10.1f}"
        f"{1e3 * theirs.processor:>11,.0f}{times:>9,.0f}",
        flush=True,
    )
    return {
        "boxes": kind,
        "axes": space.axes,
        "number": len(boxes),
        "questions": name,
        "ours_seconds": ours.processor,
        "numpy_seconds": theirs.processor,
        "times": times,
    }


def _by_numpy(boxes: BoxTable, ends: Ends) -> Timed[NDArray[np.float64]]:
    """The part of every box that each question covers, times what it holds."""
    found, size = np.zeros(BY_NUMPY), (boxes.high - boxes.low).astype(np.float64)
    wall, processor = perf_counter(), process_time()
    for i in range(BY_NUMPY):
        covered = np.minimum(boxes.high, ends[1][i]) - np.maximum(boxes.low, ends[0][i])
        found[i] = (np.maximum(covered, 0) / size).prod(axis=1) @ boxes.estimate
    times = QUERIES // BY_NUMPY
    return Timed(
        result=found,
        wall=times * (perf_counter() - wall),
        processor=times * (process_time() - processor),
    )


def _grid(space: PathSpace) -> NoisyGrid:
    parts = round(BOXES ** (1 / space.axes))
    noisy = np.random.default_rng(1).poisson(4.0, parts**space.axes)
    edges = np.arange(parts + 1) * SIDE // parts
    return NoisyGrid(name="grid", space=space, edges=(edges,) * space.axes, noisy=noisy, scale=SCALE)


def _tree(space: PathSpace) -> NoisyBoxes:
    draw = np.random.default_rng(1)
    centres = draw.uniform(0.1, 0.9, (40, space.axes)) * SIDE
    points = draw.normal(centres[draw.integers(0, 40, POINTS)], 0.06 * SIDE)
    points = np.clip(points, 0, SIDE - 1).astype(np.int32)
    low, high = np.zeros((1, space.axes), np.int32), np.full((1, space.axes), SIDE, np.int32)
    lows, highs, parents, offset, inside = [low], [high], [np.array([-1])], 0, np.zeros(POINTS, np.int64)
    counts = [np.array([POINTS])]
    while len(low) < BOXES:
        split = np.flatnonzero((high - low).max(axis=1) > 1)
        number = np.full(len(low), -1)
        number[split] = np.arange(len(split))
        points, inside = points[number[inside] >= 0], number[inside[number[inside] >= 0]]
        parents.append(offset + np.repeat(split, 2))
        offset += len(low)
        low, high = low[split], high[split]
        node, axis = np.arange(len(low)), (high - low).argmax(axis=1)
        index = points[np.arange(len(points)), axis[inside]]
        cut = _medians(index, inside, low[node, axis], high[node, axis])
        left, right = high.copy(), low.copy()
        left[node, axis] = right[node, axis] = cut
        inside = 2 * inside + (index >= cut[inside])
        low = np.stack([low, right], axis=1).reshape(-1, space.axes)
        high = np.stack([left, high], axis=1).reshape(-1, space.axes)
        lows.append(low)
        highs.append(high)
        counts.append(np.bincount(inside, minlength=len(low)))
    nodes = offset + len(low)
    noise = np.rint(draw.laplace(0, float(SCALE), nodes)).astype(np.int64)
    return NoisyBoxes(
        name="tree",
        space=space,
        stops=tuple(range(len(space.stops))),
        low=np.concatenate(lows),
        high=np.concatenate(highs),
        parent=np.concatenate(parents).astype(np.int64),
        node=np.arange(nodes),
        noisy=np.concatenate(counts) + noise,
        drawn=np.zeros(nodes, dtype=np.int64),
        scales=(SCALE,),
    )


def _medians(
    index: NDArray[np.int32], box: Ints, low: NDArray[np.int32], high: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Where to cut each box: at the median of its points, or in the middle if it has none or that leaves a part empty."""
    order = np.lexsort((index, box))
    size = np.bincount(box, minlength=len(low))
    start = np.r_[0, np.cumsum(size)[:-1]]
    median = index[order[np.minimum(start + size // 2, len(index) - 1)]]
    usable = (size > 0) & (median > low) & (median < high)
    return np.where(usable, median, (low + high) // 2).astype(np.int32)
