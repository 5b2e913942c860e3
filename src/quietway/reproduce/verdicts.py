"""Which orderings hold: each claim is tried on every day and epsilon it speaks of, run by run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from quietway.reproduce.cbdp import Case, Results, Runs
from quietway.reproduce.paper import METHODS, TABLE_2, TABLE_2_EPSILONS

STANDARD_ERRORS = 2.0


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


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """How often a claim held, was too close to call, and failed; and where it failed."""

    says: str
    source: str
    held: int
    close: int
    failed: tuple[str, ...]
    why: str = ""

    @property
    def tried(self) -> int:
        """How often it was put to the test."""
        return self.held + self.close + len(self.failed)

    @property
    def word(self) -> str:
        """In a word or two."""
        if not self.tried:
            return "not tried"
        if not self.failed:
            return "holds" if self.held else "too close to call"
        return "does not hold" if not self.held else "holds in part"


def judged(results: Results, claim: Claim) -> Verdict:
    """The claim, tried on every case."""
    held, close, failed = 0, 0, list[str]()
    for case in results.cases():
        if not claim.only(case.epsilon):
            continue
        for better, worse in claim.pairs:
            outcome = compared(results, case, claim, better, worse)
            held, close = held + (outcome > 0), close + (outcome == 0)
            if outcome < 0:
                failed.append(f"{METHODS[better].name} against {METHODS[worse].name}, {case}")
    return Verdict(
        says=claim.says,
        source=claim.source,
        held=held,
        close=close,
        failed=tuple(failed),
        why=claim.why if failed else "",
    )


def compared(results: Results, case: Case, claim: Claim, better: str, worse: str) -> int:
    """1 if the claim holds in a case, -1 if not, 0 within two standard errors of the runs' differences."""
    gap = results.runs(case, worse, claim.score) - claim.factor * results.runs(case, better, claim.score)
    return _sign(gap)


def _sign(gap: Runs) -> int:
    mean = float(gap.mean())
    return 0 if abs(mean) <= STANDARD_ERRORS * standard_error(gap) else (1 if mean > 0 else -1)


def standard_error(runs: Runs) -> float:
    """Of a mean over runs; 0 of a single one, which has no spread to judge by."""
    return float(runs.std(ddof=1)) / float(np.sqrt(runs.size)) if runs.size > 1 else 0.0


def table_2_orderings(results: Results, score: str) -> Verdict:
    """Every pair of methods in a column of the paper's Table 2: which of the two errs less?"""
    held, close, failed = 0, 0, list[str]()
    for case in results.cases():
        if case.epsilon not in TABLE_2_EPSILONS:
            continue
        column = TABLE_2_EPSILONS.index(case.epsilon)
        for pair in combinations(TABLE_2, 2):
            better, worse = sorted(pair, key=lambda method: TABLE_2[method][case.day][column])
            outcome = _sign(results.runs(case, worse, score) - results.runs(case, better, score))
            held, close = held + (outcome > 0), close + (outcome == 0)
            if outcome < 0:
                failed.append(f"{METHODS[better].name} against {METHODS[worse].name}, {case}")
    return Verdict(
        says="every pair of methods in every column of Table 2 stands in the printed order",
        source="Table 2",
        held=held,
        close=close,
        failed=tuple(failed),
        why="Reason 5 below: at their optimum the hierarchical programs M_O5(a) and M_O5(b) are not worse "
        "than M_O5."
        if failed
        else "",
    )


def across(
    results: Results, says: str, source: str, score: str, steps: Sequence[tuple[Case, Case, str]]
) -> Verdict:
    """That a method errs less in the first case of each step than in the second; their noise is independent."""
    held, close, failed = 0, 0, list[str]()
    for low, high, method in steps:
        fewer, more = (results.runs(case, method, score) for case in (low, high))
        outcome = _independent(fewer, more)
        held, close = held + (outcome > 0), close + (outcome == 0)
        if outcome < 0:
            failed.append(f"{METHODS[method].name}, {low} against {high}")
    return Verdict(says=says, source=source, held=held, close=close, failed=tuple(failed))


def _independent(fewer: Runs, more: Runs) -> int:
    gap = float(more.mean() - fewer.mean())
    error = float(np.hypot(standard_error(fewer), standard_error(more)))
    return 0 if abs(gap) <= STANDARD_ERRORS * error else (1 if gap > 0 else -1)


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
