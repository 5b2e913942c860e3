"""Which of the norms that the paper may have meant brings ours nearest to what it prints."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

import numpy as np

from quietway.reproduce.cbdp import Results
from quietway.reproduce.paper import TABLE_2, TABLE_2_EPSILONS
from quietway.reproduce.scores import NORMS

CENTRAL = ("o5", "h5")


@dataclass(frozen=True, kw_only=True)
class NearestNorm:
    """By what factor ours typically differ from Table 2 in a norm: for M_O5 and M_H5, and for all of it."""

    score: str
    central: float
    every: float


def nearest_norms(results: Results) -> list[NearestNorm]:
    """The nearest for M_O5 and M_H5 first; none where no epsilon of Table 2 was run."""
    if not set(results.settings.epsilons) & set(TABLE_2_EPSILONS):
        return []
    norms = [
        NearestNorm(
            score=score,
            central=_typical_factor(results, score, CENTRAL),
            every=_typical_factor(results, score, tuple(TABLE_2)),
        )
        for score in NORMS
    ]
    return sorted(norms, key=lambda norm: norm.central)


def _typical_factor(results: Results, score: str, methods: tuple[str, ...]) -> float:
    logs = [
        abs(
            log(
                results.mean(case, method, score)
                / TABLE_2[method][case.day][TABLE_2_EPSILONS.index(case.epsilon)]
            )
        )
        for case in results.cases()
        if case.epsilon in TABLE_2_EPSILONS
        for method in methods
    ]
    return exp(float(np.mean(logs)))
