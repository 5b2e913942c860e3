"""The default for paths: a tree for every stop, and one of whole paths, of which every count is of use."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, sqrt

import numpy as np

from quietway.budget import Cost
from quietway.counts import Paths
from quietway.errors import ConfigError, PrivacyError
from quietway.measurement import NoisyBoxes
from quietway.mechanisms.mechanism import require_audible
from quietway.mechanisms.od.density import MOST_BOXES
from quietway.mechanisms.od.growing import Growth, Ints, whole
from quietway.mechanisms.od.halving import divisible, halve, largest
from quietway.mechanisms.od.mechanism import require_unit
from quietway.noise import NoiseSource
from quietway.universe import PathSpace, PrivacyUnit

STEPS = 10_000
ROOT = Fraction(1, 50)
LEAST_LEFT = Fraction(1, 100)


@dataclass(frozen=True, kw_only=True)
class AdaptiveTrees:
    """Boxes that are halved as long as their noisy counts deserve it, over each stop alone and over whole paths.

    A box is counted for `share` of what is left to spend on its way down. If
    the noisy count is at least `patience` times the noise that all of the
    rest would buy, the box becomes its quarters, halved along the axes where
    it is longest; if not, it is a leaf and the rest buys one more count. So
    empty land ends early, in large boxes that are counted well, and all counts
    on the way are told. The trees of single stops say how paths lie within the
    boxes of the last tree, which needs to tell only how the stops hang together.

    Privacy: epsilon_stops + epsilon_paths, per contributor of `unit`. Every
        path is one point in the tree of each stop, among which epsilon_stops
        is divided, and one in the tree of paths. Boxes that no other holds are
        disjoint, so within a tree noise is paid along one way down: its shares
        never exceed what is left, and the last count takes all of it. Where to
        stop follows from public sizes and noisy counts.
    Source: Shaham, Ghinita and Shahabi (2022), section 4, for trees whose
        splitting follows noisy counts. Departures: boxes are split along the
        axes that need it, not axis after axis; counts are taken at a share of
        what is left, so that depth is not decided beforehand; every count is
        used; stops have trees of their own.
    """

    epsilon_stops: Fraction
    epsilon_paths: Fraction
    stops: int
    unit: PrivacyUnit
    share: Fraction = Fraction(1, 20)
    patience: float = 13.0
    most_boxes: int = MOST_BOXES

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise ConfigError(f"the share for counting a box is {self.share}; it must be between 0 and 1")
        least = ROOT * LEAST_LEFT
        each = self.epsilon_stops / max(1, self.stops)
        require_audible(self.unit, (epsilon * least for epsilon in (each, self.epsilon_paths) if epsilon))

    @property
    def cost(self) -> Cost:
        """All trees together."""
        return Cost.sequential([Cost(epsilon, self.unit) for _, epsilon in self.parts])

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """What the trees of stops take together, and that of paths."""
        stops = (("stops", self.epsilon_stops),) if self.epsilon_stops else ()
        return (*stops, ("paths", self.epsilon_paths))

    def measure(self, paths: Paths, *, rng: NoiseSource) -> tuple[NoisyBoxes, ...]:
        """A tree per stop, if stops have trees, then that of paths."""
        require_unit(paths, self.unit)
        if self.epsilon_stops and self.stops != len(paths.space.stops):
            raise PrivacyError(
                f"these paths have {len(paths.space.stops)} stops, but the trees were priced for {self.stops}"
            )
        alone = range(len(paths.space.stops)) if self.epsilon_stops else ()
        trees = [self._stop(paths, stop, rng=rng) for stop in alone]
        return (*trees, self._tree(paths, self.epsilon_paths, "paths", rng=rng))

    def _stop(self, paths: Paths, stop: int, *, rng: NoiseSource) -> NoisyBoxes:
        name = paths.space.stops[stop]
        space = PathSpace(stops=(name,), frames=(paths.space.frames[stop],))
        points = np.ascontiguousarray(paths.points[:, 2 * stop : 2 * stop + 2])
        tree = self._tree(
            Paths(space, points, paths.unit, seeded=paths.seeded),
            self.epsilon_stops / self.stops,
            name,
            rng=rng,
        )
        return replace(tree, space=paths.space, stops=(stop,))

    def _tree(self, paths: Paths, epsilon: Fraction, name: str, *, rng: NoiseSource) -> NoisyBoxes:
        growth, left, price = Growth.of(paths), epsilon, ROOT * epsilon
        while growth.size:
            left -= price
            noisy = growth.draw(whole(growth.size), self.unit.sensitivity / price, rng=rng)
            going = self._going(growth, noisy, left, epsilon)
            leaves = np.setdiff1d(whole(growth.size), going, assume_unique=True)
            if len(leaves):
                growth.draw(leaves, self.unit.sensitivity / left, rng=rng)
            price = self._price(left, epsilon)
            halve(growth, going, times=2)
        return growth.boxes(name)

    def _going(self, growth: Growth, noisy: Ints, left: Fraction, epsilon: Fraction) -> Ints:
        """The boxes worth quartering."""
        if left <= LEAST_LEFT * epsilon:
            return whole(0)
        enough = self.patience * sqrt(2) * float(self.unit.sensitivity / left)
        return largest(noisy, (noisy >= enough) & divisible(growth), self.most_boxes // 4)

    def _price(self, left: Fraction, epsilon: Fraction) -> Fraction:
        """The share of what is left, in whole steps of epsilon / 10,000 so that fractions stay short."""
        steps = floor(left / epsilon * self.share * STEPS)
        return min(left, max(1, steps) * epsilon / STEPS)
