"""What a claim of the paper on matrices with stops is judged by."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from quietway.reproduce.od.averages import best, ratio, scores
from quietway.reproduce.od.case import Case, Figure, Results, Time
from quietway.reproduce.od.claim import Claim, everywhere, judged, on_average
from quietway.reproduce.od.claims import IN_EVERY_CASE, ON_AVERAGE
from quietway.reproduce.od.judgement import verdicts
from quietway.reproduce.od.methods import DAF, DATA_INDEPENDENT, METHODS
from quietway.reproduce.od.settings import Settings
from quietway.reproduce.od.trends import (
    best_at_extremes,
    falls_with_coverage,
    falls_with_epsilon,
    gain_grows,
    rises_with_exponent,
)

TENTH, HALF = Fraction(1, 10), Fraction(1, 2)


def case(**changes: object) -> Case:
    settings = {"figure": Figure.ZIPF, "data": "Zipf", "dimensions": 2, "epsilon": TENTH, "skew": 1.5}
    return Case(**(settings | changes))  # type: ignore[arg-type]


def made(errors: dict[Case, dict[str, list[float]]], **more: object) -> Results:
    """Results with these errors, run by run."""
    found = {
        one: {m: np.array(runs, dtype=float) for m, runs in every.items()} for one, every in errors.items()
    }
    return Results(settings=Settings(), found=found, **more)  # type: ignore[arg-type]


def claim(**changes: object) -> Claim:
    settings = {
        "says": "so",
        "source": "here",
        "pairs": (("EBP", "EUG"),),
        "only": everywhere,
        "why": "because",
    }
    return Claim(**(settings | changes))  # type: ignore[arg-type]


def test_a_claim_is_tried_on_every_case_that_it_speaks_of() -> None:
    """And says where it fails, and why."""
    results = made(
        {case(): {"EBP": [1, 2, 1], "EUG": [5, 6, 6]}, case(skew=2.0): {"EBP": [9, 9, 8], "EUG": [5, 6, 6]}}
    )
    verdict = judged(results, claim())
    assert (verdict.word, verdict.held, verdict.why) == ("holds in part", 1, "because")
    assert verdict.failed == ("EBP against EUG, Zipf 2-D exponent 2, epsilon 0.1, random queries",)
    assert judged(results, claim(only=lambda one: one.skew < 2)).word == "holds"
    assert judged(results, claim(only=lambda one: one.skew < 2, factor=10)).word == "does not hold"


def test_methods_that_were_not_run_are_not_judged() -> None:
    """The claim is not tried rather than held."""
    results = made({case(): {"EBP": [1, 2, 1]}})
    assert judged(results, claim()).word == on_average(results, claim()).word == "not tried"


def test_an_average_weighs_every_case_alike() -> None:
    """Twice as good in two cases outweighs three times worse in one; single cases may fail."""
    results = made(
        {
            case(): {"EBP": [1, 1], "EUG": [2, 2]},
            case(skew=2.0): {"EBP": [1000, 1000], "EUG": [2000, 2000]},
            case(skew=3.0): {"EBP": [30, 30], "EUG": [10, 10]},
        }
    )
    assert on_average(results, claim()).word == "holds" and judged(results, claim()).word == "holds in part"
    assert on_average(results, claim(factor=1.2)).word == "does not hold"


def test_errors_that_fall_with_epsilon_are_seen_to() -> None:
    """And those that rise are named."""
    low, high = case(), case(epsilon=HALF)
    results = made({low: {"EBP": [9, 9], "EUG": [1, 1]}, high: {"EBP": [3, 3], "EUG": [2, 2]}})
    verdict = falls_with_epsilon(results)
    assert verdict.held == 1 and verdict.failed == (f"EUG, {low} against 0.5",)


def test_errors_that_rise_with_the_exponent_are_seen_to() -> None:
    """Larger exponents are worse if the paper is right."""
    results = made({case(skew=a): {"EBP": [a, a], "MKM": [9 - a, 9 - a]} for a in (1.0, 2.0, 3.0)})
    verdict = rises_with_exponent(results)
    assert (verdict.held, len(verdict.failed)) == (2, 2)


def test_larger_queries_are_compared_with_smaller_ones_and_never_with_random_ones() -> None:
    """Only on real places."""
    cities = {"figure": Figure.CITIES, "data": "Town", "skew": 0.0}
    results = made({case(**cities, coverage=c): {"EBP": [5 - c, 5 - c]} for c in (0.0, 0.01, 0.1)})
    verdict = falls_with_coverage(results)
    assert (verdict.held, verdict.tried) == (1, 1)


def flat(**errors: float) -> dict[str, list[float]]:
    """Every method of the paper at one error, but for some."""
    return {m: [errors.get(m.replace("-", "_"), 4.0)] * 2 for m in (*DATA_INDEPENDENT, *DAF)}


def test_the_gain_of_daf_is_followed_through_the_dimensions() -> None:
    """From 2-D to 4-D it doubles, from there to 6-D it is gone."""
    cloud = {"figure": Figure.GAUSSIAN, "data": "Gaussian", "skew": 0.1}
    results = made(
        {
            case(**cloud, dimensions=2): flat(DAF_Entropy=2.0),
            case(**cloud, dimensions=4): flat(DAF_Entropy=1.0),
            case(**cloud, dimensions=6): flat(),
        }
    )
    verdict = gain_grows(results)
    assert verdict.held == 1 and len(verdict.failed) == 1 and "to 6-D" in verdict.failed[0]


def test_extremes_are_the_smallest_and_the_largest_variance() -> None:
    """A grid that wins in the middle alone is no evidence."""
    cloud = {"figure": Figure.GAUSSIAN, "data": "Gaussian", "dimensions": 2}
    results = Results(
        settings=Settings(dimensions=(2,), epsilons=(TENTH,)),
        found={
            case(**cloud, skew=s): {m: np.array(e) for m, e in every.items()}
            for s, every in ((0.02, flat(EBP=1.0)), (0.1, flat(EBP=1.0)), (1.0, flat(DAF_Entropy=1.0)))
        },
    )
    verdict = best_at_extremes(results)
    assert (verdict.held, len(verdict.failed)) == (1, 1) and "deviation 1 " in verdict.failed[0]


def test_scores_are_geometric_means() -> None:
    """Over the cases of a data set, and ratios over data sets; the best is so on all of them together."""
    table = scores(
        made(
            {
                case(): {"EBP": [1, 3], "EUG": [8, 8]},
                case(skew=2.0): {"EBP": [8, 8], "EUG": [8, 8]},
                case(data="Town"): {"EBP": [10, 10], "EUG": [5, 5]},
            }
        ).found
    )
    assert table["Zipf", 2]["EBP"] == pytest.approx(4)
    assert ratio(table, "EBP", "EUG") == pytest.approx(1) and ratio(table, "EUG", "EBP") == pytest.approx(1)
    table["Town", 2]["EUG"] = 4.0
    assert best(table, ("EBP", "EUG")) == "EUG" and ratio(table, "EUG", "EBP") == pytest.approx(0.8**0.5)


def test_times_are_judged_by_their_plain_order() -> None:
    """On each matrix."""
    times = tuple(
        Time(data="Town", method=m, measuring=s, fitting=0.1)
        for m, s in (("IDENTITY", 5.0), ("DAF-Entropy", 1.0), ("DAF-Homogeneity", 400.0))
    )
    faster, short = verdicts(made({}, times=times))[-2:]
    assert (faster.held, faster.failed) == (1, ("DAF-Homogeneity against IDENTITY, Town",))
    assert (short.held, short.failed) == (2, ("DAF-Homogeneity, Town",))


def test_every_claim_is_about_methods_that_can_be_run() -> None:
    """A name that is misspelt would never be tried."""
    assert {m for one in (*IN_EVERY_CASE, *ON_AVERAGE) for pair in one.pairs for m in pair} <= set(METHODS)


def test_the_small_run_tries_every_claim(results: Results) -> None:
    """But for those on methods that are not there."""
    untried = [verdict.says for verdict in verdicts(results) if verdict.word == "not tried"]
    assert all("daf errs less" in says or "entropy is higher" in says for says in untried)
