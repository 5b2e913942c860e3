"""The page: ours beside the paper's, verdicts, and reasons. Markdown, the same for the same settings."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from quietway.city import DAYS
from quietway.reproduce.case_study import FEATURES, TOTAL
from quietway.reproduce.cbdp import Case, Results
from quietway.reproduce.judgement import verdicts
from quietway.reproduce.markdown import number, table, verdict_section
from quietway.reproduce.norms import NearestNorm, nearest_norms
from quietway.reproduce.paper import (
    EXTRA,
    METHODS,
    RUNS,
    TABLE_2,
    TABLE_2_EPSILONS,
    TRIPS_AT_THE_PEAK,
    TRIPS_OF_THE_DAY,
)
from quietway.reproduce.reasons import reasons
from quietway.reproduce.scores import L1, PEAK_TRIPS, RMS, TRIPS

TRIED = "Each ordering on every day and epsilon that it speaks of"
FIGURE_5 = ("lap rounded", "h3", "h4", "h5", "o3", "o4", "o5", "uniform", "zero")
PROPERTIES = {"o5": "F ✓ ✓", "h5": "H ✗ ✗", "o5a": "H ✓ ✗", "o5b": "H ✓ ✓", "o5c": "F ✓ ✗"}


def page(results: Results, command: str, *, plot: str | None = None) -> str:
    """All of it; `plot` is the name of the picture beside it."""
    norms = nearest_norms(results)
    parts = [
        _head(results, command),
        _norm(norms),
        f"## Figure 5 (a, b)\n\n![Errors per cell at each epsilon]({plot})" if plot else "## Figure 5 (a, b)",
        *(_figure(results, score) for score in (RMS, L1)),
        _table_2(results),
        _trips(results),
        "## Errors per feature\n\nMean absolute error of a block.",
        *(_by_case(results, f"### {name.capitalize()}", FIGURE_5, name) for name in FEATURES),
        "## Beside the paper\n\n" + _catalogue(),
        *(
            _by_case(results, f"### {title}", [m for m in METHODS if METHODS[m].part == EXTRA], score)
            for title, score in ((RMS, RMS), (L1, L1), ("Total, absolute error", TOTAL))
        ),
        verdict_section(verdicts(results), TRIED),
        reasons(results, norms),
    ]
    return "\n\n".join(parts) + "\n"


def _head(results: Results, command: str) -> str:
    settings = results.settings
    quick = "" if settings.runs >= RUNS else f" The paper has {RUNS} runs."
    return (
        "# The paper on constraint-based privacy, reproduced\n\n"
        "Fioretto, Lee and Van Hentenryck, *Constrained-Based Differential Privacy for Mobility Services*, AAMAS 2018: "
        "figure 5(a, b) and table 2, on the weekday and the weekend of the example city. "
        f"Every number that is not the paper's was printed by\n\n    {command}\n\n"
        f"Means of {settings.runs} {'run' if settings.runs == 1 else 'runs'} with seed {settings.seed}.{quick} "
        "One trip is hidden, added or removed. The trips are invented and the noise is seeded: "
        "**nothing here is private, and nothing was spent.**"
    )


def _norm(norms: Sequence[NearestNorm]) -> str:
    intro = (
        "## Which norm\n\n"
        'The paper reports an "average distance" between exact and private answers, without its norm or the answers it '
        f"is taken over. Here {RMS} is used where nothing else is said, and {L1} stands beside: all cells count, empty ones too. "
        "The other norms are in the JSON."
    )
    if not norms:
        return intro
    rows = [(norm.score, _times(norm.central), _times(norm.every)) for norm in norms]
    return (
        f"{intro} Four norms that the paper may have meant, and by what factor ours then typically differ from the numbers of "
        "Table 2 (e to the mean absolute logarithm of the ratio):\n\n"
        + table(("norm", "M_O5 and M_H5", "all of Table 2"), rows)
        + f"\n\nThe nearest for M_O5 and M_H5 is **{norms[0].score}**."
    )


def _figure(results: Results, score: str) -> str:
    return _by_case(results, f"### {score}", FIGURE_5, score)


def _by_case(results: Results, title: str, methods: Sequence[str], score: str) -> str:
    cases = results.cases()
    rows = [(METHODS[m].name, *(number(results.mean(case, m, score)) for case in cases)) for m in methods]
    return f"{title}\n\n" + table(("method", *map(_short, cases)), rows)


def _table_2(results: Results) -> str:
    cases = [case for case in results.cases() if case.epsilon in TABLE_2_EPSILONS]
    rows = list[Sequence[str]]()
    for method, printed in TABLE_2.items():
        name, kind = METHODS[method].name, PROPERTIES[method]
        rows.append(
            (name, kind, "paper", *(f"{printed[c.day][TABLE_2_EPSILONS.index(c.epsilon)]:g}" for c in cases))
        )
        rows += [
            ("", "", score, *(number(results.mean(c, method, score)) for c in cases)) for score in (RMS, L1)
        ]
    return (
        "## Table 2\n\n"
        "S: flat (F) or hierarchical (H) constraints; P: x >= 0; W: weights 1/n.\n\n"
        + table(("method", "S P W", "", *map(_short, cases)), rows, words=3)
    )


def _trips(results: Results) -> str:
    methods = ("lap rounded", "lap truncated", "h5", "h5 pruned", "o5 rounded alone", "o5 integers")
    truth = DAYS["weekday"]
    rows = list[Sequence[str]]()
    for case in results.cases():
        if case.day != "weekday":
            continue
        for score, printed, true, hours in (
            (TRIPS, TRIPS_OF_THE_DAY, truth.trips, "the day"),
            (PEAK_TRIPS, TRIPS_AT_THE_PEAK, truth.peak_trips, "8 to 10"),
        ):
            found = [f"{results.mean(case, method, score):,.0f}" for method in methods]
            told = [_printed(printed, name, case.epsilon) for name in ("lap", "h5")]
            rows.append((f"{float(case.epsilon):g}", hours, f"{true:,}", *told, *found))
    return (
        "## Trips of the published data set, weekday\n\n"
        "The paper prints M_Lap's for the whole day at epsilon 1 (section 6), and M_Lap's and M_H5's at the smaller ones "
        "(section 10; section 6 says of the last that it is for 8 to 10, and only so do they fit). Answers are made whole "
        "as the paper does, each to the nearest non-negative integer.\n\n"
        + table(
            ("epsilon", "hours", "true", "paper: M_Lap", "paper: M_H5", *(METHODS[m].name for m in methods)),
            rows,
        )
    )


def _printed(numbers: dict[tuple[str, Fraction], float], method: str, epsilon: Fraction) -> str:
    return f"{numbers[method, epsilon]:,.0f}" if (method, epsilon) in numbers else "–"


def _catalogue() -> str:
    return "\n".join(f"- **{method.name}**: {method.what}." for method in METHODS.values())


def _times(factor: float) -> str:
    return f"{factor:.2f}"


def _short(case: Case) -> str:
    return f"{case.day} {float(case.epsilon):g}"
