"""Table 3: how long each method takes for a matrix in two dimensions, on the processor's clock, which others' work does not touch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from time import process_time

from quietway.counts import Paths
from quietway.errors import InputError
from quietway.estimate.boxes import fit_paths
from quietway.noise import seeded
from quietway.reproduce.od.answers import measured
from quietway.reproduce.od.case import Time
from quietway.reproduce.od.datasets import load
from quietway.reproduce.od.generators import gaussian, width
from quietway.reproduce.od.methods import Source, sources
from quietway.reproduce.od.settings import Settings

EPSILON = Fraction(1, 10)
REPEATS = 2
SHARE = 0.1
"""Of the width: the standard deviation of the invented cloud."""


def times(settings: Settings, *, on_step: Callable[[str], None]) -> Iterator[Time]:
    """On an invented cloud, and on New York where its data are there; the better of two runs each."""
    for name, paths in _matrices(settings):
        on_step(f"Table 3: {name}")
        for source, methods in sources(paths.space).items():
            measuring, fitting = (
                min(each) for each in zip(*(_once(source, paths, i) for i in range(REPEATS)), strict=True)
            )
            yield Time(data=name, method=methods[0].name, measuring=measuring, fitting=fitting)


def _matrices(settings: Settings) -> Iterator[tuple[str, Paths]]:
    variance = (SHARE * width(2, settings.points)) ** 2
    yield (
        f"Gaussian, {settings.points:,} points",
        gaussian(2, variance, seed=settings.seed, points=settings.points),
    )
    try:
        yield "Gowalla New York", load(settings.data, "gowalla-2d").paths
    except InputError:
        return


def _once(source: Source, paths: Paths, seed: int) -> tuple[float, float]:
    start = process_time()
    noisy = measured(source, paths, EPSILON, rng=seeded(seed))
    between = process_time()
    fit_paths(noisy)
    return between - start, process_time() - between
