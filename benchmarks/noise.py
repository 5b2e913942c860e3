"""How fast exact noise is, beside a vetted exact sampler and an insecure inexact one, in one run.

python benchmarks/run.py spine --only noise
"""

from __future__ import annotations

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
REPEATS = 3
HEADINGS = ("scale", "table", "cks", "opendp", "numpy (insecure)")

Drawing = Callable[[int], object]


def run() -> dict[str, float]:
    """Print draws per second, and return ours at scale 10 over OpenDP's and numpy's, from the same vectors."""
    rows = {scale: _row(scale) for scale in SCALES}
    print("".join(f"{heading:>18}" for heading in HEADINGS))
    for scale, row in rows.items():
        print(f"{scale:>18}" + "".join(f"{value:18,.0f}" for value in row))
    table, _, opendp, insecure = rows[10]
    return {"noise_vs_opendp": table / opendp, "noise_vs_numpy": table / insecure}


def _row(scale: int) -> tuple[float, float, float, float]:
    """Draws per second of each sampler in `HEADINGS`, on vectors of a million."""
    return (
        throughput(table_draws(scale)),
        throughput(cks_draws(scale)),
        throughput(opendp_draws(scale)),
        throughput(numpy_draws(scale)),
    )


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
