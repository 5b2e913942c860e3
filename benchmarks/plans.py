"""Which margins cbdp with a prior measures besides the total, on every true table at every epsilon."""

from __future__ import annotations

from fractions import Fraction

from peers_cbdp import EPSILONS, available
from quietway.mechanisms.planned import PlannedMargins
from quietway.mechanisms.registry import METHODS, Request
from true_tables import LOADERS, Table


def planned(table: Table, epsilon: Fraction) -> list[str]:
    """The names of the margins, were the rough total without noise."""
    request = Request(
        universe=table.universe,
        features=table.features,
        unit=table.counts.unit,
        epsilon=epsilon,
        split=None,
        prior="uniform",
    )
    mechanism = METHODS["cbdp"].build(request)
    assert isinstance(mechanism, PlannedMargins)
    return [name for name, _ in mechanism.plan(table.total)]


def run() -> tuple[dict[str, float], dict[str, dict[str, list[str]]]]:
    """Print one markdown table; return how many margins each plan has, and their names."""
    plans = {
        name: {f"{float(epsilon):g}": planned(LOADERS[name](), epsilon) for epsilon in EPSILONS}
        for name in available()
    }
    print("| table | epsilon | measured besides the total |\n|---|---|---|")
    for name, by_epsilon in plans.items():
        for epsilon, margins in by_epsilon.items():
            print(f"| {name} | {epsilon} | {', '.join(margins) or 'nothing'} |")
    counts = {
        f"{name} {epsilon}": float(len(m)) for name, found in plans.items() for epsilon, m in found.items()
    }
    return counts, plans
