"""Where a stop tends to be, from noisy boxes of it alone: what paths of a box are spread by."""

from __future__ import annotations

from dataclasses import replace

from quietway.estimate.boxes.fitted import FittedBoxes
from quietway.estimate.boxes.leaning import leaning
from quietway.estimate.boxes.mass import Mass
from quietway.estimate.boxes.nested import nested
from quietway.estimate.boxes.smoothing import smoothed
from quietway.estimate.boxes.solution import Floats
from quietway.estimate.boxes.tree import fit_tree
from quietway.measurement import NoisyBoxes
from quietway.universe import PathSpace, Region

EVEN = 1e-4


def alone(measurement: NoisyBoxes) -> FittedBoxes | None:
    """One stop from its own boxes, paths spread within them as they suggest; None where they hold nothing."""
    (stop,) = measurement.stops
    space = PathSpace(stops=(measurement.space.stops[stop],), frames=(measurement.space.frames[stop],))
    mass = Mass.of(space, {})
    tree = nested(replace(measurement, space=space, stops=(0,)))
    fitted = FittedBoxes(space=space, fit=leaning(fit_tree(tree, space), tree, mass), mass=mass)
    return within(fitted)


def within(fitted: FittedBoxes) -> FittedBoxes | None:
    """A fitted tree of one stop whose boxes say how paths lie within them.

    They have been made to fit, so how far boxes are from even is learned against even shares.
    """
    if (own := spread(fitted)) is None:
        return None
    return replace(fitted, mass=Mass.of(fitted.space, {0: own}), expected=fitted.mass)


def spread(fitted: FittedBoxes) -> Floats | None:
    """What each cell of a stop's frame weighs, from its fitted tree: its part of a box's count, and of an even share of everything.

    Boxes are smoothed into each other, which zones are not: their cells are
    far apart or near as ranks have it. The even share keeps every place possible.
    """
    (frame,), (stop,) = fitted.space.frames, fitted.space.stops
    cells = fitted.map(stop, Region.everywhere(fitted.space), frame.shape)
    if not cells.sum() > 0:
        return None
    if frame.weight is None:
        cells = smoothed(fitted.boxes, cells)
    even = 1 / cells.size if frame.weight is None else frame.weight / frame.weight.sum()
    return (1 - EVEN) / cells.sum() * cells + EVEN * even
