"""The public side: from paid-for measurements to tables. No data, no noise in here."""

from quietway.estimate.flat import FlatErrors, clip, spread
from quietway.estimate.nonnegative import project, prune
from quietway.estimate.solution import ErrorModel, Estimates, Solution
from quietway.estimate.sparse import ThresholdErrors, keep
from quietway.estimate.tree import TreeErrors, fit_tree

__all__ = [
    "ErrorModel",
    "Estimates",
    "FlatErrors",
    "Solution",
    "ThresholdErrors",
    "TreeErrors",
    "clip",
    "fit_tree",
    "keep",
    "project",
    "prune",
    "spread",
]
