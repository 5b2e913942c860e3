"""PrivTree: whether to split is told, and paid, without the counts it is decided by."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log

import numpy as np

from quietway.budget import Cost
from quietway.counts import Paths
from quietway.measurement import NoisyBoxes
from quietway.mechanisms.mechanism import require_audible
from quietway.mechanisms.od.density import MOST_BOXES
from quietway.mechanisms.od.growing import Growth, Ints, whole
from quietway.mechanisms.od.halving import divisible, halve
from quietway.mechanisms.od.mechanism import require_unit
from quietway.noise import NoiseSource
from quietway.universe import PrivacyUnit

MOST_HALVED = 8


@dataclass(frozen=True, kw_only=True)
class PrivTree:
    """Boxes halved along all axes at once, as deep as it pays, and a count of each leaf.

    A box of n paths at depth k is split if max(n - k delta, -delta) plus noise is above zero.

    Privacy: epsilon_splits + epsilon_leaves, per contributor of `unit`. Leaves
        are disjoint. Of the decisions, one path more changes those on its own
        way alone. There the biased counts fall by delta and more a level, till
        they are at the floor and tell nothing. With r = exp(-1 / scale), the
        chance of a split at a biased count of u changes by a factor of
        exp(1 / scale) at most, and by no more than exp(r^(u - 1) / scale) if u >= 1, as with
        real noise. Together that is (1 / scale) (2 + 1 / (exp(delta / scale) - 1)), which for
        delta >= scale ln(fan-out) is at most epsilon_splits at the scale taken. A contributor of
        several paths adds them one after another.
    Source: Zhang, Xiao and Xie (2016), Algorithm 2 and theorem 3.1, theta = 0. Departures: integer
        noise and an integer delta, rounded up; at most 8 axes are halved at once, those along which
        the box is longest; at most 2^21 boxes are made.
    """

    epsilon_splits: Fraction
    epsilon_leaves: Fraction
    dimensions: int
    unit: PrivacyUnit
    most_boxes: int = MOST_BOXES

    def __post_init__(self) -> None:
        require_audible(self.unit, (self.epsilon_splits, self.epsilon_leaves))

    @property
    def cost(self) -> Cost:
        """Decisions and counts together."""
        return Cost.sequential([Cost(epsilon, self.unit) for _, epsilon in self.parts])

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """What the decisions take, and what the leaves' counts do."""
        return (("splits", self.epsilon_splits), ("leaves", self.epsilon_leaves))

    @property
    def halved(self) -> int:
        """How many axes are halved at once."""
        return max(1, min(self.dimensions, MOST_HALVED))

    @property
    def scale(self) -> Fraction:
        """Of the noise of decisions."""
        fan_out = 2**self.halved
        return self.unit.sensitivity * Fraction(2 * fan_out - 1, fan_out - 1) / self.epsilon_splits

    @property
    def delta(self) -> int:
        """By how much counts are lowered at every level."""
        return ceil(float(self.scale) * log(2) * self.halved * (1 + 1e-9))

    def measure(self, paths: Paths, *, rng: NoiseSource) -> tuple[NoisyBoxes]:
        """The tree, whose leaves alone are counted."""
        require_unit(paths, self.unit)
        growth, depth = Growth.of(paths), 0
        scale = self.unit.sensitivity / self.epsilon_leaves
        while growth.size:
            going = self._going(growth, depth, rng=rng)
            leaves = np.setdiff1d(whole(growth.size), going, assume_unique=True)
            if len(leaves):
                growth.draw(leaves, scale, rng=rng)
            halve(growth, going, times=self.halved)
            depth += 1
        return (growth.boxes("privtree"),)

    def _going(self, growth: Growth, depth: int, *, rng: NoiseSource) -> Ints:
        """The boxes that are decided to be split. A box of one cell cannot be, which is public."""
        able = np.flatnonzero(divisible(growth))
        if not len(able) or growth.made + (len(able) << (self.halved + 1)) > self.most_boxes:
            return able[:0]
        biased = np.maximum(growth.counts[able] - depth * self.delta, -self.delta)
        return able[rng.positive(biased, self.scale)]
