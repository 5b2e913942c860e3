"""A small reproduction that several tests look at."""

from __future__ import annotations

from fractions import Fraction

import pytest

from quietway.reproduce.case_study import CaseStudy, case_study
from quietway.reproduce.cbdp import Results, Settings, run

SMALL = Settings(runs=2, epsilons=(Fraction(1), Fraction(1, 10)))


@pytest.fixture(scope="session")
def results() -> Results:
    return run(SMALL)


@pytest.fixture(scope="session")
def weekday() -> CaseStudy:
    return case_study("weekday")
