"""Errors of a published trip table at equal epsilon and equal neighbours (one trip added or removed, pure DP).

Four true tables, five epsilons, every method, every measure, mean of several
runs. A method is a function from a table, an epsilon and a seed to keys and
values: to compare another one, add it to METHODS. How the peers are used is
said in private_pgm.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from multiprocessing import get_context

import numpy as np

from ours import solved
from quietway.errors import InputError
from quietway.reproduce.measures import (
    Comparison,
    Keys,
    Values,
    geometric_mean,
    range_error,
    relative_l1,
    relative_l2,
)
from quietway.reproduce.transport import moved_kilometres
from quietway.universe import Partition
from true_tables import LOADERS, Table

EPSILONS = tuple(map(Fraction, ("0.01", "0.05", "0.1", "0.3", "1")))
QUICK_EPSILONS = tuple(map(Fraction, ("0.05", "1")))
RUNS = 10
FEW_RUNS = 2
DEFAULT = "default"
WORKERS = 2
MEAN = "geometric mean"
SECONDS = "seconds"

Publish = Callable[[Table, Fraction, int], tuple[Keys, Values]]
Errors = dict[str, float]


@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to publish a table; `kind` is "ours", "peer" or "trivial".

    Those that come near each other are run more `often`: of few runs, the error of the total is mostly luck.
    """

    name: str
    kind: str
    publish: Publish
    often: bool = False


def own(method: str, prior: str = "none") -> Publish:
    """One of the product's methods."""

    def publish(table: Table, epsilon: Fraction, seed: int) -> tuple[Keys, Values]:
        solution = solved(table, epsilon, seed, method=method, prior=prior)
        return solution.keys, solution.counts

    return publish


def peer(name: str) -> Publish:
    """One of the mechanisms on top of mbi, which is imported when it is first asked for."""

    def publish(table: Table, epsilon: Fraction, seed: int) -> tuple[Keys, Values]:
        return import_module("private_pgm").PEERS[name](table, epsilon, seed)

    return publish


def zero(table: Table, epsilon: Fraction, seed: int) -> tuple[Keys, Values]:
    """Nothing at all, for free."""
    return np.zeros(0, np.int64), np.zeros(0)


METHODS = (
    Method(name=DEFAULT, kind="ours", publish=own("cbdp", "gravity"), often=True),
    Method(name="cbdp, no prior", kind="ours", publish=own("cbdp"), often=True),
    Method(name="hierarchy", kind="ours", publish=own("hierarchy"), often=True),
    Method(name="laplace", kind="ours", publish=own("laplace")),
    Method(name="identity", kind="ours", publish=own("identity")),
    Method(name="threshold", kind="ours", publish=own("threshold")),
    Method(name="mbi, MST style", kind="peer", publish=peer("mst")),
    Method(name="mbi, AIM style", kind="peer", publish=peer("aim")),
    Method(name="uniform", kind="trivial", publish=own("uniform"), often=True),
    Method(name="zero", kind="trivial", publish=zero),
)


def errors(table: Table, keys: Keys, values: Values) -> Errors:
    """Of one published table, by every measure."""
    truth = table.counts.keys, table.counts.values
    comparison = Comparison.of(table.universe, truth=truth, published=(keys, values))
    margins = (("total", Partition.total(table.universe)), *table.features, *table.ends)
    return {name: relative_l1(comparison, partition) for name, partition in margins} | {
        "ranges": range_error(comparison, table.zones),
        "cells, L1": relative_l1(comparison),
        "cells, L2": relative_l2(comparison),
        "moved, km": moved_kilometres(comparison, table.places),
    }


def compared(name: str, epsilon: Fraction, runs: int) -> dict[str, Errors]:
    """Every method's mean errors, their geometric mean and the seconds of a run, on one table at one epsilon."""
    table = LOADERS[name]()
    few = min(runs, FEW_RUNS)
    return {
        method.name: _mean_errors(method, table, epsilon, runs if method.often else few)
        for method in installed()
    }


