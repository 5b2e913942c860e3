"""The k-d tree: every box is cut where its paths are halved, chosen privately."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from quietway.budget import Cost, cube_root
from quietway.counts import Paths
from quietway.measurement import NoisyBoxes
from quietway.mechanisms.mechanism import require_audible
from quietway.mechanisms.od.cutting import Cuts
from quietway.mechanisms.od.growing import Growth, Ints, whole
from quietway.mechanisms.od.halving import divisible, longest
from quietway.mechanisms.od.kernels import imbalance
from quietway.mechanisms.od.mechanism import require_unit
from quietway.noise import NoiseSource
from quietway.universe import PrivacyUnit


@dataclass(frozen=True, kw_only=True)
class KdTree:
    """A tree of `depth` levels of cuts, each along the axis where the box is longest, and counts of every level.

    Where to cut is chosen among all places by how unequal the halves would be: by |left - right|, which one
    path more moves by one.

    Privacy: epsilon_cuts + epsilon_counts, per contributor of `unit`. Boxes of a level are disjoint, for
        choices as for counts, and levels compose sequentially. A choice for epsilon has scale 2 * sensitivity / epsilon.
    Source: Cormode, Procopiuc, Srivastava, Shen and Yu (2012), section 6: private medians by the exponential
        mechanism. Departures: permute-and-flip, which is never worse; the axis is the longest, not the next; counts'
        shares are as the cube roots of the levels' sizes; integer noise.
    """

    epsilon_cuts: Fraction
    epsilon_counts: Fraction
    unit: PrivacyUnit
    depth: int = 10

    def __post_init__(self) -> None:
        require_audible(self.unit, (self.epsilon_cuts / self.depth / 2, *self._shares))

    @property
    def cost(self) -> Cost:
        """Cuts and counts together."""
        return Cost.sequential([Cost(epsilon, self.unit) for _, epsilon in self.parts])

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """What all cuts on the way to a leaf take, and all counts."""
        return (("cuts", self.epsilon_cuts), ("counts", self.epsilon_counts))

    @cached_property
    def _shares(self) -> tuple[Fraction, ...]:
        return cube_root(self.epsilon_counts, [2**level for level in range(self.depth + 1)])

    def measure(self, paths: Paths, *, rng: NoiseSource) -> tuple[NoisyBoxes]:
        """The tree. A box of one cell stays: it takes what counts of all levels below it would."""
        require_unit(paths, self.unit)
        growth, shares = Growth.of(paths), self._shares
        for level, share in enumerate(shares):
            able = divisible(growth)
            for which, epsilon in ((able, share), (~able, sum(shares[level:], Fraction(0)))):
                if which.any():
                    growth.draw(np.flatnonzero(which), self.unit.sensitivity / epsilon, rng=rng)
            if level < self.depth:
                self._cut(growth, whole(growth.size)[able], rng=rng)
        return (growth.boxes("kdtree"),)

    def _cut(self, growth: Growth, which: Ints, *, rng: NoiseSource) -> None:
        axis = longest(growth, which)
        low = growth.low[which, axis].astype(np.int64)
        high = growth.high[which, axis].astype(np.int64)
        scale = 2 * self.unit.sensitivity * self.depth / self.epsilon_cuts
        begins, ends = growth.starts[which], growth.starts[which + 1]
        scores, offsets = imbalance(growth.paths.points, growth.order, begins, ends, axis, low, high)
        chosen = [rng.select(-scores[offsets[i] : offsets[i + 1]], scale) for i in range(len(which))]
        places = low + 1 + np.array(chosen, dtype=np.int64)
        growth.split(which, axis, Cuts(places, np.arange(len(which) + 1)))
