"""One number for each method on each data set, and one for each method on all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from quietway.reproduce.od.case import LEAST, Case, Runs

Data = tuple[str, int]
"""A name, and how many dimensions."""
Scores = dict[Data, dict[str, float]]


def scores(found: Mapping[Case, Mapping[str, Runs]]) -> Scores:
    """The geometric mean of a method's mean relative errors over all epsilons, skews and kinds of queries of a data set."""
    logs = dict[Data, dict[str, list[float]]]()
    for case, every in found.items():
        row = logs.setdefault((case.data, case.dimensions), {})
        for method, runs in every.items():
            row.setdefault(method, []).append(float(np.log(max(LEAST, runs.mean()))))
    return {
        data: {method: float(np.exp(np.mean(each))) for method, each in row.items()}
        for data, row in logs.items()
    }


def ratio(table: Scores, method: str, other: str) -> float:
    """The geometric mean over data sets of one method's score over another's; below 1 the first errs less."""
    logs = [np.log(row[method] / row[other]) for row in table.values() if {method, other} <= set(row)]
    return float(np.exp(np.mean(logs)))


def best(table: Scores, methods: Sequence[str]) -> str:
    """The single method with the least geometric mean of scores over the data sets."""
    return min(methods, key=lambda method: np.mean([np.log(row[method]) for row in table.values()]))
