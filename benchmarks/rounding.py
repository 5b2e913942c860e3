"""Rounding to integers: CPU time of solvers on the same network, of whole tables, and what becomes of unpublished margins.

python benchmarks/rounding.py                 everything, with the solvers that are installed
python benchmarks/rounding.py --solver ortools    one solver; OR-Tools and HiGHS should not share a process
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.rounding import round_consistently
from quietway.estimate.rounding.flow import Network, cheapest
from quietway.estimate.rounding.groups import Blocks
from quietway.estimate.rounding.tree import Classes, network_of, tree_of
from quietway.universe import Axis, Partition, Universe, each, grouped

Floats = NDArray[np.float64]
Named = Sequence[tuple[str, Partition]]

PERIODS, STOPS, ZONES, MODES, TRIPS = 48, 130, 4, 12, 2_434
TRIES = 3


def run() -> tuple[dict[str, float], dict[str, object]]:
    """Solvers as ratios to our own, and tables."""
    solvers = solver_seconds([name for name in SOLVERS if name != "ortools"])
    tables = table_seconds()
    shares = unpublished()
    ratios = {
        f"{name}_vs_own, {case}": seconds / solvers["own"][case]
        for name, cases in solvers.items()
        if name != "own"
        for case, seconds in cases.items()
    }
    return ratios, {"solvers": solvers, "tables": tables, "unpublished margins": shares}


# -- solvers


def two_way(periods: int, origins: int, destinations: int) -> Network:
    """Every origin, destination and period, all cells fractions: as many classes as cells."""
    shape = (periods, origins, destinations)
    period, origin, destination = (index.ravel() for index in np.indices(shape))
    part = np.random.default_rng(0).random(period.size)
    classes = Classes(whole=np.zeros(part.size, np.int64), part=part, cost=1 - 2 * part)
    down = [Blocks.of(period), Blocks.of(period * origins + origin)]
    up = [Blocks.of(period * destinations + destination)]
    total = int(np.rint(part.sum()))
    return network_of(tree_of(down, classes, total), tree_of(up, classes, total), classes)


def highs(network: Network) -> Floats:
    """The linear program, by scipy."""
    from scipy.optimize import linprog
    from scipy.sparse import csc_array

    arcs = np.arange(network.tail.size)
    sign = np.r_[np.ones(arcs.size), -np.ones(arcs.size)]
    place = (np.r_[network.tail, network.head], np.r_[arcs, arcs])
    matrix = csc_array((sign, place), shape=(network.excess.size, arcs.size))
    return linprog(
        network.cost,
        A_eq=matrix,
        b_eq=network.excess,
        bounds=(0, 1),
        method="highs",
        options={"time_limit": 120},
    ).x


def ortools(network: Network) -> Floats:
    """SimpleMinCostFlow of OR-Tools, which is not among the requirements."""
    from ortools.graph.python import min_cost_flow

    flow, arcs = min_cost_flow.SimpleMinCostFlow(), np.arange(network.tail.size)
    cost = np.rint(network.cost * 2**20).astype(np.int64)
    flow.add_arcs_with_capacity_and_unit_cost(network.tail, network.head, np.ones(arcs.size, np.int64), cost)
    flow.set_nodes_supplies(np.arange(network.excess.size), network.excess)
    assert flow.solve() == flow.OPTIMAL
    return flow.flows(arcs)


SOLVERS: dict[str, Callable[[Network], Floats]] = {"own": cheapest, "highs": highs, "ortools": ortools}
CASES = {
    "1 x 30 x 30": (1, 30, 30),
    "1 x 200 x 200": (1, 200, 200),
    "1 x 400 x 400": (1, 400, 400),
    "48 x 16 x 12": (48, 16, 12),
    "48 x 130 x 130": (48, 130, 130),
    "1 x 900 x 900": (1, 900, 900),
}
LEFT_OUT = {"highs": ("48 x 130 x 130", "1 x 900 x 900")}


def solver_seconds(names: Sequence[str]) -> dict[str, dict[str, float]]:
    """The least CPU time of each solver on each network; HiGHS is not asked for the largest."""
    found: dict[str, dict[str, float]] = {}
    for name in names:
        if name == "ortools" and not find_spec("ortools"):
            continue
        SOLVERS[name](two_way(2, 3, 3))  # compiled, imported
        for case, shape in CASES.items():
            if case not in LEFT_OUT.get(name, ()):
                network = two_way(*shape)
                seconds, carries = best(lambda solve=SOLVERS[name], of=network: solve(of))
                found.setdefault(name, {})[case] = seconds
                cost = float(network.cost @ carries)
                print(
                    f"{name:<8} {case:<16} {network.tail.size:>9,} arcs {seconds:9.3f} s  cost {cost:.4f}",
                    flush=True,
                )
    return found


def best(work: Callable[[], Floats]) -> tuple[float, Floats]:
    """The least CPU time of a few, and the result."""
    times = list[float]()
    while True:
        start = time.process_time()
        result = work()
        times.append(time.process_time() - start)
        if len(times) == TRIES or sum(times) > 20:
            return min(times), result


# -- tables


def example_day() -> tuple[Universe, Named]:
    """811,200 cells under 1 + 48 + 48 x 16 + 48 x 12 totals."""
    universe = Universe(
        (Axis(name="o", size=STOPS), Axis(name="d", size=STOPS), Axis(name="t", size=PERIODS))
    )
    zone = np.arange(STOPS) * ZONES // STOPS
    mode = np.random.default_rng(0).permutation(np.arange(STOPS * STOPS) % MODES).reshape(STOPS, STOPS)
    period = each(universe, "t")
    pair = [grouped(universe, [axis], zone, name=f"zone {axis}") for axis in "od"]
    return universe, (
        ("total", Partition.total(universe)),
        ("period", Partition.by(universe, [period])),
        ("zone pair", Partition.by(universe, [*pair, period])),
        ("mode", Partition.by(universe, [grouped(universe, ["o", "d"], mode, name="mode"), period])),
    )


def ends(universe: Universe) -> Named:
    """Trips by origin and by destination in every period: every cell a class of its own."""
    return [(axes, Partition.margin(universe, axes)) for axes in ("t", "ot", "dt")]


def uneven(universe: Universe, trips: float) -> Floats:
    """Cells that differ by origin, by destination, by pair and by period, none of them zero."""
    draw, (stops, _, periods) = np.random.default_rng(1), universe.shape
    weight = (
        draw.normal(0, 1, (stops, 1, 1))
        + draw.normal(0, 1, (1, stops, 1))
        + draw.normal(0, 0.3, (stops, stops, 1))
    )
    cells = np.exp(weight + draw.normal(0, 0.3, periods)).ravel()
    return cells * (trips / cells.sum())


def table_seconds() -> dict[str, float]:
    """Whole tables, from keys and values to integers."""
    universe, day = example_day()
    draw = np.random.default_rng(0)
    every = 2 * draw.random(universe.size)
    cases: dict[str, tuple[Floats, Named]] = {
        "2 % of the cells": (np.where(draw.random(universe.size) < 0.02, every, 0.0), day),
        "5 % of the cells": (np.where(draw.random(universe.size) < 0.05, every, 0.0), day),
        "every cell a fraction below two": (every, day),
        f"every cell, {TRIPS:,} trips": (uneven(universe, TRIPS), day),
        "every cell, by origin and by destination": (0.5 + every, ends(universe)),
    }
    found: dict[str, float] = {}
    for name, (values, features) in cases.items():
        keys = np.flatnonzero(values)
        seconds, _ = best(lambda k=keys, v=values[keys], f=features: round_consistently(k, v, f).counts)
        rounded = round_consistently(keys, values[keys], features)
        furthest = max(rounded.off.values())
        change = np.abs(rounded.counts - values[keys]).sum()
        found[name] = seconds
        print(
            f"{name:<42} {keys.size:>8,} cells {seconds:7.3f} s  total furthest off {furthest:.4f}  moved {change:,.0f}"
        )
    return found


# -- what becomes of margins that are in no feature


def unpublished() -> dict[str, dict[str, float]]:
    """Per rule and margin, the slope of what places get over what they have, and the root mean square of what they miss."""
    universe, features = example_day()
    keys, values = np.arange(universe.size), uneven(universe, TRIPS)
    rules = {
        "controlled": round_consistently(keys, values, features).counts,
        "running sums": running_sums(keys, values, features),
        "largest cells of a zone pair": largest(keys, values, features[2][1]),
    }
    found: dict[str, dict[str, float]] = {}
    for rule, counts in rules.items():
        for axes in ("o", "d", "od"):
            label = Partition.margin(universe, axes).block_of(keys)
            real, got = np.bincount(label, values), np.bincount(label, counts)
            slope, miss = float(np.polyfit(real, got, 1)[0]), float(np.sqrt(np.mean((got - real) ** 2)))
            found.setdefault(rule, {})[axes] = slope
            print(f"{rule:<30} {axes:<3} slope {slope:6.3f}  off by {miss:7.3f}")
        mode = features[3][1].block_of(keys)
        print(
            f"{rule:<30} modes by period off by up to {np.abs(np.bincount(mode, counts - values)).max():.3f}"
        )
    return found


def running_sums(keys: NDArray[np.int64], values: Floats, features: Named) -> NDArray[np.int64]:
    """Running sums rounded, their steps the integers, one feature's blocks after the other's."""
    order = np.lexsort([keys, *(partition.block_of(keys) for _, partition in reversed(features))])
    counts = np.empty(keys.size, dtype=np.int64)
    counts[order] = np.diff(np.rint(np.r_[0.0, np.cumsum(values[order])])).astype(np.int64)
    return counts


def largest(keys: NDArray[np.int64], values: Floats, partition: Partition) -> NDArray[np.int64]:
    """Of cells below one half the nearest integers that add up to a block's total."""
    block = partition.block_of(keys)
    order = np.lexsort((-values, block))
    rank = np.empty(keys.size, dtype=np.int64)
    rank[order] = np.arange(keys.size) - np.searchsorted(block[order], block[order])
    return (rank < np.rint(np.bincount(block, values))[block]).astype(np.int64)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--solver", choices=sorted(SOLVERS))
    chosen = parser.parse_args().solver
    if chosen:
        solver_seconds([chosen])
    else:
        run()
