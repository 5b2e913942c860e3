"""From what a mechanism for paths measured to answers."""

from __future__ import annotations

from collections.abc import Sequence

from quietway.errors import FitError
from quietway.estimate.boxes.fitted import FittedBoxes, fit_tree
from quietway.estimate.boxes.grids import halves
from quietway.estimate.boxes.mass import Mass
from quietway.estimate.boxes.nested import nested
from quietway.estimate.boxes.solution import BoxSolution
from quietway.measurement import NoisyBoxes, NoisyCells, NoisyGrid


def fit_paths(measurements: Sequence[NoisyBoxes | NoisyGrid | NoisyCells]) -> BoxSolution:
    """Answers from boxes, a grid or cells over all stops."""
    (main,) = measurements
    if isinstance(main, NoisyCells):
        raise FitError("no cells so far")
    tree = halves(main) if isinstance(main, NoisyGrid) else nested(main)
    return FittedBoxes(space=main.space, fit=fit_tree(tree, main.space), mass=Mass.of(main.space, {}))
