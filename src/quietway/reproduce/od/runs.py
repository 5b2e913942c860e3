"""Every method on every case: noise, answers, and the mean relative error of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from functools import partial
from multiprocessing import get_context

import numpy as np

from quietway.counts import Paths
from quietway.errors import InputError
from quietway.noise import seeded
from quietway.reproduce.od.about import about
from quietway.reproduce.od.answers import answered, measured
from quietway.reproduce.od.case import About, Case, Results, Runs
from quietway.reproduce.od.experiments import Experiment, invented, real
from quietway.reproduce.od.methods import sources
from quietway.reproduce.od.queries import Asked, asked_of
from quietway.reproduce.od.settings import Settings
from quietway.reproduce.od.times import times
from quietway.universe.path_workload import mean_relative_error

OnStep = Callable[[str], None]
Errors = dict[Case, dict[str, Runs]]


def run(settings: Settings, *, workers: int = 1, on_step: OnStep = lambda _: None) -> Results:
    """All figures, and the times of table 3, which are measured when nothing else runs."""
    experiments, told, missing = list(invented(settings)), list[About](), list[InputError]()
    for name in (*settings.cities, *settings.stops):
        try:
            experiment, dataset = real(settings, name)
        except InputError as error:
            missing.append(error)
            continue
        experiments.append(experiment)
        told.append(about(dataset))
    return Results(
        settings=settings,
        found=every_error(experiments, settings, workers=workers, on_step=on_step),
        about=tuple(told),
        missing=tuple(missing),
        times=tuple(times(settings, on_step=on_step)),
    )


def every_error(
    experiments: Sequence[Experiment],
    settings: Settings,
    *,
    workers: int = 1,
    on_step: OnStep = lambda _: None,
) -> Errors:
    """Of some experiments, several at a time where there are workers: the same whatever their number."""
    found, work = Errors(), partial(errors, settings=settings)
    if workers == 1:
        for experiment in experiments:
            on_step(str(experiment))
            found |= work(experiment)
        return found
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        done = pool.map(work, experiments)
        for experiment in experiments:
            on_step(str(experiment))
            found |= next(done)
    return found


def errors(experiment: Experiment, settings: Settings) -> Errors:
    """Of every method, epsilon and kind of query, run by run."""
    found = dict[Case, dict[str, list[float]]]()
    for number in range(settings.runs):
        paths = experiment.build(number)
        asked = asked_of(paths, experiment.coverages, settings.queries, seed=settings.seed + number)
        for epsilon in settings.epsilons:
            for method, coverage, error in _one_run(
                paths, asked, epsilon, _seed(experiment, epsilon, settings, number)
            ):
                case = Case(
                    figure=experiment.figure,
                    data=experiment.data,
                    dimensions=experiment.dimensions,
                    epsilon=epsilon,
                    skew=experiment.skew,
                    coverage=coverage,
                )
                found.setdefault(case, {}).setdefault(method, []).append(error)
    return {case: {m: np.array(e) for m, e in every.items()} for case, every in found.items()}


def _one_run(
    paths: Paths, asked: dict[float, Asked], epsilon: Fraction, seed: int
) -> Iterator[tuple[str, float, float]]:
    """Every method once; its answers as the paper has them and as they are fitted read the same noise."""
    for place, (source, answers) in enumerate(sources(paths.space).items()):
        noisy = measured(source, paths, epsilon, rng=seeded(seed + place))
        for method in answers:
            answer = answered(method, noisy)
            for coverage, queries in asked.items():
                found = answer(queries.low, queries.high)
                yield method.name, coverage, mean_relative_error(queries.true, found, len(paths.points))


def _seed(experiment: Experiment, epsilon: Fraction, settings: Settings, number: int) -> int:
    """Different for every run, epsilon and paths."""
    name = f"{experiment.figure} {experiment.data} {experiment.dimensions} {experiment.skew}"
    parts = (settings.seed, number, *name.encode(), epsilon.numerator, epsilon.denominator)
    return int(np.random.SeedSequence(parts).generate_state(1, np.uint32)[0]) << 8
