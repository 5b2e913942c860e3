"""How far each method is from the truth on the example city's weekday: L1 error over the total, mean of five runs."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from quietway.budget import split
from quietway.city import write_example
from quietway.counts import Counts
from quietway.estimate.registry import FITS
from quietway.mechanisms.registry import METHODS, Named, Request, Split
from quietway.noise import seeded
from quietway.pipeline import count
from quietway.spec import load_spec
from quietway.universe import Partition, PrivacyUnit

RUNS = 5
ROWS = (
    ("hierarchy", "project", "uniform"),
    ("hierarchy", "project", "geometric"),
    ("hierarchy", "project", "cube-root"),
    ("hierarchy", "prune", "uniform"),
    ("laplace", "clip", "uniform"),
    ("identity", "clip", "uniform"),
    ("threshold", "keep", "1 : 9"),
    ("uniform", "spread", "uniform"),
)


def main() -> None:
    """Print the table in Markdown."""
    with tempfile.TemporaryDirectory() as folder:
        write_example(folder)
        spec = load_spec(Path(folder) / "release.toml")
        spec = replace(spec, unit=PrivacyUnit())
        counts = count(
            replace(
                spec,
                file=spec.file.model_copy(update={"unit": spec.file.unit.model_copy(update={"user": None})}),
            )
        )
    margins = (
        ("total", Partition.total(spec.universe)),
        *spec.features,
        ("cells", Partition.identity(spec.universe)),
    )
    print("| epsilon | method | fit | budget |", " | ".join(name for name, _ in margins), "|")
    print("|" + "---|" * (4 + len(margins)))
    for epsilon in (Fraction(1), Fraction(1, 10)):
        for method, fit, budget in ROWS:
            request = Request(
                universe=spec.universe,
                features=spec.features,
                unit=counts.unit,
                epsilon=epsilon,
                split=_split(budget, epsilon),
            )
            errors = np.mean(
                [_errors(request, method, fit, counts, margins, run) for run in range(RUNS)], axis=0
            )
            print(
                f"| {epsilon} | {method} | {fit} | {budget} |",
                " | ".join(f"{error:.3f}" for error in errors),
                "|",
            )
    print("| any | zero | | |", " | ".join("1.000" for _ in margins), "|")


def _errors(request: Request, method: str, fit: str, counts: Counts, margins: Named, run: int) -> list[float]:
    """Of one run, for each margin."""
    mechanism = METHODS[method].build(request)
    solution = FITS[fit](mechanism.measure(counts, rng=seeded(run)))
    return [
        np.abs(
            partition.totals(solution.keys, solution.counts) - partition.totals(counts.keys, counts.values)
        ).sum()
        / counts.values.sum()
        for _, partition in margins
    ]


def _split(budget: str, epsilon: Fraction) -> Split:
    return {
        "1 : 9": lambda _: split.custom(epsilon, (1, 9)),
        "uniform": lambda sizes: split.uniform(epsilon, len(sizes)),
        "geometric": lambda sizes: split.geometric(epsilon, len(sizes)),
        "cube-root": lambda sizes: split.cube_root(epsilon, sizes),
    }[budget]


if __name__ == "__main__":
    main()
