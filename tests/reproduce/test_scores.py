"""Errors of private answers in several norms."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from quietway.noise import seeded
from quietway.reproduce.case_study import FEATURES, PERIOD, TOTAL, ZONES, CaseStudy
from quietway.reproduce.families import Answers, constrained, nearest_table
from quietway.reproduce.methods import evenly
from quietway.reproduce.scores import BY_FEATURE, L1, OCCUPIED, PEAK_TRIPS, RMS, TRIPS, contraction, scores

NOTHING = Answers(keys=np.zeros(0, dtype=np.int64), values=np.zeros(0))


def test_listed_answers_score_as_the_same_ones_in_full(weekday: CaseStudy) -> None:
    """Cells left out are answered with nothing."""
    draw = np.random.default_rng(1)
    keys = np.sort(draw.choice(weekday.universe.size, 5_000, replace=False)).astype(np.int64)
    values, every = draw.normal(2, 5, keys.size), np.zeros(weekday.universe.size)
    every[keys] = values
    listed = scores(weekday, Answers(keys=keys, values=values))
    assert listed == pytest.approx(scores(weekday, Answers.every(every)))


def test_scores_follow_their_definitions(weekday: CaseStudy) -> None:
    """Against plain formulas over every cell and every block."""
    answers = np.random.default_rng(2).normal(0, 3, weekday.universe.size)
    error, found = answers - weekday.truth, scores(weekday, Answers.every(answers))
    assert found[L1] == pytest.approx(np.abs(error).mean())
    assert found[RMS] == pytest.approx(np.sqrt((error**2).mean()))
    assert found[OCCUPIED] == pytest.approx(np.abs(error[weekday.truth > 0]).mean())
    assert found[PERIOD] == pytest.approx(np.abs(error.reshape(-1, 48).sum(axis=0)).mean())
    assert found[BY_FEATURE] == pytest.approx((found[L1] + sum(found[name] for name in FEATURES)) / 5)
    whole = np.maximum(0, np.rint(answers))
    assert found[TRIPS] == whole.sum() and found[PEAK_TRIPS] == whole.reshape(-1, 48)[:, 16:20].sum()


def test_no_trips_err_by_all_trips(weekday: CaseStudy) -> None:
    """The trivial answer's errors are known beforehand."""
    found = scores(weekday, NOTHING)
    assert found[TOTAL] == 37_714 and found[L1] == 37_714 / weekday.universe.size and found[TRIPS] == 0


def test_a_fit_contracts_and_what_is_no_fit_need_not(weekday: CaseStudy) -> None:
    """An optimum is nearer to the truth than the noise, in its norm; twice the optimum is not."""
    family = constrained((TOTAL, PERIOD, ZONES), evenly, nearest_table("o4"))
    measurements = family.measured(weekday, Fraction(1), rng=seeded(3))
    ((_, fit),) = family.fits(measurements)
    assert contraction(weekday, measurements, fit) < 1
    assert contraction(weekday, measurements, Answers(keys=fit.keys, values=2 * fit.values)) > 1
