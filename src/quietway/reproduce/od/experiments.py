"""Which paths the figures are about, each built when its turn comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from quietway.counts import Paths
from quietway.errors import InputError
from quietway.reproduce.od.case import RANDOM, Figure
from quietway.reproduce.od.datasets import Dataset, available
from quietway.reproduce.od.generators import gaussian, width, zipf
from quietway.reproduce.od.settings import Settings


@dataclass(frozen=True, kw_only=True, eq=False)
class Experiment:
    """Paths of a figure, run by run, and how large the queries on them are."""

    figure: Figure
    data: str
    dimensions: int
    build: Callable[[int], Paths]
    skew: float = 0.0
    coverages: tuple[float, ...] = (RANDOM,)


def invented(settings: Settings) -> Iterator[Experiment]:
    """Figures 4 and 5. Every run has its own centre."""
    for dimensions in settings.dimensions:
        for share in settings.shares:
            yield Experiment(
                figure=Figure.GAUSSIAN,
                data="Gaussian",
                dimensions=dimensions,
                skew=share,
                build=lambda run, d=dimensions, s=share: gaussian(
                    d,
                    (s * width(d, settings.points)) ** 2,
                    seed=settings.seed + run,
                    points=settings.points,
                ),
            )
    for dimensions in settings.dimensions:
        for exponent in settings.exponents:
            yield Experiment(
                figure=Figure.ZIPF,
                data="Zipf",
                dimensions=dimensions,
                skew=exponent,
                build=lambda run, d=dimensions, a=exponent: zipf(
                    d, a, seed=settings.seed + run, points=settings.points
                ),
            )


def real(settings: Settings) -> Iterator[tuple[Experiment, Dataset] | InputError]:
    """Figures 6, 7 and 8, or why not: the same paths in every run."""
    for figure, names in ((Figure.CITIES, settings.cities), (Figure.STOPS, settings.stops)):
        for dataset in available(settings.data, names):
            if isinstance(dataset, InputError):
                yield dataset
                continue
            yield _experiment(figure, dataset, settings), dataset


def _experiment(figure: Figure, dataset: Dataset, settings: Settings) -> Experiment:
    return Experiment(
        figure=figure,
        data=dataset.name,
        dimensions=dataset.dimensions,
        coverages=(RANDOM, *settings.coverages),
        build=lambda _: dataset.paths,
    )
