"""The comparison with peers runs: every method publishes a table that can be measured."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from quietway.counts import Counts
from quietway.universe import Axis, Partition, PrivacyUnit, Universe, each, grouped

if TYPE_CHECKING:
    from true_tables import Table

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def _beside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


@pytest.fixture(params=[(), (3,)], ids=["without periods", "with periods"])
def table(request: pytest.FixtureRequest) -> Table:
    """Six places in two zones, pairs near or far, and some 200 trips."""
    from true_tables import Table

    ends = [Axis(name=name, size=6) for name in ("origin", "destination")]
    periods = [Axis(name="period", size=size) for size in request.param]
    universe = Universe((*ends, *periods))
    values = np.random.default_rng(1).poisson(5, universe.size)
    keys = np.flatnonzero(values)
    zones = [grouped(universe, [end.name], np.arange(6) // 3, name=end.name) for end in ends]
    mode = grouped(
        universe, ["origin", "destination"], np.abs(np.subtract.outer(range(6), range(6))) // 3, name="mode"
    )
    times = [each(universe, axis.name) for axis in periods]
    return Table(
        name="toy",
        counts=Counts(universe, keys, values[keys].astype(np.int64), PrivacyUnit()),
        features=(
            ("zone pair", Partition.by(universe, [*zones, *times])),
            ("mode", Partition.by(universe, [mode, *times])),
        ),
        places=np.random.default_rng(2).uniform(0, 0.1, (6, 2)),
        ends=tuple((end.name, Partition.by(universe, [each(universe, end.name), *times])) for end in ends),
        zones=Partition.by(universe, [*zones, *times]),
    )


def test_every_method_is_near_the_truth_at_a_large_epsilon(table: Table) -> None:
    """Each publishes non-negative values, and what it measures at epsilon 1000 it gets right."""
    pytest.importorskip("mbi", reason="the peers are installed by `make peers` alone")
    from peers_cbdp import METHODS, errors

    for method in METHODS:
        keys, values = method.publish(table, Fraction(1000), 1)
        assert (values >= 0).all()
        found = errors(table, keys, values)
        if method.name != "zero":
            assert found["total"] < 0.01, method.name
        if method.name in ("hierarchy", "mbi, AIM style"):
            assert found["zone pair"] < 0.1, method.name


def test_views_are_the_margins_they_stand_for(table: Table) -> None:
    """What the peers measure are sums over the same blocks as ours."""
    pytest.importorskip("mbi", reason="the peers are installed by `make peers` alone")
    from private_pgm import shape, view

    truth = table.counts.dense().reshape(shape(table)).astype(np.float64)
    for _, partition in (*table.features, *table.ends):
        expected = partition.totals(table.counts.keys, table.counts.values)
        assert np.array_equal(view(table, partition.rules).of(truth).ravel(), expected)


def test_the_best_of_each_measure_is_marked() -> None:
    """One row per method, and a star at the smallest error of each column, seconds aside."""
    from peers_cbdp import markdown

    printed = markdown({"a": {"total": 0.5, "seconds": 1.0}, "b": {"total": 0.25, "seconds": 2.0}})
    assert "| b | 0.25* | 2 |" in printed
    assert "| a | 0.5 | 1 |" in printed


def test_the_summary_has_the_least_mean_marked() -> None:
    """One row per table and epsilon, a star at the least geometric mean."""
    from peers_cbdp import MEAN, METHODS, summary

    rows = {method.name: {MEAN: float(number + 2)} for number, method in enumerate(METHODS)}
    printed = summary({"day": {"0.1": rows}}).splitlines()[-1]
    assert printed.startswith("| day | 0.1 | 2* | 3 |")
