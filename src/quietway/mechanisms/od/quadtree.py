"""The quadtree, in any number of dimensions: every box is halved along all axes, to a depth decided once."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from quietway.budget import Cost, cube_root
from quietway.counts import Paths
from quietway.measurement import NoisyBoxes
from quietway.mechanisms.mechanism import require_audible
from quietway.mechanisms.od.growing import Growth, whole
from quietway.mechanisms.od.halving import divisible, halve
from quietway.mechanisms.od.mechanism import require_unit
from quietway.noise import NoiseSource
from quietway.universe import PathSpace, PrivacyUnit

MOST_LEAVES = 2**18


@dataclass(frozen=True, kw_only=True)
class Quadtree:
    """A complete tree of halvings, with a count of every box of every level.

    `sizes` are the numbers of boxes of the levels, the root's first: they follow from the space alone.

    Privacy: `epsilon`, per contributor of `unit`: boxes of a level are disjoint, and levels compose sequentially.
    Source: Cormode, Procopiuc, Srivastava, Shen and Yu (2012), sections 4 and 5: shares of the levels as the cube
        roots of their sizes, and all counts told. Departures: integer noise; the depth is the largest of at most
        2^18 leaves, whatever the number of dimensions.
    """

    epsilon: Fraction
    sizes: tuple[int, ...]
    halved: int
    unit: PrivacyUnit

    def __post_init__(self) -> None:
        require_audible(self.unit, self._shares)

    @classmethod
    def of(cls, space: PathSpace, epsilon: Fraction, unit: PrivacyUnit) -> Quadtree:
        """As deep as its leaves may be many and its boxes can be halved."""
        halved = max(1, space.dimensions)
        sizes, size = [1], 1
        while size << halved <= MOST_LEAVES and size < space.size:
            size <<= halved
            sizes.append(size)
        return cls(epsilon=epsilon, sizes=tuple(sizes), halved=halved, unit=unit)

    @property
    def cost(self) -> Cost:
        """All levels."""
        return Cost(self.epsilon, self.unit)

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """What each level takes."""
        return tuple((f"level {level}", share) for level, share in enumerate(self._shares))

    @cached_property
    def _shares(self) -> tuple[Fraction, ...]:
        return cube_root(self.epsilon, self.sizes)

    def measure(self, paths: Paths, *, rng: NoiseSource) -> tuple[NoisyBoxes]:
        """The tree. A box of one cell stays: it takes what all levels below it would."""
        require_unit(paths, self.unit)
        growth, shares = Growth.of(paths), self._shares
        left = [sum(shares[level:], Fraction(0)) for level in range(len(shares) + 1)]
        for now, after in pairwise(left):
            able = divisible(growth)
            for which, share in ((able, now - after), (~able, now)):
                if which.any():
                    growth.draw(np.flatnonzero(which), self.unit.sensitivity / share, rng=rng)
            if after:
                halve(growth, whole(growth.size)[able], times=self.halved)
        return (growth.boxes("quadtree"),)
