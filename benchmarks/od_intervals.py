"""How often 95 % intervals of answers about paths hold the truth, how wide they are, and how far answers are off.

Invented paths of three laws, in two and in four dimensions, and the real ones of the reproduction, where they are
(QUIETWAY_DATA), through every method for paths; random boxes of any shape, boxes with a tenth of every side, and boxes
of a quarter of the sides of the first stop, the others anywhere. "Held" is the share of boxes whose interval holds the truth, "least" the
least of the runs, "width" the mean width of the intervals over the number of paths, both in percent; "error" is the
mean relative error of the estimates.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from quietway.cli.screen import table
from quietway.counts import Paths
from quietway.estimate.boxes import fit_paths
from quietway.mechanisms.od.registry import PATH_METHODS, PathRequest, fits_of
from quietway.noise import seeded
from quietway.reproduce.od.datasets import load
from quietway.universe import Frame, PathSpace, PrivacyUnit
from quietway.universe.box_counts import counts_in_boxes
from quietway.universe.path_workload import boxes_of_side, mean_relative_error, random_boxes
from true_tables import data_folder

PATHS = 100_000
SIDES = {1: 1_000, 2: 100}
EPSILONS = (Fraction(1, 10), Fraction(1))
RUNS, QUICK_RUNS = 3, 1
QUERIES = 500
CONFIDENCE = 0.95

REAL = ("gowalla-2d", "sf-starts", "gowalla-4d", "taxis-4d", "gowalla-6d")

Ints = NDArray[np.int64]
Make = Callable[[int], Paths]


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
        f"{'paths':<16}{'method':<16}{'eps':>5}  {'boxes':<8}{'held':>7}{'least':>7}{'width':>8}{'error':>8}"
    )
    for name, make in cases().items():
        for method in PATH_METHODS:
            for epsilon in EPSILONS[:1] if quick else EPSILONS:
                found = _runs(make, method, epsilon, QUICK_RUNS if quick else runs)
                rows += [_printed(name, method, epsilon, boxes, held.row()) for boxes, held in found.items()]
    _summed_up(rows)
    held = [float(str(row["held"])) for row in rows]
    default = [float(str(row["held"])) for row in rows if row["method"] == "daf"]
    ratios = {"od_held": float(np.mean(held)), "od_least_held": min(held)}
    return ratios | {"daf_held": float(np.mean(default)), "daf_least_held": min(default)}, {"intervals": rows}


def cases() -> dict[str, Make]:
    """Paths by the number of a run; the real ones are always the same."""
    invented = {f"{law} {2 * stops}-D": partial(_invented, law, stops) for stops in SIDES for law in LAWS}
    return invented | {name: partial(_real, name) for name in REAL}


def _invented(law: str, stops: int, seed: int) -> Paths:
    frame = Frame(rows=SIDES[stops], columns=SIDES[stops])
    space = PathSpace(stops=tuple("abc"[:stops]), frames=(frame,) * stops)
    points = LAWS[law](space, PATHS, np.random.default_rng(seed)).astype(np.int32)
    return Paths(space, points, PrivacyUnit())


@cache
def _real(name: str, seed: int) -> Paths:
    return load(data_folder("gowalla_nyc").parent, name).paths


def _asked(space: PathSpace, seed: int) -> dict[str, tuple[Ints, Ints]]:
    """Boxes of every kind."""
    low, high = boxes_of_side(space, QUERIES, 0.25, seed=seed)
    low[:, 2:], high[:, 2:] = 0, space.shape[2:]
    asked = {
        "random": random_boxes(space, QUERIES, seed=seed),
        "10 %": boxes_of_side(space, QUERIES, 0.1, seed=seed),
    }
    return asked | ({"one stop": (low, high)} if len(space.stops) > 1 else {})


def _runs(make: Make, method: str, epsilon: Fraction, runs: int) -> dict[str, Held]:
    found = defaultdict[str, Held](Held)
    for seed in range(runs):
        paths = make(seed)
        mechanism = PATH_METHODS[method](PathRequest(space=paths.space, unit=paths.unit, epsilon=epsilon))
        fit = fit_paths(mechanism.measure(paths, rng=seeded(seed)), fits_of(method)[0])
        for boxes, (low, high) in _asked(paths.space, seed).items():
            truth, answer = counts_in_boxes(paths.points, low, high), fit.answer(low, high, CONFIDENCE)
            count = len(paths.points)
            found[boxes].held.append(float(((answer.low <= truth) & (truth <= answer.high)).mean()))
            found[boxes].width.append(float((answer.high - answer.low).mean()) / count)
            found[boxes].error.append(mean_relative_error(truth, answer.estimate, count))
    return found


def _printed(
    paths: str, method: str, epsilon: Fraction, boxes: str, row: dict[str, float]
) -> dict[str, object]:
    print(
        f"{paths:<16}{method:<16}{float(epsilon):>5g}  {boxes:<8}{row['held']:>7.1f}{row['least']:>7.1f}"
        f"{row['width']:>8.2f}{row['error']:>8.1f}",
        flush=True,
    )
    return {"paths": paths, "method": method, "epsilon": float(epsilon), "boxes": boxes, **row}


def _summed_up(rows: list[dict[str, object]]) -> None:
    """What each method held over all paths of a kind, the least of it, and the mean width."""
    kinds = {"2-D": "invented, 2-D", "4-D": "invented, 4-D"}
    found = defaultdict[tuple[str, str], list[dict[str, object]]](list)
    for row in rows:
        found[str(row["method"]), kinds.get(str(row["paths"])[-3:], "real")].append(row)
    lines = [
        (method, kind, *(f"{how([float(str(row[key])) for row in some]):.1f}" for how, key in SUMMARY))
        for (method, kind), some in found.items()
    ]
    print("\n" + table(("method", "paths", "held", "least", "width"), sorted(lines)))


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


SUMMARY = ((np.mean, "held"), (min, "held"), (np.mean, "width"))
LAWS = {"gaussian": _gaussian, "zipf": _zipf, "clustered": _clustered}
