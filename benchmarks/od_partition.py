"""How fast paths are partitioned: beside numpy.histogramdd, and as points and dimensions grow.

Times are of the noisy counts alone, with secure noise; fits are in the table of times. `default` is daf where it is there,
else DAF-Entropy, and its growth is drawn in benchmarks/out/od_growth.svg. Memory is the growth of a fresh process's peak,
once everything is compiled.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from cbdp_growth import drawn
from quietway.cli.screen import table
from quietway.counts import Paths
from quietway.estimate.boxes import fit_paths
from quietway.mechanisms.od.registry import PATH_METHODS, PathRequest
from quietway.noise import secure
from quietway.reproduce.od.generators import gaussian, square
from quietway.reproduce.od.methods import DEFAULT
from quietway.reproduce.od.paper import TABLE_3
from quietway.reproduce.od.settings import Settings
from quietway.reproduce.od.times import times
from quietway.universe import PrivacyUnit
from timing import Timed, best, min_of, once

EPSILON = Fraction(1, 10)
SIDE = 1_000
SHARE = 0.1
"""The cloud's standard deviation, of the side."""
POINTS = 1_000_000
PATHS = 300_000
SIZES = (30_000, 100_000, 300_000, 1_000_000, 3_000_000)
DIMENSIONS = (2, 4, 6, 8)
REPEATS = 5
SMALL = 1_000
OUT = Path(__file__).resolve().parent / "out" / "od_growth.svg"

Row = dict[str, float | str]


def run() -> tuple[dict[str, float], dict[str, object]]:
    """Print a table for each; return the ratio to numpy.histogramdd, and the exponent in points."""
    beside = beside_histogramdd()
    tables: dict[str, list[Row]] = {
        "growth in points": in_points(),
        "growth in dimensions": in_dimensions(),
        "a fresh process, 6-D, 1000 wide": [
            in_a_process(m, size) for m in tried() for size in (PATHS, 10 * PATHS)
        ],
        "identity, 1000^4 cells": [timed_row("identity", cloud(4, PATHS))],
        "table 3": table_3(),
    }
    print("\nbeside numpy.histogramdd, 1,000,000 points, 1000 x 1000\n" + _shown(beside))
    for name, rows in tables.items():
        print(f"\n{name}\n{_shown(rows)}")
    default = tried()[0]
    _draw({name: tables[name] for name in ("growth in points", "growth in dimensions")}, default)
    ratios = {"daf_vs_histogramdd": float(next(row for row in beside if row["method"] == default)["ratio"])}
    growth = [row for row in tables["growth in points"] if row["method"] == default]
    size, seconds = (np.log([float(row[key]) for row in growth]) for key in ("points", "processor"))
    ratios["daf_growth_exponent"] = float(np.polyfit(size, seconds, 1)[0])
    return ratios, {"beside numpy.histogramdd": beside, **tables}


def _draw(tables: dict[str, list[Row]], method: str) -> None:
    """The default's growth, on logarithmic axes."""
    kept = {
        name: [
            {name.split()[-1]: float(row[name.split()[-1]]), "processor_seconds": float(row["processor"])}
            for row in rows
            if row["method"] == method
        ]
        for name, rows in tables.items()
    }
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(drawn(kept, of=method))
    print(f"\ndrawn in {OUT.relative_to(OUT.parent.parent.parent)}")


def tried() -> list[str]:
    """The default, and the paper's best."""
    return [method for method in (DEFAULT, "daf-entropy", "daf-homogeneity") if method in PATH_METHODS]


def cloud(dimensions: int, points: int) -> Paths:
    """Points around a centre, on axes a thousand wide."""
    return gaussian(dimensions, (SHARE * SIDE) ** 2, seed=1, points=points, side=SIDE)


def measuring(method: str, paths: Paths) -> Callable[[], object]:
    """Its noisy counts."""
    mechanism = PATH_METHODS[method](PathRequest(space=paths.space, unit=paths.unit, epsilon=EPSILON))
    rng = secure()
    return lambda: mechanism.measure(paths, rng=rng)


