"""How often 95 % intervals of answers about paths hold the truth, how wide they are, and how far answers are off.

Invented paths of three laws, in two and in four dimensions, through every method for paths; random boxes of any
shape, and boxes with a tenth of every side. "Held" is the share of boxes whose interval holds the truth, "least" the
least of the runs, "width" the mean width of the intervals over the number of paths, both in percent; "error" is the
mean relative error of the estimates.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quietway.counts import Paths
from quietway.estimate.boxes import fit_paths
from quietway.mechanisms.od.registry import PATH_METHODS, PathRequest, fits_of
from quietway.noise import seeded
from quietway.universe import Frame, PathSpace, PrivacyUnit
from quietway.universe.box_counts import counts_in_boxes
from quietway.universe.path_workload import boxes_of_side, mean_relative_error, random_boxes

PATHS = 100_000
SIDES = {1: 1_000, 2: 100}
EPSILONS = (Fraction(1, 10), Fraction(1))
RUNS, QUICK_RUNS = 3, 1
QUERIES = 500
CONFIDENCE = 0.95

Ints = NDArray[np.int64]


@dataclass
class Held:
    """What came of some runs."""

    held: list[float] = field(default_factory=list)
    width: list[float] = field(default_factory=list)
    error: list[float] = field(default_factory=list)

    def row(self) -> dict[str, float]:
        """In percent."""
        return {
            "held": 100 * float(np.mean(self.held)),
            "least": 100 * min(self.held),
            "width": 100 * float(np.mean(self.width)),
            "error": float(np.mean(self.error)),
        }


def run(runs: int = RUNS, quick: bool = False) -> tuple[dict[str, float], dict[str, object]]:
    """Print the table; return the mean and the least of what was held."""
    rows = list[dict[str, object]]()
    print(
        f"{'method':<16}{'axes':>5}  {'paths':<10}{'eps':>5}  {'boxes':<8}{'held':>7}{'least':>7}{'width':>8}{'error':>8}"
    )
    for method in PATH_METHODS:
        for stops in SIDES:
            for law in LAWS:
                for epsilon in EPSILONS[:1] if quick else EPSILONS:
                    for boxes, held in _runs(
                        method, stops, law, epsilon, QUICK_RUNS if quick else runs
                    ).items():
                        rows.append(_printed(method, stops, law, epsilon, boxes, held.row()))
    held = [float(str(row["held"])) for row in rows]
    return {"od_held": float(np.mean(held)), "od_least_held": min(held)}, {"intervals": rows}


def _runs(method: str, stops: int, law: str, epsilon: Fraction, runs: int) -> dict[str, Held]:
    found = {"random": Held(), "10 %": Held()}
    frame = Frame(rows=SIDES[stops], columns=SIDES[stops])
    space = PathSpace(stops=tuple("abc"[:stops]), frames=(frame,) * stops)
    for seed in range(runs):
        draw = np.random.default_rng(seed)
        paths = Paths(space, LAWS[law](space, PATHS, draw).astype(np.int32), PrivacyUnit())
        mechanism = PATH_METHODS[method](PathRequest(space=space, unit=paths.unit, epsilon=epsilon))
        fit = fit_paths(mechanism.measure(paths, rng=seeded(seed)), fits_of(method)[0])
        asked = random_boxes(space, QUERIES, seed=seed), boxes_of_side(space, QUERIES, 0.1, seed=seed)
        for held, (low, high) in zip(found.values(), asked, strict=True):
            truth, answer = counts_in_boxes(paths.points, low, high), fit.answer(low, high, CONFIDENCE)
            held.held.append(float(((answer.low <= truth) & (truth <= answer.high)).mean()))
            held.width.append(float((answer.high - answer.low).mean()) / PATHS)
            held.error.append(mean_relative_error(truth, answer.estimate, PATHS))
    return found


def _printed(
    method: str, stops: int, law: str, epsilon: Fraction, boxes: str, row: dict[str, float]
) -> dict[str, object]:
    print(
        f"{method:<16}{2 * stops:>5}  {law:<10}{float(epsilon):>5g}  {boxes:<8}{row['held']:>7.1f}{row['least']:>7.1f}"
        f"{row['width']:>8.2f}{row['error']:>8.1f}",
        flush=True,
    )
    return {
        "method": method,
        "axes": 2 * stops,
        "paths": law,
        "epsilon": float(epsilon),
        "boxes": boxes,
        **row,
    }


def _gaussian(space: PathSpace, count: int, draw: np.random.Generator) -> Ints:
    shape = np.array(space.shape)
    return _inside(
        draw.normal(draw.uniform(0.2, 0.8, len(shape)) * shape, 0.1 * shape, (count, len(shape))), shape
    )


def _zipf(space: PathSpace, count: int, draw: np.random.Generator) -> Ints:
    shape = np.array(space.shape)
    return _inside(draw.zipf(1.5, (count, len(shape))).clip(max=10**6) - 1.0, shape)


def _clustered(space: PathSpace, count: int, draw: np.random.Generator) -> Ints:
    shape = np.array(space.shape)
    centres, width = draw.uniform(0, 1, (60, len(shape))) * shape, 0.001 * 60 ** draw.uniform(0, 1, 60)
    which = draw.choice(60, count, p=draw.dirichlet(np.full(60, 0.5)))
    return _inside(draw.normal(centres[which], width[which, None] * shape), shape)


def _inside(points: NDArray[np.float64], shape: Ints) -> Ints:
    return np.clip(np.floor(points).astype(np.int64), 0, shape - 1)


LAWS = {"gaussian": _gaussian, "zipf": _zipf, "clustered": _clustered}
