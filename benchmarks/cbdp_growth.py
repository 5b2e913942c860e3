"""How the time of the constraint-based fit grows: in cells, in blocks and in features, all else the same.

Written to benchmarks/out/cbdp_growth.svg too, on logarithmic axes.
"""

from __future__ import annotations

from fractions import Fraction
from math import log10
from pathlib import Path

import numpy as np

from quietway.estimate.constraint import fitted
from quietway.estimate.weights import PUBLISHED
from quietway.noise import secure
from quietway.universe import Partition, each
from synthetic import banded, counts_in, equal_shares, features_of, trips, universe_of
from timing import best
from true_tables import Named

TRIPS = 40_000
EPSILON = Fraction(1, 10)
PERIODS = 48
SIDE = 130
SIDES = (16, 32, 64, 128, 256, 322)
GROUPS = (2, 4, 8, 16, 32)
CROSSINGS = (1, 2, 3, 4, 5)
REPEATS = 3
OUT = Path(__file__).resolve().parent / "out" / "cbdp_growth.svg"

Row = dict[str, float]


def run() -> tuple[dict[str, float], dict[str, object]]:
    """Print a table for each; return the exponent in cells."""
    tables = {
        "growth in cells": in_cells(),
        "growth in blocks": in_blocks(),
        "growth in features": in_features(),
    }
    for name, rows in tables.items():
        _print(name, rows)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(drawn(tables))
    print(f"\ndrawn in {OUT.relative_to(OUT.parent.parent.parent)}")
    size, seconds = (
        np.log([row[key] for row in tables["growth in cells"]]) for key in ("cells", "processor_seconds")
    )
    return {"fit_growth_exponent": float(np.polyfit(size, seconds, 1)[0])}, dict(tables)


def in_cells() -> list[Row]:
    """More places, 1 + 48 + 768 + 576 blocks."""
    return [_row(features_of(universe_of(side, PERIODS))) for side in SIDES]


def in_blocks() -> list[Row]:
    """Finer zones, 811,200 cells."""
    universe = universe_of(SIDE, PERIODS)
    period = each(universe, "period")
    return [
        _row(
            (
                ("total", Partition.total(universe)),
                ("period", Partition.by(universe, [period])),
                ("zones", Partition.by(universe, [*banded(universe, "zone", (groups, groups)), period])),
            )
        )
        for groups in GROUPS
    ]


def in_features() -> list[Row]:
    """More groupings of zone pairs by period, 576 blocks each, all of which cross, 811,200 cells."""
    universe = universe_of(SIDE, PERIODS)
    period = each(universe, "period")
    crossing = [
        (
            f"rings {turn}",
            Partition.by(universe, [*banded(universe, "ring", (3, 4), turns=1 + 2 * turn), period]),
        )
        for turn in range(max(CROSSINGS))
    ]
    return [_row((("total", Partition.total(universe)), *crossing[:number])) for number in CROSSINGS]


def _row(features: Named) -> Row:
    universe = features[0][1].universe
    counts, mechanism = counts_in(universe, trips(TRIPS)), equal_shares(features, EPSILON)
    measurements = mechanism.measure(counts, rng=secure())
    steps = fitted(measurements, PUBLISHED).steps
    timed = best(lambda: fitted(measurements, PUBLISHED), REPEATS)
    return {
        "cells": universe.size,
        "blocks": sum(partition.blocks for _, partition in features),
        "features": len(features),
        "steps": steps,
        "seconds": timed.wall,
        "processor_seconds": timed.processor,
    }


def _print(name: str, rows: list[Row]) -> None:
    print(f"\n{name}\n" + "".join(f"{heading.replace('_', ' '):>19}" for heading in rows[0]))
    for row in rows:
        print(
            "".join(f"{value:>19,.3f}" if type(value) is float else f"{value:>19,}" for value in row.values())
        )


def drawn(tables: dict[str, list[Row]], of: str = "a fit") -> str:
    """One panel beside the other: processor seconds over what grows."""
    panels = [
        _panel(
            f"{name}: processor seconds of {of}",
            [(row[name.split()[-1]], row["processor_seconds"]) for row in rows],
            20 + 300 * at,
        )
        for at, (name, rows) in enumerate(tables.items())
    ]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 920 260" font-family="sans-serif" font-size="11">'
        f"{''.join(panels)}</svg>\n"
    )


def _panel(title: str, points: list[tuple[float, float]], left: int) -> str:
    """Points joined by lines, each with its numbers, within 240 by 160 from (left, 40)."""
    across, up = (_scaled([point[axis] for point in points]) for axis in (0, 1))
    places = [(left + 20 + 220 * x, 210 - 150 * y) for x, y in zip(across, up, strict=True)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    marks = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>'
        f'<text x="{x:.1f}" y="{y - 8:.1f}" text-anchor="middle">{seconds:.2g} s</text>'
        f'<text x="{x:.1f}" y="230" text-anchor="middle">{size:.3g}</text>'
        for (x, y), (size, seconds) in zip(places, points, strict=True)
    )
    return (
        f'<text x="{left}" y="20" font-weight="bold">{title}</text>'
        f'<polyline points="{line}" fill="none" stroke="black"/>{marks}'
    )


def _scaled(values: list[float]) -> list[float]:
    """Logarithms between 0 and 1."""
    logs = [log10(value) for value in values]
    low, high = min(logs), max(logs)
    return [(value - low) / (high - low or 1.0) for value in logs]
