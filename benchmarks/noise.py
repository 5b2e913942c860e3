"""How fast exact noise is, beside a vetted exact sampler and an insecure inexact one, in one run.

python benchmarks/noise.py
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from time import perf_counter
from typing import Any

import numpy as np

from quietway.noise import secure
from quietway.noise.cks import CksSampler
from quietway.noise.keystream import Keystream
from quietway.noise.laplace import add_noise

DRAWS = 10**6
SCALES = (1, 10, 100)
REPEATS = 5
HEADINGS = ("scale", "table", "cks", "opendp", "numpy (insecure)")

Drawing = Callable[[int], object]


def ratios() -> dict[str, float]:
    """Our throughput at scale 10 over OpenDP's and over numpy's, on vectors of a million."""
    scale = 10
    ours = throughput(table_draws(scale))
    return {
        "noise_vs_opendp": ours / throughput(opendp_draws(scale), repeats=1),
        "noise_vs_numpy": ours / throughput(numpy_draws(scale)),
    }


def table() -> list[tuple[float, ...]]:
    """One row per scale: the scale, then draws per second as in `HEADINGS`."""
    return [
        (
            scale,
            throughput(table_draws(scale)),
            throughput(cks_draws(scale), repeats=2),
            throughput(opendp_draws(scale), draws=DRAWS // 10, repeats=1),
            throughput(numpy_draws(scale)),
        )
        for scale in SCALES
    ]


def throughput(drawing: Drawing, *, draws: int = DRAWS, repeats: int = REPEATS) -> float:
    """Draws per second, the best of several runs after a small one that warms up."""
    drawing(1000)
    return draws / min(_seconds(drawing, draws) for _ in range(repeats))


def table_draws(scale: int) -> Drawing:
    """The product's own path: secure source, exact table."""
    source = secure()
    return lambda draws: source.laplace(np.zeros(draws, dtype=np.int64), Fraction(scale))


def cks_draws(scale: int) -> Drawing:
    """The sampler for scales too large for a table, at a scale that is not."""
    words, sampler = Keystream(), CksSampler(Fraction(scale))
    return lambda draws: add_noise(sampler, words, np.zeros(draws, dtype=np.int64))


def opendp_draws(scale: int) -> Drawing:
    """OpenDP's exact integer Laplace mechanism over a vector."""
    dp: Any = _opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    mechanism = dp.m.make_laplace(*space, scale=float(scale))
    return lambda draws: mechanism([0] * draws)


def numpy_draws(scale: int) -> Drawing:
    """What must not be used: pseudo-random floating-point noise, rounded."""
    generator = np.random.default_rng()
    return lambda draws: np.rint(generator.laplace(0.0, scale, draws)).astype(np.int64)


def _opendp() -> Any:
    from importlib import import_module

    dp: Any = import_module("opendp.prelude")
    dp.enable_features("contrib")
    return dp


def _seconds(drawing: Drawing, draws: int) -> float:
    start = perf_counter()
    drawing(draws)
    return perf_counter() - start


def main() -> None:
    """Write both to the terminal."""
    rows = ["  ".join(f"{heading:>16}" for heading in HEADINGS)]
    rows += ["  ".join(f"{value:16,.0f}" for value in row) for row in table()]
    rows += [f"{name}: {value:.2f}" for name, value in ratios().items()]
    sys.stdout.write("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
