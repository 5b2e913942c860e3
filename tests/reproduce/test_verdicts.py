"""Verdicts: what a claim is judged by."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from quietway.city import DAYS
from quietway.errors import ConfigError
from quietway.reproduce.case_study import CaseStudy
from quietway.reproduce.cbdp import Case, Results, Settings, run
from quietway.reproduce.claims import CLAIMS
from quietway.reproduce.judgement import expected_trips, verdicts
from quietway.reproduce.norms import nearest_norms
from quietway.reproduce.paper import METHODS, TABLE_2, TABLE_2_EPSILONS
from quietway.reproduce.scores import CONTRACTION, L1, NORMS, RMS
from quietway.reproduce.verdicts import Claim, always_below, judged, table_2_orderings

ONE = Case(day="weekday", epsilon=Fraction(1))
TENTH = Case(day="weekday", epsilon=Fraction(1, 10))


def made(errors: dict[Case, dict[str, list[float]]], score: str = RMS) -> Results:
    """Results with these errors, run by run."""
    found = {
        case: {method: {score: np.array(runs)} for method, runs in every.items()}
        for case, every in errors.items()
    }
    return Results(settings=Settings(runs=3, epsilons=tuple({case.epsilon for case in errors})), found=found)


def claim(**changes: object) -> Claim:
    settings = {"says": "so", "source": "here", "score": RMS, "pairs": (("o5", "h5"),), "why": "because"}
    return Claim(**(settings | changes))  # type: ignore[arg-type]


def test_a_claim_holds_where_every_difference_is_clear() -> None:
    """Less in every case, by more than chance."""
    verdict = judged(made({ONE: {"o5": [1, 2, 1], "h5": [5, 6, 6]}}), claim())
    assert (verdict.word, verdict.held, verdict.failed, verdict.why) == ("holds", 1, (), "")


def test_a_claim_that_fails_somewhere_says_where_and_why() -> None:
    """Half right is no more than that."""
    results = made({ONE: {"o5": [1, 2, 1], "h5": [5, 6, 6]}, TENTH: {"o5": [9, 9, 8], "h5": [5, 6, 6]}})
    verdict = judged(results, claim())
    assert (verdict.word, verdict.why) == ("holds in part", "because")
    assert verdict.failed == ("M_O5 against M_H5, weekday, epsilon 0.1",)
    assert judged(results, claim(only=lambda epsilon: epsilon < 1)).word == "does not hold"


def test_what_chance_may_have_done_is_not_called() -> None:
    """A mean difference below two standard errors of the runs' differences."""
    assert judged(made({ONE: {"o5": [1, 9, 5], "h5": [2, 7, 7]}}), claim()).word == "too close to call"


def test_runs_are_compared_in_pairs() -> None:
    """Noise that both methods read does not hide a small difference that every run has."""
    assert judged(made({ONE: {"o5": [1, 50, 900], "h5": [1.1, 50.1, 900.11]}}), claim()).word == "holds"


def test_a_factor_is_asked_for_in_full() -> None:
    """Nine times better is not ten times better."""
    results = made({ONE: {"o5": [1, 1, 1], "h5": [9, 9, 9]}})
    assert judged(results, claim(factor=10)).word == "does not hold"
    assert judged(results, claim(factor=8)).word == "holds"


def test_a_claim_without_cases_is_not_tried() -> None:
    """It does not hold by default."""
    results = made({ONE: {"o5": [1, 1, 1], "h5": [9, 9, 9]}})
    assert judged(results, claim(only=lambda _: False)).word == "not tried"


def as_printed(score: str, factor: float = 1.0) -> Results:
    """What the paper prints, times a factor."""
    return made(
        {
            Case(day=day, epsilon=epsilon): {m: [factor * TABLE_2[m][day][i]] * 3 for m in TABLE_2}
            for day in DAYS
            for i, epsilon in enumerate(TABLE_2_EPSILONS)
        },
        score,
    )


