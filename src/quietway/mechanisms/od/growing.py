"""A tree of boxes over paths, grown level by level, its counts drawn as it grows."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quietway.counts import Paths
from quietway.measurement import NoisyBoxes
from quietway.mechanisms.od.cutting import Cuts, numbered
from quietway.mechanisms.od.kernels import share_out
from quietway.noise import NoiseSource

Ints = NDArray[np.int64]
Corners = NDArray[np.int32]


@dataclass(repr=False, eq=False)
class Growth:
    """The nodes made so far, of which some are at the frontier: they may still be drawn or split. SENSITIVE.

    The frontier's boxes are `low` and `high`, its nodes' numbers `nodes`. What
    is done to it is said by positions in the frontier. The paths of its i-th
    node are `points[starts[i]:starts[i + 1]]`, and the same rows of `order` say
    which of `paths` they are; memory follows the paths and the nodes, never
    the cells.
    """

    paths: Paths
    nodes: Ints
    low: Corners
    high: Corners
    points: Corners
    order: Ints
    starts: Ints
    made: int = 1
    _low: list[Corners] = field(default_factory=list)
    _high: list[Corners] = field(default_factory=list)
    _parent: list[Ints] = field(default_factory=list)
    _drawn: list[tuple[Ints, Ints, Fraction]] = field(default_factory=list)

    @classmethod
    def of(cls, paths: Paths) -> Growth:
        """The root alone, which holds every path."""
        shape = np.array([paths.space.shape], dtype=np.int32)
        count, root = len(paths.points), np.zeros(1, dtype=np.int64)
        growth = cls(
            paths, root, np.zeros_like(shape), shape, paths.points, np.arange(count), np.array([0, count])
        )
        growth._keep(growth.low, growth.high, root - 1)
        return growth

    @property
    def size(self) -> int:
        """How many nodes the frontier has."""
        return len(self.nodes)

    @property
    def counts(self) -> Ints:
        """How many paths each node of the frontier holds, in truth."""
        return np.diff(self.starts)

    def draw(self, which: Ints, scale: Fraction, *, rng: NoiseSource) -> Ints:
        """Noisy counts of some nodes of the frontier, kept for the outcome."""
        noisy = rng.laplace(self.counts[which], scale)
        self._drawn.append((self.nodes[which], noisy, scale))
        return noisy

    def split(self, which: Ints, axis: Ints, cuts: Cuts) -> Ints:
        """Some nodes of the frontier become their children, node after node; the others are its leaves.

        A node without cuts stays in the frontier as it is. Returns, for each
        node of the new frontier, the position in `which` that it comes from.
        """
        begins, ends = self.starts[which], self.starts[which + 1]
        self.points, self.order, self.starts = share_out(
            self.points, self.order, begins, ends, axis, cuts.places, cuts.offsets
        )
        origin, number = numbered(cuts.parts)
        low, high = self.low[which][origin], self.high[which][origin]
        cut, along = cuts.offsets[origin] + number, axis[origin]
        later, earlier = np.flatnonzero(number > 0), np.flatnonzero(number < cuts.parts[origin] - 1)
        low[later, along[later]] = cuts.places[cut[later] - 1]
        high[earlier, along[earlier]] = cuts.places[cut[earlier]]
        self._step(which, origin, low, high, cuts.parts)
        return origin

    def boxes(self, name: str) -> NoisyBoxes:
        """All nodes and all draws."""
        scales = tuple(dict.fromkeys(scale for _, _, scale in self._drawn))
        drawn = [np.full(len(nodes), scales.index(scale)) for nodes, _, scale in self._drawn]
        return NoisyBoxes(
            name=name,
            space=self.paths.space,
            stops=tuple(range(len(self.paths.space.stops))),
            low=np.concatenate(self._low),
            high=np.concatenate(self._high),
            parent=np.concatenate(self._parent),
            node=np.concatenate([nodes for nodes, _, _ in self._drawn]),
            noisy=np.concatenate([noisy for _, noisy, _ in self._drawn]),
            drawn=np.concatenate(drawn),
            scales=scales,
        )

    def _step(self, which: Ints, origin: Ints, low: Corners, high: Corners, parts: Ints) -> None:
        parent = self.nodes[which][origin]
        new = parts[origin] > 1
        self.nodes = np.where(new, self.made - 1 + np.cumsum(new), parent)
        self.low, self.high = low, high
        self.made += int(new.sum())
        self._keep(low[new], high[new], parent[new])

    def _keep(self, low: Corners, high: Corners, parent: Ints) -> None:
        self._low.append(low)
        self._high.append(high)
        self._parent.append(parent)


def whole(size: int) -> Ints:
    """Every position of a frontier of that size."""
    return np.arange(size, dtype=np.int64)
