"""The page: every figure's errors, table 3 beside ours, verdicts, and reasons. Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from quietway.reproduce.markdown import number, table, verdict_section
from quietway.reproduce.od.averages import ratio, scores
from quietway.reproduce.od.case import RANDOM, Case, Figure, Results
from quietway.reproduce.od.judgement import verdicts
from quietway.reproduce.od.methods import METHODS, OURS, PAPER
from quietway.reproduce.od.paper import CITIES, TABLE_3
from quietway.reproduce.od.reasons import reasons

TRIED = "Each ordering on every case that it speaks of, or once for each pair of methods where it is one of averages"
FIGURES = {
    Figure.GAUSSIAN: "Gaussian points. Columns: epsilon, and the cloud's standard deviation as a share of the width.",
    Figure.ZIPF: "Zipf points. Columns: epsilon, and the exponent.",
    Figure.CITIES: "Real places. Columns: epsilon, and the side of the queries as a share of the matrix's.",
    Figure.STOPS: "Real paths. Columns as before.",
}


def page(results: Results, command: str, *, plot: str | None = None) -> str:
    """All of it; `plot` is the name of the picture beside it."""
    parts = [
        _head(results, command),
        _summary(results),
        _methods(results),
        *([_data(results)] if results.about or results.missing else []),
        *([f"## Figures\n\n![Mean relative error of every method]({plot})"] if plot else []),
        *(
            _figure(results, figure)
            for figure in Figure
            if results.cases(lambda case, f=figure: case.figure == f)
        ),
        _averages(results),
        *([_times(results)] if results.times else []),
        verdict_section(verdicts(results), TRIED),
        reasons(results),
    ]
    return "\n\n".join(parts) + "\n"


def _head(results: Results, command: str) -> str:
    settings = results.settings
    return (
        "# The paper on matrices of origins, destinations and stops, reproduced\n\n"
        "Shaham, Ghinita and Shahabi, *Differentially-Private Publication of Origin-Destination Matrices with Intermediate "
        "Stops*, EDBT 2022: figures 4 to 8 and table 3. Every number that is not the paper's was printed by\n\n"
        f"    {command}\n\n"
        f"Means of {settings.runs} {'run' if settings.runs == 1 else 'runs'} with seed {settings.seed}, each with its own noise and "
        f"queries, and its own {settings.points:,} points where these are invented. One path is hidden, added or removed. "
        "The noise is seeded: **nothing here is private, and nothing was spent.**\n\n"
        "An error is the mean over "
        f"{settings.queries:,} queries of |truth - answer| / max(truth, a thousandth of all paths), in percent (the paper's (3) "
        "has no floor, and is not defined for a truth of zero). The figures are pictures: no number of theirs is printed, so "
        "orderings alone are compared. Variances and exponents are not printed either; those here span from a handful of cells "
        "to nearly uniform."
    )


def _summary(results: Results) -> str:
    words = Counter(
        verdict.word for verdict in verdicts(results) if not verdict.source.startswith("asked here")
    )
    told = ", ".join(
        f"{count} {word if count == 1 else word.replace('holds', 'hold').replace('does not', 'do not')}"
        for word, count in words.items()
    )
    return (
        f"Of the paper's {words.total()} orderings, as they are put to the test [below](#verdicts), {told}."
    )


def _methods(results: Results) -> str:
    run = {name for every in results.found.values() for name in every}
    told = {
        PAPER: "answer as the paper does: the finest noisy counts alone, spread evenly, negative ones included. "
        "Choices that would not be private, or do not work, are corrected",
        OURS: "are what a release file may name, and answer as a release does: all noisy counts fitted, none negative",
    }
    parts = [
        f"**{part[0].upper()}{part[1:]}** {told[part]}.\n\n"
        + "\n".join(
            f"- {name}: {method.what}."
            for name, method in METHODS.items()
            if method.part == part and name in run
        )
        for part in (PAPER, OURS)
    ]
    return "## Methods\n\n" + "\n\n".join(parts)


def _data(results: Results) -> str:
    rows = [
        (
            about.name,
            str(about.dimensions),
            f"{about.paths:,}",
            f"{about.cells:,}",
            f"{about.entropy:.1f}",
            about.note,
        )
        for about in results.about
    ]
    missing = "".join(f"\n\nNot run: {reason}." for reason in dict.fromkeys(map(str, results.missing)))
    return (
        "## Real data in place of the paper's\n\nThe paper's locations of telephones are proprietary.\n\n"
        + (
            table(("paths", "dimensions", "how many", "cells filled", "entropy, bits", "what they are"), rows)
            if rows
            else ""
        )
        + missing
    )


def _figure(results: Results, figure: Figure) -> str:
    cases = results.cases(lambda case: case.figure == figure)
    groups = dict.fromkeys((case.data, case.dimensions) for case in cases)
    tables = [
        _errors(results, [case for case in cases if (case.data, case.dimensions) == group], group)
        for group in groups
    ]
    return f"## {figure}\n\n{FIGURES[figure]}\n\n" + "\n\n".join(tables)


def _errors(results: Results, cases: Sequence[Case], group: tuple[str, int]) -> str:
    cases = sorted(cases, key=lambda case: (case.epsilon, case.skew, case.coverage))
    heads = [f"{float(case.epsilon):g}: {_column(case)}" for case in cases]
    rows = [
        (name, *(number(results.mean(case, name)) for case in cases))
        for name in METHODS
        if name in results.found[cases[0]]
    ]
    return f"### {group[0]}, {group[1]}-D\n\n" + table(("method", *heads), rows)


def _column(case: Case) -> str:
    if case.figure in (Figure.GAUSSIAN, Figure.ZIPF):
        return f"{case.skew:g}"
    return "random" if case.coverage == RANDOM else f"{case.coverage:.0%}"


def _averages(results: Results) -> str:
    found = scores(results.found)
    names = [name for name in METHODS if all(name in row for row in found.values())]
    heads = ("method", *(f"{data} {dimensions}-D" for data, dimensions in found), "of DAF-Entropy's")
    rows = [
        (name, *(number(row[name]) for row in found.values()), f"{ratio(found, name, 'DAF-Entropy'):.2f}")
        for name in names
    ]
    return (
        "## On average\n\n"
        "The geometric mean of a method's errors over all columns of a data set; and last, over data sets, of what they are of "
        "DAF-Entropy's.\n\n" + table(heads, rows)
    )


def _times(results: Results) -> str:
    head = ["method"]
    for data in dict.fromkeys(time.data for time in results.times):
        head += [f"{data}: noise", "and fit", "times DAF-Entropy"]
    head += [f"paper, {city}" for city in CITIES] + ["times DAF-Entropy"]
    rows = [_time_row(results, name) for name in dict.fromkeys(time.method for time in results.times)]
    return (
        "## Table 3\n\n"
        "Seconds of the processor in two dimensions at epsilon 0.1, the better of two runs; `times DAF-Entropy` is the ratio to that method's noise "
        "in the same run (in the paper, the mean over its cities). Times are of one machine and differ from run to run.\n\n"
        + table(head, rows)
    )


def _time_row(results: Results, name: str) -> list[str]:
    row = [name]
    for data in dict.fromkeys(time.data for time in results.times):
        times = {time.method: time for time in results.times if time.data == data}
        if name not in times:
            row += ["–"] * 3
            continue
        unit = times["DAF-Entropy"].measuring
        row += [
            number(times[name].measuring),
            number(times[name].fitting),
            number(times[name].measuring / unit),
        ]
    printed = TABLE_3.get(name)
    if printed is None:
        return [*row, *["–"] * 4]
    ratio = sum(a / b for a, b in zip(printed, TABLE_3["DAF-Entropy"], strict=True)) / len(printed)
    return [*row, *(f"{seconds:g}" for seconds in printed), number(ratio)]
