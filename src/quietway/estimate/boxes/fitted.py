"""Answers from a fitted tree of boxes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.boxes import cover_kernels, tree_kernels
from quietway.estimate.boxes.clumping import Clumping, learn
from quietway.estimate.boxes.heat import heat
from quietway.estimate.boxes.mass import Mass
from quietway.estimate.boxes.one_stop import about_one, of_stop
from quietway.estimate.boxes.solution import BoxTable, Ends, Floats, Index, require_boxes, require_region
from quietway.estimate.boxes.tree import TreeFit
from quietway.estimate.solution import Estimates, around
from quietway.universe import PathSpace, Region


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedBoxes:
    """A fitted tree of boxes of all stops, to ask anything of.

    `expected` is what children's shares are held against, if that is not what paths are spread by.
    `stops` are those that were measured alone too.
    """

    space: PathSpace
    fit: TreeFit
    mass: Mass
    expected: Mass | None = None
    stops: Mapping[int, FittedBoxes] = field(default_factory=dict)

    @property
    def boxes(self) -> BoxTable:
        """The tree's leaves, or what stands for them."""
        return self._boxes

    @cached_property
    def _boxes(self) -> BoxTable:
        return self._table(self.fit.tree.leaf)

    @cached_property
    def clumping(self) -> Clumping:
        """How paths lie within boxes."""
        mass, parent = self.expected or self.mass, self.fit.tree.parent
        learnt = learn(self._nodes, parent, self.space, mass.cover())
        if not mass.dense:
            return learnt
        return learnt.doubting(learn(self._nodes, parent, self.space, mass.even.cover()))

    def answer(self, low: Index, high: Index, confidence: float) -> Estimates:
        """How many paths lie in each of many boxes, given as rows of lower and of upper ends on all axes."""
        low, high = require_boxes(self.space, low, high)
        return self._answer(low, high, None, confidence)

    def ask(self, region: Region, confidence: float) -> Estimates:
        """How many paths lie in a region, as arrays of length one."""
        require_region(self.space, region)
        return self._answer(region.low[None, :], region.high[None, :], region, confidence)

    def map(self, stop: str, region: Region, shape: tuple[int, int]) -> Floats:
        """Where one stop of the region's paths is: rows x columns that cut its frame as evenly as may be."""
        require_region(self.space, region)
        return heat(self.boxes, self.mass, self.space.position(stop), region, shape)

    def _table(self, chosen: NDArray[np.bool_]) -> BoxTable:
        """Some nodes of the tree."""
        fit, tree = self.fit, self.fit.tree
        return BoxTable(
            low=tree.low[chosen],
            high=tree.high[chosen],
            count=tree_kernels.integers(tree.end, fit.value)[chosen],
            estimate=fit.value[chosen],
            deviation=np.sqrt(fit.variance[chosen]),
        )

    @cached_property
    def _nodes(self) -> cover_kernels.Nodes:
        fit, tree = self.fit, self.fit.tree
        return cover_kernels.Nodes(
            tree.low, tree.high, tree.end, fit.value, fit.x, fit.variance, fit.below, fit.children
        )

    def _answer(self, low: Index, high: Index, region: Region | None, confidence: float) -> Estimates:
        estimate, variance = self._moments(low, high, region)
        for stop, own in self.stops.items():
            only = about_one(self.space, stop, low, high, region)
            found, told = own._moments(*of_stop(stop, low[only], high[only], region, own.space))
            variance[only] = np.minimum(variance[only], told + (found - estimate[only]) ** 2)
        return self._at_most_everything(around(estimate, np.sqrt(variance), confidence), confidence)

    def _moments(self, low: Index, high: Index, region: Region | None) -> tuple[Floats, Floats]:
        """Answers, and how uncertain they are."""
        estimate, unclipped, noise, alone, leaning = self.pieces(low, high, region).T
        return estimate, noise + (estimate - unclipped) ** 2 + alone + self.clumping.tau * leaning**2

    def _at_most_everything(self, found: Estimates, confidence: float) -> Estimates:
        """No box holds more paths than there are, as far as can be told with half the doubt."""
        deviation = np.sqrt(self.fit.variance[:1])
        most = around(self.fit.value[:1], deviation, (1 + confidence) / 2).high
        return replace(found, high=np.maximum(found.estimate, np.minimum(found.high, most)))

    def pieces(self, low: Index, high: Index, region: Region | None = None) -> Floats:
        """What answers and intervals are made of: the rows that `cover_kernels.descend` writes."""
        out, depth = np.empty((len(low), 5)), self.fit.tree.depth
        cover_kernels.descend(*self._rows, depth, low, high, self.mass.cover(region), out)
        return out

    @cached_property
    def _rows(self) -> tuple[Ends, Floats]:
        """What `cover_kernels.descend` needs of each node, side by side."""
        fit, tree = self.fit, self.fit.tree
        ends = np.column_stack([tree.low, tree.high, tree.end.astype(np.int32)])
        known = (fit.value, fit.x, fit.below, fit.children, self.clumping.rho, fit.variance)
        return ends, np.column_stack(known)
