"""Which orderings hold: each claim is tried on every day and epsilon it speaks of, run by run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from quietway.reproduce.cbdp import Case, Results
from quietway.reproduce.paper import METHODS, TABLE_2, TABLE_2_EPSILONS
from quietway.reproduce.verdict import Outcome, Verdict, independent, sign, tallied


@dataclass(frozen=True, kw_only=True)
class Claim:
    """That some methods err less than others, by a factor or more.

    `why` says why it need not hold, and is shown where it does not.
    """

    says: str
    source: str
    score: str
    pairs: tuple[tuple[str, str], ...]
    factor: float = 1.0
    only: Callable[[Fraction], bool] = lambda _: True
    why: str = ""


def judged(results: Results, claim: Claim) -> Verdict:
    """The claim, tried on every case."""
    outcomes = [
        (
            compared(results, case, claim, better, worse),
            f"{METHODS[better].name} against {METHODS[worse].name}, {case}",
        )
        for case in results.cases()
        if claim.only(case.epsilon)
        for better, worse in claim.pairs
    ]
    return tallied(claim.says, claim.source, outcomes, claim.why)


def compared(results: Results, case: Case, claim: Claim, better: str, worse: str) -> int:
    """1 if the claim holds in a case, -1 if not, 0 within two standard errors of the runs' differences."""
    gap = results.runs(case, worse, claim.score) - claim.factor * results.runs(case, better, claim.score)
    return sign(gap)


def table_2_orderings(results: Results, score: str) -> Verdict:
    """Every pair of methods in a column of the paper's Table 2: which of the two errs less?"""
    outcomes = list[Outcome]()
    for case in results.cases():
        if case.epsilon not in TABLE_2_EPSILONS:
            continue
        column = TABLE_2_EPSILONS.index(case.epsilon)
        for pair in combinations(TABLE_2, 2):
            better, worse = sorted(pair, key=lambda method: TABLE_2[method][case.day][column])
            gap = results.runs(case, worse, score) - results.runs(case, better, score)
            outcomes.append((sign(gap), f"{METHODS[better].name} against {METHODS[worse].name}, {case}"))
    return tallied(
        "every pair of methods in every column of Table 2 stands in the printed order",
        "Table 2",
        outcomes,
        "Reason 5 below: at their optimum the hierarchical programs M_O5(a) and M_O5(b) are not worse than M_O5.",
    )


def across(
    results: Results, says: str, source: str, score: str, steps: Sequence[tuple[Case, Case, str]]
) -> Verdict:
    """That a method errs less in the first case of each step than in the second; their noise is independent."""
    outcomes = [
        (
            independent(*(results.runs(case, method, score) for case in (low, high))),
            f"{METHODS[method].name}, {low} against {high}",
        )
        for low, high, method in steps
    ]
    return tallied(says, source, outcomes)


def always_below(results: Results, methods: Sequence[str], score: str, most: float) -> Verdict:
    """That a score never exceeds a bound, in any run at all."""
    held, failed = 0, list[str]()
    for case in results.cases():
        for method in methods:
            runs = results.runs(case, method, score)
            held += int((runs <= most).sum())
            failed += [f"{METHODS[method].name}, {case}"] * int((runs > most).sum())
    return Verdict(
        says=f"a fit is never further from the truth than the noise was, in the weighted norm ({', '.join(METHODS[m].name for m in methods)})",
        source="theory: Theorem 8.3 with 1 in place of 2",
        held=held,
        close=0,
        failed=tuple(failed),
    )
