"""Two choices of the fit of paths, by the mean relative error of random boxes: how a grid's blocks are kept from being
negative, and whether what listed cells leave of the total is spread evenly.

Invented paths with numpy's noise, one run each.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import exp

import numpy as np
from numpy.typing import NDArray

from od_intervals import LAWS, PATHS, SIDES
from quietway.estimate.boxes import fit_paths
from quietway.estimate.boxes.fitted_cells import FittedCells
from quietway.estimate.boxes.fitted_grid import FittedGrid
from quietway.estimate.nonnegative import shares
from quietway.measurement import NoisyBoxes, NoisyCells, NoisyGrid
from quietway.universe import Frame, PathSpace
from quietway.universe.box_counts import counts_in_boxes
from quietway.universe.path_workload import mean_relative_error, random_boxes

QUERIES = 1_000
BLOCKS = {1: 100, 2: 8}
SCALES = (Fraction(10), Fraction(1))
FALSE = 0.1

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Row = dict[str, object]


def run() -> tuple[dict[str, float], dict[str, object]]:
    """Print both tables; return our error over that of plain noisy blocks, and of a rest spread evenly (geometric means)."""
    tables: dict[str, object] = {}
    ratios: dict[str, float] = {}
    for name, choices in (("a grid's blocks", grid_choices), ("listed cells", cell_choices)):
        print(f"\n{name}: mean relative error, percent")
        rows = list[Row]()
        for stops in SIDES:
            frame = Frame(rows=SIDES[stops], columns=SIDES[stops])
            space = PathSpace(stops=tuple("abc"[:stops]), frames=(frame,) * stops)
            for law, make in LAWS.items():
                for scale in SCALES:
                    draw = np.random.default_rng(1)
                    found = choices(space, make(space, PATHS, draw), scale, draw)
                    rows.append(_printed({"axes": space.axes, "paths": law, "eps": float(1 / scale)}, found))
        tables[name] = rows
        other = "noisy" if choices is grid_choices else "spread"
        times = [float(str(row["ours"])) / float(str(row[other])) for row in rows]
        ratios[f"od_ours_vs_{other}"] = float(np.exp(np.mean(np.log(times))))
    return ratios, tables


def grid_choices(
    space: PathSpace, points: Ints, scale: Fraction, draw: np.random.Generator
) -> dict[str, float]:
    """Blocks as noisy as they came; clipped; clipped and scaled to the total; the nearest with that total; ours."""
    parts = BLOCKS[len(space.stops)]
    edges, shape = np.arange(parts + 1) * space.shape[0] // parts, (parts,) * space.axes
    block = np.searchsorted(edges, points, side="right") - 1
    true = np.bincount(np.ravel_multi_index(tuple(block.T), shape), minlength=parts**space.axes)
    noisy = true + _noise(scale, len(true), draw)
    grid = NoisyGrid(name="grid", space=space, edges=(edges,) * space.axes, noisy=noisy, scale=scale)
    fit = fit_paths([grid])
    assert isinstance(fit, FittedGrid)
    clipped, total = np.maximum(noisy, 0.0), np.array([max(0.0, noisy.sum())])
    ways = {
        "noisy": noisy.astype(np.float64),
        "clipped": clipped,
        "scaled": clipped * total / clipped.sum(),
        "nearest": shares(noisy.astype(np.float64), np.zeros(len(noisy), dtype=np.int64), total),
    }
    leaf = fit.fit.tree.leaf
    place = np.ravel_multi_index(tuple(np.searchsorted(edges, fit.fit.tree.low[leaf]).T), shape)
    fits = {way: _with_values(fit, blocks[place]) for way, blocks in ways.items()} | {"ours": fit}
    low, high = random_boxes(space, QUERIES, seed=1)
    truth = counts_in_boxes(points, low, high)
    return {
        way: mean_relative_error(truth, fitted.pieces(low, high)[:, 0], PATHS) for way, fitted in fits.items()
    }


def _with_values(fit: FittedGrid, blocks: Floats) -> FittedGrid:
    value = fit.fit.value.copy()
    value[fit.fit.tree.leaf] = blocks
    return replace(fit, fit=replace(fit.fit, value=value))


def cell_choices(
    space: PathSpace, points: Ints, scale: Fraction, draw: np.random.Generator
) -> dict[str, float]:
    """Listed cells with the rest spread evenly, and without it (ours)."""
    cells, true = np.unique(points, axis=0, return_counts=True)
    ratio, empty = exp(-1 / float(scale)), space.size - len(cells)
    threshold = max(1, round(float(scale) * np.log(empty / (1 + ratio) / (FALSE * PATHS))))
    noisy = true + _noise(scale, len(true), draw)
    false = draw.binomial(empty, ratio**threshold / (1 + ratio))
    places = draw.integers(0, space.shape, (false, space.axes))
    kept = noisy >= threshold
    listed = NoisyCells(
        name="cells",
        space=space,
        cells=np.vstack([cells[kept], places]).astype(np.int32),
        noisy=np.r_[noisy[kept], threshold + draw.geometric(1 - ratio, false) - 1],
        threshold=threshold,
        scale=scale,
    )
    fit = fit_paths([_total(space, scale), listed])
    assert isinstance(fit, FittedCells)
    low, high = random_boxes(space, QUERIES, seed=1)
    truth = counts_in_boxes(points, low, high)
    answers = {"spread": fit.pieces(low, high)[:, 0], "ours": fit.answer(low, high, 0.95).estimate}
    return {way: mean_relative_error(truth, answer, PATHS) for way, answer in answers.items()}


def _total(space: PathSpace, scale: Fraction) -> NoisyBoxes:
    return NoisyBoxes(
        name="total",
        space=space,
        stops=tuple(range(len(space.stops))),
        low=np.zeros((1, space.axes), dtype=np.int32),
        high=np.array([space.shape], dtype=np.int32),
        parent=np.array([-1]),
        node=np.array([0]),
        noisy=np.array([PATHS]),
        drawn=np.array([0]),
        scales=(9 * scale,),
    )


def _noise(scale: Fraction, size: int, draw: np.random.Generator) -> Ints:
    p = 1 - exp(-1 / float(scale))
    return draw.geometric(p, size) - draw.geometric(p, size)


def _printed(case: Row, found: dict[str, float]) -> Row:
    name = f"{case['axes']} axes, {case['paths']}, eps {case['eps']:g}"
    print(f"{name:<28}" + "".join(f"{way:>10}{error:>9.1f}" for way, error in found.items()), flush=True)
    return {**case, **found}
