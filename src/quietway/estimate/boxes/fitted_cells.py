"""Answers from the cells that stood out, and from what they leave of the total."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from quietway.estimate.boxes.clumping import Clumping
from quietway.estimate.boxes.fitted import FittedBoxes
from quietway.estimate.boxes.solution import BoxTable, Index
from quietway.estimate.solution import Estimates
from quietway.universe import Region


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedCells(FittedBoxes):
    """Listed cells, packed into boxes around them; with a total, node `rest` is a box of everything with what they leave.

    Nobody knows where the rest lies. Spread evenly it answers worse than left
    out, unless a question takes in nearly everything. So estimates are of the
    listed cells, but never outside their intervals, which let the rest be anywhere.
    """

    rest: int | None

    @cached_property
    def _boxes(self) -> BoxTable:
        """The listed cells."""
        return self._listed.boxes

    @cached_property
    def clumping(self) -> Clumping:
        """The boxes around listed cells say nothing of how paths lie in them, and the rest may lie all in one place."""
        return Clumping(rho=np.ones(len(self.fit.value)), tau=0.0)

    def _answer(self, low: Index, high: Index, region: Region | None, confidence: float) -> Estimates:
        everywhere = super()._answer(low, high, region, confidence)
        if self.rest is None:
            return everywhere
        listed = self._listed.pieces(low, high, region)[:, 0]
        return replace(everywhere, estimate=np.clip(listed, everywhere.low, everywhere.high))

    @cached_property
    def _listed(self) -> FittedBoxes:
        """Without the rest."""
        fit = self.fit
        if self.rest is None:
            return FittedBoxes(space=self.space, fit=fit, mass=self.mass)
        value = fit.value.copy()
        value[[0, self.rest]] -= value[self.rest]
        return _Listed(space=self.space, fit=replace(fit, value=value), mass=self.mass, rest=self.rest)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Listed(FittedBoxes):
    rest: int

    @cached_property
    def _boxes(self) -> BoxTable:
        """The leaves but for the rest."""
        chosen = self.fit.tree.leaf.copy()
        chosen[self.rest] = False
        return self._table(chosen)

    @cached_property
    def clumping(self) -> Clumping:
        """Of no account: nothing is cut that holds anything."""
        return Clumping(rho=np.zeros(len(self.fit.value)), tau=0.0)
