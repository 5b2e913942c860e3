"""Tables to round, and the least distance that integers within the bounds can have, from a linear program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from quietway.estimate.rounding import Rounded, round_consistently
from quietway.universe import Axis, Partition, Universe, each, grouped

Floats = NDArray[np.float64]
Index = NDArray[np.int64]
Named = tuple[str, Partition]


@dataclass(frozen=True, eq=False)
class Table:
    """Positive cells of a universe, and the features whose totals are to be kept."""

    keys: Index
    values: Floats
    features: tuple[Named, ...]

    def rounded(self) -> Rounded:
        """As the product rounds it."""
        return round_consistently(self.keys, self.values, self.features)

    def labels(self) -> list[Index]:
        """Every feature's blocks, and last the classes of cells that share a block of each."""
        found = [partition.block_of(self.keys) for _, partition in self.features]
        rows = np.column_stack([*found, np.zeros(len(self.keys), dtype=np.int64)])
        return [*found, np.unique(rows, axis=0, return_inverse=True)[1].ravel()]


def city(
    periods: int, stops: int, zones: int, modes: int, seed: int = 0
) -> tuple[Universe, tuple[Named, ...]]:
    """Total, periods, zone pairs by period, and modes by period: two families that cross."""
    universe = Universe(
        (Axis(name="o", size=stops), Axis(name="d", size=stops), Axis(name="t", size=periods))
    )
    zone = np.arange(stops) * zones // stops
    mode = np.random.default_rng(seed).permutation(np.arange(stops * stops) % modes).reshape(stops, stops)
    period = each(universe, "t")
    pair = [grouped(universe, [axis], zone, name=f"zone {axis}") for axis in "od"]
    return universe, (
        ("total", Partition.total(universe)),
        ("period", Partition.by(universe, [period])),
        ("zone pair", Partition.by(universe, [*pair, period])),
        ("mode", Partition.by(universe, [grouped(universe, ["o", "d"], mode, name="mode"), period])),
    )


def third_family(universe: Universe) -> Named:
    """Distances by period, which cross both zones and modes."""
    stops = universe.axes[0].size
    band = np.abs(np.arange(stops)[:, None] - np.arange(stops)) * 3 // stops
    rule = grouped(universe, ["o", "d"], band, name="band")
    return "band", Partition.by(universe, [rule, each(universe, "t")])


@st.composite
def tables(draw: st.DrawFn, *, smallest: float = 0.0) -> Table:
    """A few cells of a small city, with values that need not be fractions, and halves and thirds among them."""
    universe, features = city(2, 4, 2, draw(st.integers(1, 5)), draw(st.integers(0, 99)))
    kept = draw(st.lists(st.sampled_from(features), unique_by=lambda named: named[0]))
    keys = draw(st.lists(st.integers(0, universe.size - 1), unique=True, max_size=20))
    value = st.sampled_from([smallest, 0.5, 1.0, 1 / 3 + smallest, 2.5, 4 / 3, 0.7]) | st.floats(smallest, 4)
    values = draw(st.lists(value, min_size=len(keys), max_size=len(keys)))
    return Table(np.array(keys, dtype=np.int64), np.array(values, dtype=np.float64), tuple(kept))


def random_table(
    universe: Universe, features: Sequence[Named], share: float, seed: int, smallest: float = 0.0
) -> Table:
    """So many of all cells, with values up to two."""
    draw = np.random.default_rng(seed)
    keys = np.flatnonzero(draw.random(universe.size) < share)
    return Table(keys, smallest + draw.random(keys.size) * (2 - smallest), tuple(features))


def least_distance(table: Table) -> float:
    """The least sum of distances of cells between floor and ceiling that are within all bounds, fractions allowed.

    A cell's distance grows from the part above its floor, at the floor, by a straight line to the ceiling.
    """
    whole = np.floor(table.values)
    part = table.values - whole
    total = np.zeros(len(table.keys), dtype=np.int64)
    rows, low, high = list[Floats](), list[float](), list[float]()
    for label in (*table.labels(), total):
        for block in np.unique(label):
            inside = (label == block).astype(np.float64)
            real = float(inside @ table.values)
            near = real if label is not total else float(np.rint(real))
            rows.append(inside)
            low.append(np.floor(near + 1e-7) - inside @ whole)
            high.append(np.ceil(near - 1e-7) - inside @ whole)
    matrix = np.array(rows)
    found = linprog(
        1 - 2 * part,
        A_ub=np.vstack([matrix, -matrix]),
        b_ub=np.r_[high, -np.array(low)],
        bounds=np.column_stack([np.zeros(part.size), np.ceil(part)]),
        method="highs",
    )
    assert found.status == 0, found.message
    return float(part.sum() + found.fun)
