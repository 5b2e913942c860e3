"""The experiments of Fioretto, Lee and Van Hentenryck (AAMAS 2018), figure 5(a, b) and table 2, on the example city."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quietway.city import DAYS, DayName
from quietway.errors import ConfigError
from quietway.noise import seeded
from quietway.reproduce.case_study import CaseStudy, case_study
from quietway.reproduce.methods import FAMILIES
from quietway.reproduce.paper import EPSILONS, RUNS
from quietway.reproduce.scores import CONTRACTION, Scores, contraction, scores

Runs = NDArray[np.float64]
PROJECTIONS = ("o3", "o4", "o5", "o5b")
"""Optima by the published weights, which a theorem keeps near the truth."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How much to run."""

    runs: int = RUNS
    seed: int = 0
    epsilons: tuple[Fraction, ...] = EPSILONS

    def __post_init__(self) -> None:
        if self.runs < 1:
            raise ConfigError(f"{self.runs} runs would show nothing; give 1 or more (the paper has {RUNS})")
        if not self.epsilons:
            raise ConfigError("no epsilon is named; name one or more, for instance 0.1")
        object.__setattr__(self, "epsilons", tuple(sorted(set(self.epsilons), reverse=True)))


@dataclass(frozen=True, kw_only=True)
class Case:
    """A day and an epsilon."""

    day: DayName
    epsilon: Fraction

    def __str__(self) -> str:
        return f"{self.day}, epsilon {float(self.epsilon):g}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Results:
    """Every score of every method in every run. Seeded noise on invented trips: nothing here is private."""

    settings: Settings
    found: dict[Case, dict[str, dict[str, Runs]]]

    def runs(self, case: Case, method: str, score: str) -> Runs:
        """One score of one method, run by run."""
        return self.found[case][method][score]

    def mean(self, case: Case, method: str, score: str) -> float:
        """Its mean over the runs."""
        return float(self.runs(case, method, score).mean())

    def cases(self) -> list[Case]:
        """All days and epsilons, in the paper's order."""
        return list(self.found)


def run(settings: Settings, *, on_step: Callable[[str], None] = lambda _: None) -> Results:
    """All methods on both days at every epsilon."""
    found = dict[Case, dict[str, dict[str, Runs]]]()
    for day in DAYS:
        study = case_study(day)
        for epsilon in settings.epsilons:
            case = Case(day=day, epsilon=epsilon)
            on_step(f"{case}, {settings.runs} {'run' if settings.runs == 1 else 'runs'}")
            found[case] = _stacked([dict(_one_run(study, case, settings, i)) for i in range(settings.runs)])
    return Results(settings=settings, found=found)


def _one_run(study: CaseStudy, case: Case, settings: Settings, number: int) -> Iterator[tuple[str, Scores]]:
    """Every method once. A run's noise follows from the seed, the run, the day and epsilon."""
    rng = seeded(_seed(settings.seed, number, case))
    for family in FAMILIES:
        measurements = family.measured(study, case.epsilon, rng=rng)
        for name, answers in family.fits(measurements):
            found = scores(study, answers)
            if name in PROJECTIONS:
                found[CONTRACTION] = contraction(study, measurements, answers)
            yield name, found


def _seed(seed: int, number: int, case: Case) -> int:
    """Different for every run, day and epsilon; the first words of a sequence that the four determine."""
    parts = (seed, number, list(DAYS).index(case.day), case.epsilon.numerator, case.epsilon.denominator)
    return int(np.random.SeedSequence(parts).generate_state(1, np.uint64)[0])


def _stacked(every: list[dict[str, Scores]]) -> dict[str, dict[str, Runs]]:
    return {
        method: {score: np.array([one[method][score] for one in every]) for score in first}
        for method, first in every[0].items()
    }
