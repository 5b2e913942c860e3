"""How far private answers are from the exact ones, in every norm that the paper may have meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quietway.city.days import PEAK, PERIODS
from quietway.measurement import Measurement
from quietway.reproduce.case_study import FEATURES, TOTAL, CaseStudy, Floats
from quietway.reproduce.families import Answers

Scores = dict[str, float]

L1, RMS, OCCUPIED, BY_FEATURE = "L1 per cell", "RMS per cell", "L1 per non-empty cell", "L1 over features"
NORMS = (L1, RMS, OCCUPIED, BY_FEATURE)
TRIPS, PEAK_TRIPS = "trips", "trips, 8 to 10"
CONTRACTION = "distance to the truth over that of the noise"


@dataclass(frozen=True, kw_only=True, eq=False)
class Errors:
    """Private answers minus exact ones.

    `cells` of all cells, or of those answered, in which case the others' errors are minus what they truly hold.
    """

    study: CaseStudy
    answers: Answers
    cells: Floats

    @classmethod
    def of(cls, study: CaseStudy, answers: Answers) -> Errors:
        """The errors of some answers."""
        true = study.truth if answers.keys is None else study.truth[answers.keys]
        return cls(study=study, answers=answers, cells=answers.values - true)

    def per_cell(self, size: Floats, of_truth: Floats) -> float:
        """The mean over all cells of a size of errors; `of_truth` is its value for the truth of every cell."""
        unanswered = 0.0
        if self.answers.keys is not None:
            unanswered = float(of_truth.sum() - of_truth[self.answers.keys].sum())
        return (float(size.sum()) + unanswered) / of_truth.size

    def occupied(self) -> Floats:
        """Of the cells that truly hold something."""
        keys = self.study.counts.keys
        if self.answers.keys is None:
            return self.cells[keys]
        error = -self.study.counts.values.astype(np.float64)
        place = np.searchsorted(keys, self.answers.keys)
        place[place == keys.size] = 0
        known = keys[place] == self.answers.keys
        error[place[known]] = self.cells[known]
        return error

    def summed(self, feature: str) -> Floats:
        """Of every block of a feature."""
        values, keys, true = self.answers.values, self.answers.keys, self.study.totals[feature]
        if feature == TOTAL:
            return values.sum(keepdims=True) - true
        labels = self.study.labels[feature]
        return np.bincount(labels if keys is None else labels[keys], values, minlength=true.size) - true


def scores(study: CaseStudy, answers: Answers) -> Scores:
    """Errors per cell in L1 and as root mean square, per block of each feature in L1, and trips of the data set.

    The data set is what the paper makes of answers: each to the nearest non-negative integer.
    """
    errors = Errors.of(study, answers)
    per_cell = errors.per_cell(np.abs(errors.cells), study.truth)
    features = {name: float(np.abs(errors.summed(name)).mean()) for name in FEATURES}
    return (
        features
        | {
            L1: per_cell,
            RMS: float(np.sqrt(errors.per_cell(errors.cells**2, study.squared))),
            OCCUPIED: float(np.abs(errors.occupied()).mean()),
            BY_FEATURE: (per_cell + sum(features.values())) / (1 + len(features)),
        }
        | _trips(study, answers)
    )


def contraction(study: CaseStudy, measurements: Sequence[Measurement], answers: Answers) -> float:
    """The weighted distance of a fit to the truth, over that of what was measured.

    Both in the norm that the published weights make: a projection on a convex set that holds the truth is never
    above 1 (the paper's Theorem 8.3, without its factor of 2).
    """
    errors = Errors.of(study, answers)
    *features, cells = measurements
    after = errors.per_cell(errors.cells**2, study.squared)
    before = float(((cells.noisy - study.truth) ** 2).mean())
    for feature in features:
        after += float((errors.summed(feature.name) ** 2).mean())
        before += float(((feature.noisy - study.totals[feature.name]) ** 2).mean())
    return float(np.sqrt(after / before)) if before else 0.0


def _trips(study: CaseStudy, answers: Answers) -> Scores:
    whole = np.rint(answers.values)
    np.maximum(whole, 0.0, out=whole)
    peak = whole.reshape(-1, PERIODS)[:, PEAK] if answers.keys is None else whole[study.in_peak(answers.keys)]
    return {TRIPS: float(whole.sum()), PEAK_TRIPS: float(peak.sum())}