def test_the_papers_own_numbers_stand_in_their_own_order() -> None:
    """Ten pairs of five methods, in six columns; two swapped methods are found."""
    results = as_printed(RMS)
    assert (table_2_orderings(results, RMS).word, table_2_orderings(results, RMS).held) == ("holds", 60)
    every = results.found[ONE]
    every["o5"], every["o5c"] = every["o5c"], every["o5"]
    assert table_2_orderings(results, RMS).failed == ("M_O5 against M_O5(c), weekday, epsilon 1",)


def test_the_nearest_norm_is_the_one_that_brings_the_printed_numbers() -> None:
    """A factor of exactly what the numbers are off by, up or down alike."""
    results = as_printed(L1, 0.25)
    for score in NORMS:
        if score != L1:
            for case, every in as_printed(score, 7.0).found.items():
                for method, runs in every.items():
                    results.found[case][method] |= runs
    first, *others = nearest_norms(results)
    assert first.score == L1 and first.central == pytest.approx(4) and first.every == pytest.approx(4)
    assert all(norm.central == pytest.approx(7) for norm in others)


def test_a_bound_is_broken_by_a_single_run() -> None:
    """What theory promises, it promises every time."""
    results = made({ONE: {"o5": [0.5, 0.9, 1.01]}}, CONTRACTION)
    verdict = always_below(results, ["o5"], CONTRACTION, 1.0)
    assert (verdict.held, verdict.word, len(verdict.failed)) == (2, "holds in part", 1)


def test_closed_form_of_the_laplace_mechanism(weekday: CaseStudy) -> None:
    """As real noise averages it, drawn here without the library."""
    draw = np.random.default_rng(4)
    noisy = weekday.truth + draw.laplace(0, 10, (8, weekday.universe.size))
    for form, whole in (("rounded", np.rint), ("truncated", np.trunc)):
        trips = np.maximum(0, whole(noisy)).sum(axis=1).mean()
        assert trips == pytest.approx(expected_trips(weekday, Fraction(1, 10), form), rel=0.003)


def test_what_theory_promises_holds_in_the_small_reproduction(results: Results) -> None:
    """Projections contract, and the Laplace mechanism makes the trips that it must."""
    theory = [verdict for verdict in verdicts(results) if verdict.source.startswith("theory")]
    assert len(theory) == 3 and all(verdict.word == "holds" for verdict in theory)


def test_the_paper_is_right_about_what_does_not_hang_on_its_data(results: Results) -> None:
    """Constraint-based tables err less than Laplace ones, those less than hierarchical ones, and signs matter."""
    held = {verdict.says for verdict in verdicts(results) if verdict.word == "holds"}
    expected = [
        c.says
        for c in CLAIMS
        if c.source.startswith("section 10") and "factor" not in c.says and "prune" not in c.says
    ]
    assert len(expected) == 5 and set(expected) <= held
    assert any(says.startswith("x >= 0 helps") for says in held)


def test_every_claim_is_about_methods_that_are_run(results: Results) -> None:
    """And every method that is run is scored."""
    assert {method for c in CLAIMS for pair in c.pairs for method in pair} <= set(METHODS)
    assert all(set(every) == set(METHODS) for every in results.found.values())


def test_the_seed_decides_the_numbers(results: Results) -> None:
    """The same seed repeats them; another run, and another seed, do not."""
    again = run(Settings(runs=1, epsilons=(Fraction(1),)))
    other = run(Settings(runs=1, epsilons=(Fraction(1),), seed=1))
    first = results.runs(ONE, "o5", RMS)
    assert again.runs(ONE, "o5", RMS)[0] == first[0] != first[1]
    assert other.runs(ONE, "o5", RMS)[0] != first[0]


@pytest.mark.parametrize(("wrong", "says"), [({"runs": 0}, "0 runs"), ({"epsilons": ()}, "no epsilon")])
def test_settings_that_show_nothing_are_refused(wrong: dict[str, object], says: str) -> None:
    """Before anything is run."""
    with pytest.raises(ConfigError, match=says):
        Settings(**wrong)  # type: ignore[arg-type]
