"""How often 95 % intervals of the fit with a prior hold the truth, and how wide they are, on tables whose truth is known.

For each true table and epsilon, all blocks of every margin, and random ranges
of zones by periods as in `peers_cbdp.py`. "Held" is the share of blocks whose
interval holds the truth; "half-width" is half of the median interval, and
"error" the root mean square of estimate minus truth, both in trips; all are
means of several runs. (This file is not called coverage.py, which would hide
the package that numba looks for.)
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from zlib import crc32

import numpy as np

from ours import solved
from peers_cbdp import available
from quietway.estimate.solution import ErrorModel, Estimates
from quietway.universe import Axis, Partition, Range, Universe, random_ranges
from quietway.universe.ends import endpoints
from true_tables import LOADERS, Floats, Named, Table

EPSILONS = tuple(map(Fraction, ("0.01", "0.1", "1")))
RUNS = 3
RANGES = 30
CONFIDENCE = 0.95


@dataclass(frozen=True, kw_only=True)
class Covered:
    """What came of the intervals of many blocks."""

    held: float
    half_width: float
    error: float

    @classmethod
    def of(cls, found: Estimates, truth: Floats) -> Covered:
        """From estimates and what they estimate."""
        return cls(
            held=float(np.mean((found.low <= truth) & (truth <= found.high))),
            half_width=float(np.median(found.high - found.low)) / 2,
            error=float(np.sqrt(np.mean((found.estimate - truth) ** 2))),
        )

    @classmethod
    def mean(cls, runs: Sequence[Covered]) -> Covered:
        """Of several runs."""
        held, half_width, error = np.mean([(run.held, run.half_width, run.error) for run in runs], axis=0)
        return cls(held=float(held), half_width=float(half_width), error=float(error))


def errors(table: Table, epsilon: Fraction, seed: int) -> ErrorModel:
    """The error model of one release with a prior."""
    return solved(table, epsilon, seed, method="cbdp", prior="gravity").errors


def margins(table: Table) -> Named:
    """The total, every feature, trip ends, and pairs of places."""
    universe = table.universe
    pairs = "pairs of places", Partition.margin(universe, endpoints(universe) or ())
    return (("total", Partition.total(universe)), *table.features, *table.ends, pairs)


def ranges(table: Table) -> Iterator[Range]:
    """Random boxes over the table's zones and periods."""
    rules = table.zones.rules
    boxes = random_ranges(Universe(tuple(Axis(name=r.name, size=r.blocks) for r in rules)), RANGES, seed=7)
    for low, high in zip(boxes.low, boxes.high, strict=True):
        masks = {r.axes[0]: (a <= r.table) & (r.table < b) for r, a, b in zip(rules, low, high, strict=True)}
        yield Range(table.universe, tuple(masks.get(i) for i in range(len(table.universe.axes))))


def covered(table: Table, model: ErrorModel) -> dict[str, Covered]:
    """How the intervals of every margin and of random ranges did."""
    keys, values = table.counts.keys, table.counts.values
    found = {
        name: Covered.of(model.margin(part, CONFIDENCE), part.totals(keys, values).astype(np.float64))
        for name, part in margins(table)
    }
    asked = list(ranges(table))
    answers = [model.range(range_, CONFIDENCE) for range_ in asked]
    joined = Estimates(
        **{
            part: np.concatenate([getattr(one, part) for one in answers])
            for part in ("estimate", "deviation", "low", "high")
        }
    )
    truth = np.array([values[range_.contains(keys)].sum() for range_ in asked], dtype=np.float64)
    return found | {"zone ranges": Covered.of(joined, truth)}


def run(*, runs: int = RUNS, quick: bool = False) -> tuple[dict[str, float], dict[str, dict]]:
    """Print one markdown table; return the least and the mean share held, and everything."""
    epsilons = EPSILONS[1:2] if quick else EPSILONS
    found = dict[str, dict[str, dict[str, float]]]()
    print("| table | epsilon | margin | held | half-width | error |\n|---|---|---|---|---|---|")
    started, shares = time.perf_counter(), list[float]()
    for name in available():
        for epsilon in epsilons:
            rows = _of_runs(LOADERS[name](), epsilon, runs)
            found[f"{name} {float(epsilon):g}"] = {margin: vars(row) for margin, row in rows.items()}
            shares += [row.held for row in rows.values()]
            for margin, row in rows.items():
                print(
                    f"| {name} | {float(epsilon):g} | {margin} | {row.held:.3f} | "
                    f"{row.half_width:.3g} | {row.error:.3g} |",
                    flush=True,
                )
    summary = {
        "least share held": min(shares, default=0.0),
        "mean share held": float(np.mean(shares)) if shares else 0.0,
        "seconds": time.perf_counter() - started,
    }
    return summary, found


def _of_runs(table: Table, epsilon: Fraction, runs: int) -> dict[str, Covered]:
    first = crc32(
        f"{table.name} {epsilon}".encode()
    )  # or the same luck with the total would strike all tables
    results = [covered(table, errors(table, epsilon, first + run)) for run in range(runs)]
    return {margin: Covered.mean([result[margin] for result in results]) for margin in results[0]}
