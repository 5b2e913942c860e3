"""Where a stop tends to be, from noisy boxes of it alone: what paths of a box are spread by."""

from __future__ import annotations

from dataclasses import replace

from quietway.estimate.boxes.fitted import FittedBoxes
from quietway.estimate.boxes.mass import Mass
from quietway.estimate.boxes.nested import nested
from quietway.estimate.boxes.solution import Floats
from quietway.estimate.boxes.tree import fit_tree
from quietway.measurement import NoisyBoxes
from quietway.universe import PathSpace, Region

EVEN = 0.05


def density(measurement: NoisyBoxes) -> Floats | None:
    """What each cell of the stop's frame weighs: its part of a leaf's fitted count, and of an even share of everything.

    The even share keeps every place possible. None where the boxes hold nothing.
    """
    (stop,) = measurement.stops
    frame, name = measurement.space.frames[stop], measurement.space.stops[stop]
    space = PathSpace(stops=(name,), frames=(frame,))
    mass = Mass.of(space, {})
    fitted = FittedBoxes(
        space=space, fit=fit_tree(nested(replace(measurement, space=space, stops=(0,))), space), mass=mass
    )
    cells = fitted.map(name, Region.everywhere(space), frame.shape)
    even = mass.tables[0]
    if even is None:
        even = cells * 0 + 1.0
    if not cells.sum() > 0:
        return None
    return (1 - EVEN) * cells / cells.sum() + EVEN * even / even.sum()