def beside_histogramdd() -> list[Row]:
    """In turns, so that a busy machine is busy for both."""
    paths = cloud(2, POINTS)
    edges = [np.arange(side + 1) for side in paths.space.shape]
    works = {"numpy.histogramdd": lambda: np.histogramdd(paths.points, bins=edges)} | {
        method: measuring(method, paths) for method in tried()
    }
    for work in works.values():
        work()
    rounds = [{name: once(work) for name, work in works.items()} for _ in range(REPEATS)]
    found = {name: min_of([one[name] for one in rounds]) for name in works}
    theirs = found["numpy.histogramdd"]
    return [
        {
            "method": name,
            "wall": mine.wall,
            "processor": mine.processor,
            "ratio": max(mine.wall / theirs.wall, mine.processor / theirs.processor),
        }
        for name, mine in found.items()
    ]


def in_points() -> list[Row]:
    """On a 1000 x 1000 grid."""
    return [timed_row(method, cloud(2, size)) for method in tried() for size in SIZES]


def in_dimensions() -> list[Row]:
    """300,000 paths on axes a thousand wide."""
    return [timed_row(method, cloud(d, PATHS)) for method in tried() for d in DIMENSIONS]


def timed_row(method: str, paths: Paths) -> Row:
    """The best of three runs, after one that compiles; and how long the fit takes."""
    work = measuring(method, paths)
    work()
    run: Timed[object] = best(work, 3)
    noisy = run.result
    fit_paths(noisy)
    return {
        "method": method,
        "dimensions": paths.space.dimensions,
        "points": len(paths.points),
        "wall": run.wall,
        "processor": run.processor,
        "fit": once(lambda: fit_paths(noisy)).wall,
        "kept": _size(noisy),
    }


def _size(noisy: object) -> int:
    """How many noisy counts there are, in all measurements together."""
    return sum(one.noisy.size for one in noisy)  # type: ignore[attr-defined]


def in_a_process(method: str, size: int) -> Row:
    """Seconds and memory of a fresh process, which reads the points from a file."""
    with tempfile.TemporaryDirectory() as folder, get_context("spawn").Pool(1) as pool:
        for name, points in (("few", SMALL), ("many", size)):
            np.save(Path(folder) / f"{name}.npy", cloud(6, points).points)
        return pool.apply(_measured_alone, (method, folder))


def _measured_alone(method: str, folder: str) -> Row:
    space = square(6, SIDE)
    measuring(method, Paths(space, np.load(Path(folder) / "few.npy"), PrivacyUnit()))()
    before = _peak()
    many = Paths(space, np.load(Path(folder) / "many.npy"), PrivacyUnit())
    run = once(measuring(method, many))
    return {
        "method": method,
        "points": len(many.points),
        "wall": run.wall,
        "points in MB": many.points.nbytes / 1e6,
        "peak above in MB": _peak() - before,
        "kept": _size(run.result),
    }


def _peak() -> float:
    """In MB, of this process alone: getrusage would tell of the one that started it too."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return float(status.partition("VmHWM:")[2].split()[0]) / 1e3


def table_3() -> list[Row]:
    """The paper's seconds at epsilon 0.1 in two dimensions, and ours, each beside DAF-Entropy's."""
    ours = {time.method: time.measuring for time in times(Settings(), on_step=lambda _: None)}
    printed = {name: sum(seconds) / len(seconds) for name, seconds in TABLE_3.items()}
    return [
        {
            "method": name,
            "seconds": seconds,
            "of DAF-Entropy": seconds / ours["DAF-Entropy"],
            "paper, seconds": f"{printed[name]:.2f}" if name in printed else "-",
            "paper, of DAF-Entropy": f"{printed[name] / printed['DAF-Entropy']:.1f}"
            if name in printed
            else "-",
        }
        for name, seconds in ours.items()
    ]


def _shown(rows: list[Row]) -> str:
    return table(list(rows[0]), [list(map(_cell, row.values())) for row in rows])


def _cell(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
