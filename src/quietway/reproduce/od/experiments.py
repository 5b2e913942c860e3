"""Which paths the figures are about, each built when its turn comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from quietway.counts import Paths
from quietway.reproduce.od.case import RANDOM, Figure
from quietway.reproduce.od.datasets import Dataset, load
from quietway.reproduce.od.generators import gaussian, width, zipf
from quietway.reproduce.od.settings import Settings


@dataclass(frozen=True, kw_only=True, eq=False)
class Experiment:
    """Paths of a figure, run by run, and how large the queries on them are. Another process can be given one."""

    figure: Figure
    data: str
    dimensions: int
    build: Callable[[int], Paths]
    skew: float = 0.0
    coverages: tuple[float, ...] = (RANDOM,)

    def __str__(self) -> str:
        skew = f" {self.skew:g}" if self.skew else ""
        return f"{self.figure}: {self.data} {self.dimensions}-D{skew}"


def invented(settings: Settings) -> Iterator[Experiment]:
    """Figures 4 and 5. Every run has its own centre."""
    for dimensions in settings.dimensions:
        for share in settings.shares:
            yield Experiment(
                figure=Figure.GAUSSIAN,
                data="Gaussian",
                dimensions=dimensions,
                skew=share,
                build=partial(_cloud, dimensions, share, settings.points, settings.seed),
            )
    for dimensions in settings.dimensions:
        for exponent in settings.exponents:
            yield Experiment(
                figure=Figure.ZIPF,
                data="Zipf",
                dimensions=dimensions,
                skew=exponent,
                build=partial(_zipf, dimensions, exponent, settings.points, settings.seed),
            )


def real(settings: Settings, name: str) -> tuple[Experiment, Dataset]:
    """Of figures 6, 7 and 8: the same paths in every run. An error says why if they are not there."""
    dataset = load(settings.data, name)
    experiment = Experiment(
        figure=Figure.CITIES if name in settings.cities else Figure.STOPS,
        data=dataset.name,
        dimensions=dataset.dimensions,
        coverages=(RANDOM, *settings.coverages),
        build=partial(_loaded, settings.data, name),
    )
    return experiment, dataset


def _cloud(dimensions: int, share: float, points: int, seed: int, run: int) -> Paths:
    return gaussian(dimensions, (share * width(dimensions, points)) ** 2, seed=seed + run, points=points)


def _zipf(dimensions: int, exponent: float, points: int, seed: int, run: int) -> Paths:
    return zipf(dimensions, exponent, seed=seed + run, points=points)


def _loaded(folder: Path | None, name: str, _: int) -> Paths:
    return _dataset(folder, name).paths


@lru_cache(maxsize=1)
def _dataset(folder: Path | None, name: str) -> Dataset:
    return load(folder, name)
