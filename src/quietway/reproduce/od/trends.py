"""What the paper says of how errors move: with epsilon, skew, the size of queries, the number of dimensions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from quietway.reproduce.od.case import Case, Figure, Results, Runs
from quietway.reproduce.od.claim import Only, cities, everywhere, gaussian, zipf
from quietway.reproduce.od.methods import DAF, DATA_INDEPENDENT, METHODS, PAPER
from quietway.reproduce.verdict import Outcome, Verdict, independent, sign, tallied

PRINTED = tuple(key for key, method in METHODS.items() if method.part == PAPER and key != "EUG corrected")


def falls_with_epsilon(results: Results) -> Verdict:
    """Section 6.3."""
    return tallied(
        "every method of the paper errs less at a larger epsilon",
        "section 6.3: consistently",
        _steps(results, "epsilon", everywhere, rises=False),
        "A larger epsilon buys a finer grid, whose blocks may part a crowd less luckily.",
    )


def falls_with_coverage(results: Results) -> Verdict:
    """Section 6.3, figure 6. Random queries are none of the sizes."""
    return tallied(
        "every method of the paper errs less on larger queries, on real places",
        "section 6.3, Fig. 6",
        _steps(results, "coverage", lambda case: cities(case) and case.coverage > 0, rises=False),
        "A query's error is divided by its true count, or a thousandth of all paths where that is more. Queries of 1 % of a side "
        "hold next to nothing nearly everywhere, so their errors are shares of the floor: noise and spreading grow with the query "
        "and the floor stays.",
    )


def rises_with_exponent(results: Results) -> Verdict:
    """Section 6.2, figure 5."""
    return tallied(
        "every method of the paper errs more at a larger exponent, on Zipf points",
        "section 6.2, Fig. 5",
        _steps(results, "skew", zipf, rises=True),
        "The larger the exponent, the more points share the corner's first cells. Once a method's smallest boxes reach these, queries "
        "that hold them are nearly right.",
    )


def best_at_extremes(results: Results) -> Verdict:
    """Section 6.2: DAF's gain is least where points fill everything, or a handful of cells."""
    rows = dict[tuple[int, Fraction], list[Case]]()
    for case in results.cases(gaussian):
        rows.setdefault((case.dimensions, case.epsilon), []).append(case)
    ordered = [sorted(row, key=lambda case: case.skew) for row in rows.values()]
    outcomes = [(sign(-gain(results, case)), str(case)) for row in ordered for case in (row[0], row[-1])]
    return tallied(
        "the best of IDENTITY, EUG, EBP and MKM errs less than both DAF at the smallest and at the largest variance",
        "section 6.2",
        outcomes,
        "In six dimensions a cloud of a few cells lies in one block of a grid of three parts an axis; DAF cuts on where it is.",
    )


def gain_grows(results: Results) -> Verdict:
    """Sections 6.2 and 6.3."""
    outcomes = [
        (independent(gain(results, low), gain(results, high)), f"from {low} to {high.dimensions}-D")
        for low, high in results.steps("dimensions", lambda case: case.figure != Figure.CITIES)
    ]
    return tallied(
        "DAF's gain on the best data-independent method grows with the number of dimensions",
        "sections 6.2 and 6.3, discussion",
        outcomes,
        "Ten cells an axis, in six dimensions, leave little to adapt to; and the same people's paths are so sparse there that all "
        "methods miss alike.",
    )


def entropy_favours_ebp(results: Results) -> Verdict:
    """Section 6.3: over the real places, EBP's gain on EUG and DAF rises with entropy."""
    entropy = {(about.name, about.dimensions): about.entropy for about in results.about}
    places = list(dict.fromkeys(case.data for case in results.cases(cities)))
    gains = {place: _ebp_gain(results, place) for place in places}
    by_entropy = sorted(places, key=lambda place: entropy[place, 2])
    outcomes = [
        (independent(gains[low], gains[high]), f"{low} against {high}")
        for i, low in enumerate(by_entropy)
        for high in by_entropy[i + 1 :]
    ]
    return tallied(
        "of two real places, EBP gains more on the best of EUG and DAF where the histogram's entropy is higher",
        "section 6.3, Fig. 7",
        outcomes,
        "Entropy is not all that tells these places apart: their paths number from six thousand to four million.",
    )


def gain(results: Results, case: Case) -> Runs:
    """How many times, in logarithms, the better DAF errs less than the best data-independent method."""
    return results.best(case, DATA_INDEPENDENT) - results.best(case, DAF)


def _ebp_gain(results: Results, place: str) -> Runs:
    cases = results.cases(lambda case: cities(case) and case.data == place)
    return np.mean([results.best(case, ("EUG", *DAF)) - results.logs(case, "EBP") for case in cases], axis=0)


def _steps(results: Results, along: str, only: Only, *, rises: bool) -> Iterator[Outcome]:
    for low, high in results.steps(along, only):
        for method in PRINTED:
            if method not in results.found[low]:
                continue
            fewer, more = (results.logs(case, method) for case in ((low, high) if rises else (high, low)))
            yield independent(fewer, more), f"{method}, {low} against {float(getattr(high, along)):g}"


TRENDS = (
    falls_with_epsilon,
    falls_with_coverage,
    rises_with_exponent,
    best_at_extremes,
    gain_grows,
    entropy_favours_ebp,
)
