"""From what a mechanism for paths measured to answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from quietway.errors import FitError
from quietway.estimate.boxes.cells import REST, survivors
from quietway.estimate.boxes.density import alone, within
from quietway.estimate.boxes.fitted import FittedBoxes
from quietway.estimate.boxes.fitted_cells import FittedCells
from quietway.estimate.boxes.fitted_grid import FittedGrid
from quietway.estimate.boxes.grids import halves
from quietway.estimate.boxes.leaning import leaning
from quietway.estimate.boxes.mass import Mass
from quietway.estimate.boxes.nested import Nested, nested
from quietway.estimate.boxes.solution import BoxSolution
from quietway.estimate.boxes.tree import fit_tree
from quietway.measurement import NoisyBoxes, NoisyCells, NoisyGrid, NoisyPaths
from quietway.universe import PathSpace

FITS = ("even", "leaning")

SUMMED_AXES = 8  # prefix sums have a corner at either end of every axis, so 2^axes for one block; beyond, the tree answers


def fit_paths(measurements: Sequence[NoisyPaths], fit: str = "even") -> BoxSolution:
    """Answers from one tree of boxes, one grid or one list of cells over all stops.

    A box of everything beside them is one draw more of the total. Boxes of a
    single stop say how paths are spread within the others' boxes. "even" is
    least squares; with "leaning", which is for trees, counts lean on what was
    expected of them, and the boxes of a single stop are smoothed into each other.
    """
    if fit not in FITS:
        raise FitError(f"there is no fit '{fit}' for paths; there is {' and '.join(FITS)}")
    totals, mains, stops = _sorted(measurements)
    if len(mains) > 1 or not (mains or totals):
        raise FitError(
            "a fit needs one tree of boxes, one grid or one list of cells over all stops; "
            f"here are {len(mains)}, and {len(totals)} totals"
        )
    main = mains[0] if mains else totals.pop()
    tree = with_totals(_tree(main, told=bool(totals)), totals)
    known = {stop: own for stop, boxes in stops.items() if (own := alone(boxes)) is not None}
    plain = replace(_even(main, tree, _mass(main.space, known), told=bool(totals)), stops=known)
    if fit == "even":
        return plain
    if not isinstance(main, NoisyBoxes):
        raise FitError(
            f"'{main.name}' has no tree of boxes, whose counts could lean on anything; use the fit 'even'"
        )
    return _leaning(plain, tree)


def _even(main: NoisyPaths, tree: Nested, mass: Mass, *, told: bool) -> FittedBoxes:
    """By least squares; paths of a box are spread by the mass of its places."""
    space, fit = main.space, fit_tree(tree, main.space)
    if isinstance(main, NoisyGrid) and mass.plain and space.dimensions <= SUMMED_AXES:
        return FittedGrid(space=space, fit=fit, mass=mass, edges=main.edges)
    if isinstance(main, NoisyCells):
        return FittedCells(space=space, fit=fit, mass=mass, rest=REST if told else None)
    return FittedBoxes(space=space, fit=fit, mass=mass)


def _mass(space: PathSpace, known: Mapping[int, FittedBoxes]) -> Mass:
    """What paths of a box are spread by: the densities of the stops that have boxes of their own."""
    return Mass.of(
        space, {stop: table for stop, own in known.items() if (table := own.mass.tables[0]) is not None}
    )


def _leaning(plain: FittedBoxes, tree: Nested) -> FittedBoxes:
    """The same tree leaning on its mass; of a single stop, its boxes then say how paths lie within them."""
    fitted = replace(plain, fit=leaning(plain.fit, tree, plain.mass))
    return fitted if len(plain.space.stops) > 1 else within(fitted) or fitted


def _sorted(
    measurements: Sequence[NoisyPaths],
) -> tuple[list[NoisyBoxes], list[NoisyPaths], dict[int, NoisyBoxes]]:
    """Draws of the total, what is measured of all stops, and trees of single stops."""
    totals, mains, stops = list[NoisyBoxes](), list[NoisyPaths](), dict[int, NoisyBoxes]()
    for measurement in measurements:
        if not isinstance(measurement, NoisyBoxes):
            mains.append(measurement)
        elif len(measurement.stops) == len(measurement.space.stops):
            (totals if len(measurement.parent) == 1 else mains).append(measurement)
        elif len(measurement.stops) == 1 and measurement.stops[0] not in stops:
            stops[measurement.stops[0]] = measurement
        else:
            raise FitError(
                f"the boxes '{measurement.name}' are of stops {measurement.stops}; "
                "besides those of all stops there may be one tree for each single stop"
            )
    return totals, mains, stops


def _tree(main: NoisyPaths, *, told: bool) -> Nested:
    if isinstance(main, NoisyGrid):
        return halves(main)
    return survivors(main, rest=told) if isinstance(main, NoisyCells) else nested(main)


def with_totals(tree: Nested, totals: Sequence[NoisyBoxes]) -> Nested:
    """The draws of the total averaged with those of the root."""
    noisy, variance = tree.noisy.copy(), tree.variance.copy()
    for total in totals:
        for drawn, variance_drawn in zip(total.noisy, total.variances, strict=True):
            both = 1 / (1 / variance[0] + 1 / variance_drawn)
            noisy[0] = both * (noisy[0] / variance[0] + drawn / variance_drawn)
            variance[0] = both
    return replace(tree, noisy=noisy, variance=np.asarray(variance))
