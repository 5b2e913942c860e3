"""Everything that is judged: the claims, the printed table's order, and what theory says must hold."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import exp

from quietway.city import DAYS
from quietway.reproduce.case_study import CaseStudy, case_study
from quietway.reproduce.cbdp import PROJECTIONS, Case, Results
from quietway.reproduce.claims import CLAIMS, LAPLACE, OPTIMA, TREES
from quietway.reproduce.scores import CONTRACTION, RMS, TRIPS
from quietway.reproduce.verdict import Verdict
from quietway.reproduce.verdicts import across, always_below, judged, table_2_orderings

ROUNDING = 1 + 1e-9


def _smaller_epsilons(results: Results) -> Verdict:
    methods = (LAPLACE, *TREES, *OPTIMA, "o5a", "o5b", "o5c")
    steps = [
        (low, high, method)
        for low, high in pairwise(results.cases())
        if low.day == high.day
        for method in methods
    ]
    return across(
        results,
        f"every method of the paper errs more at a smaller epsilon ({RMS})",
        "Fig. 5, Table 2",
        RMS,
        steps,
    )


def _quieter_day(results: Results) -> Verdict:
    steps = [
        (Case(day="weekend", epsilon=epsilon), Case(day="weekday", epsilon=epsilon), "o5")
        for epsilon in results.settings.epsilons
    ]
    return across(
        results, f"M_O5 errs less at the weekend than on the weekday ({RMS})", "Table 2", RMS, steps
    )


def verdicts(results: Results) -> list[Verdict]:
    """All claims, tried."""
    return [
        *(judged(results, claim) for claim in CLAIMS),
        table_2_orderings(results, RMS),
        _smaller_epsilons(results),
        _quieter_day(results),
        always_below(results, PROJECTIONS, CONTRACTION, ROUNDING),
        *(_laplace_trips(results, method, form) for method, form in FORMS),
    ]


FORMS = (("lap rounded", "rounded"), ("lap truncated", "truncated"))


def expected_trips(study: CaseStudy, epsilon: Fraction, form: str) -> float:
    """What the Laplace mechanism makes of the day, in closed form.

    With h = 1/2 where answers are rounded and 0 where they are truncated, a cell of c trips becomes at least m with
    chance r^(m - c - h) / 2 for m > c, and 1 - r^(c - m + h) / 2 for m <= c, where r = exp(-epsilon). Its mean is the
    sum over m = 1, 2, ...: c + (r^(1 - h) - r^h (1 - r^c)) / (1 - r) / 2.
    """
    r, h, count = exp(-float(epsilon)), 0.5 if form == "rounded" else 0.0, study.truth
    return float((count + (r ** (1 - h) - r**h * (1 - r**count)) / (1 - r) / 2).sum())


def _laplace_trips(results: Results, method: str, form: str) -> Verdict:
    held, failed = 0, list[str]()
    studies = {day: case_study(day) for day in DAYS}
    for case in results.cases():
        expected = expected_trips(studies[case.day], case.epsilon, form)
        right = abs(results.mean(case, method, TRIPS) / expected - 1) <= 0.01
        held += right
        failed += [] if right else [str(case)]
    return Verdict(
        says=f"M_Lap, {form}, makes the number of trips that its closed form says, within 1 %",
        source="theory",
        held=held,
        close=0,
        failed=tuple(failed),
    )
