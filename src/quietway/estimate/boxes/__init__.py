"""Answers about paths: from noisy boxes, grids and cells to any region, with intervals."""

from quietway.estimate.boxes.fit import fit_paths
from quietway.estimate.boxes.solution import BoxSolution, BoxTable

__all__ = ["BoxSolution", "BoxTable", "fit_paths"]
