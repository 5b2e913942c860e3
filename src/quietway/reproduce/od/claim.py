"""That some methods err less than others, and how that is tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from quietway.reproduce.od.case import Case, Figure, Results, Runs
from quietway.reproduce.verdict import Outcome, Verdict, sign, tallied

Only = Callable[[Case], bool]


def gaussian_plane(case: Case) -> bool:
    """Figure 4's first row."""
    return case.figure == Figure.GAUSSIAN and case.dimensions == 2


def gaussian(case: Case) -> bool:
    """Figure 4."""
    return case.figure == Figure.GAUSSIAN


def zipf(case: Case) -> bool:
    """Figure 5."""
    return case.figure == Figure.ZIPF


def cities(case: Case) -> bool:
    """Figures 6 and 7."""
    return case.figure == Figure.CITIES


def stops(case: Case) -> bool:
    """Figure 8."""
    return case.figure == Figure.STOPS


def four(case: Case) -> bool:
    """Figure 8 as the paper has it."""
    return stops(case) and case.dimensions == 4


def everywhere(_: Case) -> bool:
    """All that was run."""
    return True


@dataclass(frozen=True, kw_only=True)
class Claim:
    """That the first of each pair errs less than the second, by a factor or more, in some cases."""

    says: str
    source: str
    pairs: tuple[tuple[str, str], ...]
    only: Only
    factor: float = 1.0
    why: str = ""


def judged(results: Results, claim: Claim) -> Verdict:
    """The claim, tried on every case that it speaks of, run by run."""
    outcomes = [
        (
            sign(log_ratio(results, case, worse, better) - np.log(claim.factor)),
            f"{better} against {worse}, {case}",
        )
        for case in results.cases(claim.only)
        for better, worse in claim.pairs
        if {better, worse} <= set(results.found[case])
    ]
    return tallied(claim.says, claim.source, outcomes, claim.why)


def on_average(results: Results, claim: Claim) -> Verdict:
    """The claim, tried once for each pair: on the geometric mean of the errors over all its cases."""
    outcomes = list[Outcome]()
    for better, worse in claim.pairs:
        logs = [
            log_ratio(results, case, worse, better) - np.log(claim.factor)
            for case in results.cases(claim.only)
            if {better, worse} <= set(results.found[case])
        ]
        if logs:
            outcomes.append((sign(np.mean(logs, axis=0)), f"{better} against {worse}"))
    return tallied(claim.says, claim.source, outcomes, claim.why)


def log_ratio(results: Results, case: Case, worse: str, better: str) -> Runs:
    """How many times more the first errs than the second, in logarithms, run by run."""
    return results.logs(case, worse) - results.logs(case, better)
