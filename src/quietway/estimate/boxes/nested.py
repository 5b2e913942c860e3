"""Noisy counts on a tree of boxes, ready for least squares: one root, in preorder, and one count per node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from quietway.errors import FitError
from quietway.estimate.boxes import shape_kernels
from quietway.estimate.boxes.solution import Ends, Floats, Index
from quietway.measurement import NoisyBoxes
from quietway.universe import Frame
from quietway.universe.area import prefix_sums

UNKNOWN = 1e8
KNOWN = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class Nested:
    """A tree of boxes in preorder: node i's subtree is i .. end[i] - 1, and nothing but node 0 is a root.

    `noisy` and `variance` are of a node's own draws taken together; the
    variance is infinite where there are none.
    """

    low: Ends
    high: Ends
    parent: Index
    end: Index
    depth: int
    noisy: Floats
    variance: Floats

    @property
    def leaf(self) -> NDArray[np.bool_]:
        """Which nodes are nobody's parent."""
        return self.end == np.arange(len(self.end)) + 1


def nested(measurement: NoisyBoxes) -> Nested:
    """From what crossed the wall. Nodes below the last draw of their path tell nothing, and are left out."""
    noisy, variance = _averaged(measurement)
    low, high, parent = measurement.low, measurement.high, measurement.parent
    if (parent < 0).sum() != 1:
        low, high, parent, noisy, variance = _rooted(measurement, noisy, variance)
    kept = _told(parent, np.isfinite(variance))
    number = np.cumsum(kept) - 1
    parent = np.where(parent[kept] < 0, -1, number[parent[kept]])
    return arranged(low[kept], high[kept], parent, noisy[kept], variance[kept])


def arranged(low: Ends, high: Ends, parent: Index, noisy: Floats, variance: Floats) -> Nested:
    """From nodes whose parents stand before them, the first of them the root."""
    place, end, depth = shape_kernels.preorder(parent)
    at = np.empty_like(place)
    at[place] = np.arange(len(place))
    return Nested(
        low=np.ascontiguousarray(low[at], dtype=np.int32),
        high=np.ascontiguousarray(high[at], dtype=np.int32),
        parent=np.where(parent[at] < 0, -1, place[parent[at]]),
        end=end,
        depth=depth,
        noisy=noisy[at],
        variance=variance[at],
    )


def completed(tree: Nested, frames: Sequence[Frame]) -> Nested:
    """Every leaf with a finite variance: boxes without places hold nothing, and what no draw tells is all but unknown.

    Leaves that nothing tells share what their siblings leave in proportion to
    their places.
    """
    places = places_of(tree.low, tree.high, frames)
    drawn = np.isfinite(tree.variance)
    nothing, untold = tree.leaf & (places == 0), tree.leaf & ~drawn
    if not shape_kernels.drawn_above(tree.parent, drawn | nothing)[tree.leaf].all():
        raise FitError("a box was not drawn, nor any that it is a part of, so nothing tells of it")
    finite = tree.variance[drawn]
    relative = places[untold] / max(places[untold].max(initial=0.0), 1.0)
    variance = tree.variance.copy()
    variance[untold] = UNKNOWN * finite.max() * np.maximum(relative, KNOWN)
    variance[nothing] = KNOWN * finite.min()
    noisy = np.where(nothing | np.isinf(tree.variance), 0.0, tree.noisy)
    return replace(tree, noisy=noisy, variance=variance)


def places_of(low: Ends, high: Ends, frames: Sequence[Frame]) -> Floats:
    """How many combinations of places each box holds."""
    places = np.ones(len(low))
    for i, frame in enumerate(frames):
        (r0, c0), (r1, c1) = low[:, 2 * i : 2 * i + 2].T, high[:, 2 * i : 2 * i + 2].T
        if frame.weight is None:
            places *= (r1 - r0).astype(np.float64) * (c1 - c0)
        else:
            sums = prefix_sums(frame.weight)
            places *= sums[r1, c1] - sums[r0, c1] - sums[r1, c0] + sums[r0, c0]
    return places


def _averaged(measurement: NoisyBoxes) -> tuple[Floats, Floats]:
    """The average of each node's draws by inverse variance, and its variance."""
    nodes, precision = len(measurement.parent), 1 / measurement.variances
    total = np.bincount(measurement.node, precision, minlength=nodes)
    weighted = np.bincount(measurement.node, precision * measurement.noisy, minlength=nodes)
    drawn = total > 0
    noisy = np.divide(weighted, total, out=np.zeros(nodes), where=drawn)
    return noisy, np.divide(1.0, total, out=np.full(nodes, np.inf), where=drawn)


def _rooted(
    measurement: NoisyBoxes, noisy: Floats, variance: Floats
) -> tuple[Ends, Ends, Index, Floats, Floats]:
    """With a root of no draws above all."""
    return (
        np.vstack([measurement.low.min(axis=0), measurement.low]),
        np.vstack([measurement.high.max(axis=0), measurement.high]),
        np.r_[-1, measurement.parent + 1],
        np.r_[0.0, noisy],
        np.r_[np.inf, variance],
    )


def _told(parent: Index, drawn: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The root, and the nodes that have a draw in their parent's descent."""
    below = shape_kernels.drawn_below(parent, drawn)
    return (parent < 0) | below[parent]