def installed() -> list[Method]:
    """All methods, or all but the peers where they are not installed."""
    peers = find_spec("mbi") is not None
    return [method for method in METHODS if peers or method.kind != "peer"]


def _mean_errors(method: Method, table: Table, epsilon: Fraction, runs: int) -> Errors:
    """The geometric mean takes an error of less than one trip for one of a whole trip."""
    found, started = list[Errors](), time.perf_counter()
    published = [method.publish(table, epsilon, run) for run in range(runs)]
    seconds = (time.perf_counter() - started) / runs
    found = [errors(table, keys, values) for keys, values in published]
    means = {measure: float(np.mean([run[measure] for run in found])) for measure in found[0]}
    mean = geometric_mean(list(means.values()), floor=1 / table.total)
    return means | {MEAN: mean, SECONDS: seconds}


def run(*, runs: int = RUNS, quick: bool = False) -> tuple[dict[str, float], dict[str, dict]]:
    """Print a table for each data set and epsilon; return the default over the best other, and all errors."""
    if len(installed()) < len(METHODS):
        print("left out: the peers, which `make peers` installs and runs with")
    names, epsilons = available(), QUICK_EPSILONS if quick else EPSILONS
    runs = min(runs, 2) if quick else runs
    ratios, tables = dict[str, float](), {name: dict[str, dict[str, Errors]]() for name in names}
    for name, epsilon, rows in _all(names, epsilons, runs):
        tables[name][str(float(epsilon))] = rows
        ratios[f"{name} {float(epsilon):g}: default over best other"] = _default_over_best_other(rows)
        print(
            f"\n{name}, epsilon {float(epsilon):g}, mean of {runs} runs, or of {min(runs, FEW_RUNS)} (* the best by that measure)\n"
        )
        print(markdown(rows), flush=True)
    print(f"\ngeometric means\n\n{summary(tables)}")
    return ratios, tables


def _all(
    names: Sequence[str], epsilons: Sequence[Fraction], runs: int
) -> Iterator[tuple[str, Fraction, dict[str, Errors]]]:
    cases = list(product(names, epsilons))
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(compared, name, epsilon, runs) for name, epsilon in cases]
        for (name, epsilon), rows in zip(cases, waiting, strict=True):
            yield name, epsilon, rows.result()


def available() -> list[str]:
    """The tables whose data are there; the others are named with the reason."""
    names = list[str]()
    for name, load in LOADERS.items():
        try:
            load()
            names.append(name)
        except InputError as missing:
            print(f"left out: {name}: {missing}")
    return names


def _default_over_best_other(rows: dict[str, Errors]) -> float:
    """The default's geometric mean over the least of all other methods, trivial ones included: below 1 it wins."""
    return rows[DEFAULT][MEAN] / min(row[MEAN] for name, row in rows.items() if name != DEFAULT)


def summary(tables: dict[str, dict[str, dict[str, Errors]]]) -> str:
    """One row per table and epsilon, one column per method: its geometric mean."""
    names = list(next(iter(next(iter(tables.values())).values())))
    lines = ["| table | epsilon | " + " | ".join(names) + " |", "|" + "---|" * (len(names) + 2)]
    for table, by_epsilon in tables.items():
        for epsilon, rows in by_epsilon.items():
            best = min(row[MEAN] for row in rows.values())
            means = [f"{rows[name][MEAN]:.3g}{'*' if rows[name][MEAN] == best else ''}" for name in names]
            lines.append(f"| {table} | {epsilon} | {' | '.join(means)} |")
    return "\n".join(lines)


def markdown(rows: dict[str, Errors]) -> str:
    """One row per method, one column per measure."""
    columns = list(next(iter(rows.values())))
    best = {column: min(row[column] for row in rows.values()) for column in columns}
    lines = ["| method | " + " | ".join(columns) + " |", "|" + "---|" * (len(columns) + 1)]
    for method, row in rows.items():
        marked = [
            f"{row[column]:.3g}{'*' if row[column] == best[column] and column != SECONDS else ''}"
            for column in columns
        ]
        lines.append(f"| {method} | " + " | ".join(marked) + " |")
    return "\n".join(lines)
