"""What an error was found for, and all errors that were found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from quietway.errors import InputError
from quietway.reproduce.od.settings import Settings

Runs = NDArray[np.float64]
LEAST = 1e-3
"""Percent: an error below counts as this much where ratios are taken."""
RANDOM = 0.0
"""The coverage of queries whose sides are random."""


class Figure(StrEnum):
    """Of the paper."""

    GAUSSIAN = "Fig. 4"
    ZIPF = "Fig. 5"
    CITIES = "Figs. 6, 7"
    STOPS = "Fig. 8"


@dataclass(frozen=True, kw_only=True)
class Case:
    """Some paths, an epsilon and some queries. `skew` is the cloud's share of the width or Zipf's exponent."""

    figure: Figure
    data: str
    dimensions: int
    epsilon: Fraction
    skew: float = 0.0
    coverage: float = RANDOM

    def __str__(self) -> str:
        queries = "random queries" if self.coverage == RANDOM else f"{self.coverage:.0%} queries"
        return f"{self.label}, epsilon {float(self.epsilon):g}, {queries}"

    @property
    def label(self) -> str:
        """Which paths."""
        skewed = {
            Figure.GAUSSIAN: f" deviation {self.skew:g} of the width",
            Figure.ZIPF: f" exponent {self.skew:g}",
        }
        return f"{self.data} {self.dimensions}-D{skewed.get(self.figure, '')}"


@dataclass(frozen=True, kw_only=True)
class About:
    """Real paths as the page tells of them; the ranges are of `blindness.ranges`."""

    name: str
    dimensions: int
    paths: int
    cells: int
    entropy: float
    printed_range: float
    used_range: float
    note: str


@dataclass(frozen=True, kw_only=True)
class Time:
    """Seconds of the processor that a method took for a matrix in two dimensions: its noise, and the fit to it."""

    data: str
    method: str
    measuring: float
    fitting: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Results:
    """Every method's mean relative error, run by run. Seeded noise on public test paths: nothing here is private."""

    settings: Settings
    found: dict[Case, dict[str, Runs]]
    about: tuple[About, ...] = ()
    missing: tuple[InputError, ...] = ()
    times: tuple[Time, ...] = ()

    def runs(self, case: Case, method: str) -> Runs:
        """One method's errors."""
        return self.found[case][method]

    def mean(self, case: Case, method: str) -> float:
        """Their mean over the runs."""
        return float(self.runs(case, method).mean())

    def cases(self, only: Callable[[Case], bool] = lambda _: True) -> list[Case]:
        """All that were run, or some."""
        return [case for case in self.found if only(case)]

    def steps(self, along: str, only: Callable[[Case], bool]) -> Iterator[tuple[Case, Case]]:
        """Cases next to each other that differ in one thing alone, the smaller value first."""
        groups = dict[Case, list[Case]]()
        for case in self.cases(only):
            groups.setdefault(replace(case, **{along: type(getattr(case, along))(1)}), []).append(case)
        for group in groups.values():
            yield from pairwise(sorted(group, key=lambda case: getattr(case, along)))

    def logs(self, case: Case, method: str) -> Runs:
        """The logarithms of one method's errors: ratios count, since errors are of all sizes from run to run."""
        return np.log(np.maximum(LEAST, self.runs(case, method)))

    def best(self, case: Case, methods: Sequence[str]) -> Runs:
        """The least of some methods' logarithms in each run."""
        return np.min([self.logs(case, method) for method in methods], axis=0)
