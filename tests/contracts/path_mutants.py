"""Mistakes that careless mechanisms for paths were found to make, some of them printed. Every gate must notice its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from math import ceil, log
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from tests.contracts.path_cases import PathBuild, path_method

from quietway.counts import Paths
from quietway.measurement import NoisyBoxes, NoisyCells, NoisyGrid
from quietway.mechanisms.od.adaptive import AdaptiveTrees
from quietway.mechanisms.od.cells import occupied
from quietway.mechanisms.od.cutting import Cuts
from quietway.mechanisms.od.daf_entropy import DafEntropy
from quietway.mechanisms.od.daf_homogeneity import DafHomogeneity
from quietway.mechanisms.od.density import Step
from quietway.mechanisms.od.ebp import EntropyBasedGrid
from quietway.mechanisms.od.growing import Growth
from quietway.mechanisms.od.halving import divisible, halve, largest
from quietway.mechanisms.od.identity import IdentityPaths
from quietway.mechanisms.od.kdtree import KdTree
from quietway.mechanisms.od.kernels import GRID
from quietway.mechanisms.od.mechanism import PathMechanism
from quietway.mechanisms.od.privtree import PrivTree
from quietway.mechanisms.od.schedule import Schedule
from quietway.noise import NoiseSource

Ints = NDArray[np.int64]
M = TypeVar("M")


def broken(mutant: Callable[..., PathMechanism], name: str, **options: object) -> PathBuild:
    """A method of the registry with the mutant's code in place of its own."""
    honest = path_method(name, **options)

    def build(space, unit, epsilon):
        found = honest(space, unit, epsilon)
        return mutant(**{part.name: getattr(found, part.name) for part in fields(found)})

    return build


@dataclass(frozen=True, kw_only=True)
class RawStop(DafEntropy):
    """A node stops where its true count is low."""

    def _step(self, growth: Growth, noisy: Ints, depth: Ints, axes: Ints, schedule: Schedule) -> Step:
        """As the correct one, but for which counts decide."""
        return super()._step(growth, growth.counts, depth, axes, schedule)


@dataclass(frozen=True, kw_only=True)
class RawFanOut(DafEntropy):
    """The true count of the root divides the budget among the levels."""

    truth: list[int] = field(default_factory=list)

    def measure(self, paths: Paths, *, rng: NoiseSource) -> tuple[NoisyBoxes]:
        """Remembers what it must not know."""
        self.truth[:] = [len(paths.points)]
        return super().measure(paths, rng=rng)

    def _schedule(self, root: int, levels: int) -> Schedule:
        return super()._schedule(self.truth[0], levels)


@dataclass(frozen=True, kw_only=True)
class UnsplitLevels(DafEntropy):
    """Every level gets all that is left after the root's count."""

    def _schedule(self, root: int, levels: int) -> Schedule:
        return Schedule(spent=tuple(self.epsilon_levels * level for level in range(levels + 1)))


@dataclass(frozen=True, kw_only=True)
class FreeRoot(DafEntropy):
    """The levels share all of epsilon, as Algorithm 2 has it, and leaves are counted once more for the rest."""

    def _schedule(self, root: int, levels: int) -> Schedule:
        whole = self.epsilon_root + self.epsilon_levels
        return Schedule.geometric(whole, levels, 2)


@dataclass(frozen=True, kw_only=True)
class PrintedNoise(DafHomogeneity):
    """Scores with noise of scale 2 / (p epsilon), the least of which is taken: Algorithm 3, line 14."""

    def _chosen(self, scores: Ints, paid: list[Fraction], parts: Ints, *, rng: NoiseSource) -> Ints:
        chosen = np.zeros(len(scores), dtype=np.int64)
        for node in np.flatnonzero(parts > 1):
            scale = 2 * GRID * self.unit.sensitivity / (self.candidates * paid[node])
            chosen[node] = int(np.argmax(rng.laplace(scores[node], scale)))
        return chosen


@dataclass(frozen=True, kw_only=True)
class HalfTheScores(DafHomogeneity):
    """Choices forget that the best may fall while another rises."""

    def _chosen(self, scores: Ints, paid: list[Fraction], parts: Ints, *, rng: NoiseSource) -> Ints:
        return super()._chosen(scores, [4 * epsilon for epsilon in paid], parts, rng=rng)


@dataclass(frozen=True, kw_only=True)
class FreeChoice(DafHomogeneity):
    """Choices come on top of what the counts take, as at the root of Algorithm 3."""

    def _count(
        self, growth: Growth, above: Ints, below: Ints, schedule: Schedule, *, rng: NoiseSource
    ) -> Ints:
        return DafEntropy._count(
            DafEntropy(epsilon_root=self.epsilon_root, epsilon_levels=self.epsilon_levels, unit=self.unit),
            growth,
            above,
            below,
            schedule,
            rng=rng,
        )


@dataclass(frozen=True, kw_only=True)
class RawGrid(EntropyBasedGrid):
    """A grid as fine as the true number of paths says."""

    truth: list[int] = field(default_factory=list)

    def measure(self, paths: Paths, *, rng: NoiseSource) -> tuple[NoisyBoxes, NoisyGrid]:
        """Remembers what it must not know."""
        self.truth[:] = [max(1, len(paths.points))]
        return super().measure(paths, rng=rng)

    def parts_of_axis(self, paths: float, scale: float, dimensions: int) -> float:
        """Whatever the noisy total says."""
        return super().parts_of_axis(float(self.truth[0]), scale, dimensions)


@dataclass(frozen=True, kw_only=True)
class OccupiedCells(IdentityPaths):
    """Only cells with paths get noise."""

    def measure(self, paths: Paths, *, rng: NoiseSource) -> tuple[NoisyCells]:  # type: ignore[override]
        """The support of the data, in clear."""
        cells, counts = occupied(paths.space, paths.points)
        scale = self.unit.sensitivity / self.cost.epsilon
        noisy = rng.laplace(counts, scale)
        return (
            NoisyCells(name="cells", space=paths.space, cells=cells, noisy=noisy, threshold=1, scale=scale),
        )


@dataclass(frozen=True, kw_only=True)
class RawQuarters(AdaptiveTrees):
    """A box is quartered where its true count is high."""

    def _going(self, growth: Growth, noisy: Ints, left: Fraction, epsilon: Fraction) -> Ints:
        return super()._going(growth, growth.counts, left, epsilon)


@dataclass(frozen=True, kw_only=True)
class FreeLeaves(AdaptiveTrees):
    """Leaves are counted once more for all of epsilon, not for what is left of it."""

    def _tree(self, paths: Paths, epsilon: Fraction, name: str, *, rng: NoiseSource) -> NoisyBoxes:
        honest = super()._tree(paths, epsilon, name, rng=rng)
        growth = Growth.of(paths)
        growth.draw(np.zeros(1, dtype=np.int64), self.unit.sensitivity / epsilon, rng=rng)
        return honest


@dataclass(frozen=True, kw_only=True)
class FreeStops(AdaptiveTrees):
    """Every stop's tree takes all that the stops have together."""

    def _stop(self, paths: Paths, stop: int, *, rng: NoiseSource) -> NoisyBoxes:
        return replace(self, epsilon_stops=self.epsilon_stops * self.stops)._honest(paths, stop, rng=rng)

    def _honest(self, paths: Paths, stop: int, *, rng: NoiseSource) -> NoisyBoxes:
        return super()._stop(paths, stop, rng=rng)


@dataclass(frozen=True, kw_only=True)
class Unbiased(PrivTree):
    """Counts are not lowered with depth, so that every level costs what one may."""

    @property
    def delta(self) -> int:
        """Nothing."""
        return 0


@dataclass(frozen=True, kw_only=True)
class ToldDecisions(PrivTree):
    """The noisy counts behind the decisions are looked at."""

    def _going(self, growth: Growth, depth: int, *, rng: NoiseSource) -> Ints:
        able = np.flatnonzero((growth.high - growth.low > 1).any(axis=1))
        biased = np.maximum(growth.counts[able] - depth * self.delta, -self.delta)
        return able[rng.laplace(biased, self.scale) > 0]


@dataclass(frozen=True, kw_only=True)
class LoweredForTwo(PrivTree):
    """Counts are lowered as if every box had two children, however many axes are halved at once."""

    @property
    def delta(self) -> int:
        """What is enough on one axis."""
        return ceil(float(self.scale) * log(2))


@dataclass(frozen=True, kw_only=True)
class Floorless(PrivTree):
    """Counts are lowered without end, so that boxes far below zero tell as much as any."""

    def _going(self, growth: Growth, depth: int, *, rng: NoiseSource) -> Ints:
        able = np.flatnonzero(divisible(growth))
        return able[rng.positive(growth.counts[able] - depth * self.delta, self.scale)]


@dataclass(frozen=True, kw_only=True)
class RawLargest(AdaptiveTrees):
    """Where there would be too many boxes, those with most paths in truth are quartered."""

    def _going(self, growth: Growth, noisy: Ints, left: Fraction, epsilon: Fraction) -> Ints:
        every = replace(self, most_boxes=2**20)
        going = np.isin(np.arange(growth.size), AdaptiveTrees._going(every, growth, noisy, left, epsilon))
        return largest(growth.counts, going, self.most_boxes // 4)


@dataclass(frozen=True, kw_only=True)
class StopsForOnePath(AdaptiveTrees):
    """The trees of stops forget that a user has several paths; the tree of paths does not."""

    def _stop(self, paths: Paths, stop: int, *, rng: NoiseSource) -> NoisyBoxes:
        forgetful = replace(self, epsilon_stops=self.epsilon_stops * self.unit.bound)
        return AdaptiveTrees._stop(forgetful, paths, stop, rng=rng)


@dataclass(frozen=True, kw_only=True)
class UnsplitCuts(KdTree):
    """The choices of every level cost what those of all levels may."""

    def _cut(self, growth: Growth, which: Ints, *, rng: NoiseSource) -> None:
        KdTree._cut(replace(self, epsilon_cuts=self.epsilon_cuts * self.depth), growth, which, rng=rng)


@dataclass(frozen=True, kw_only=True)
class FreeEmptyCuts(KdTree):
    """Boxes without a path are cut in the middle, and nothing is asked."""

    def _cut(self, growth: Growth, which: Ints, *, rng: NoiseSource) -> None:
        empty = which[growth.counts[which] == 0]
        if len(empty) == len(which):
            halve(growth, which, times=1)
        else:
            KdTree._cut(self, growth, which, rng=rng)


@dataclass(frozen=True, kw_only=True)
class CountedCandidates(DafHomogeneity):
    """Which cuts are offered follows from how many paths a box holds."""

    def cuts(
        self, growth: Growth, which: Ints, axis: Ints, parts: Ints, paid: list[Fraction], *, rng: NoiseSource
    ) -> Cuts:
        """As the honest ones, of other sets."""
        other = replace(growth, nodes=growth.nodes + growth.counts)
        return DafHomogeneity.cuts(self, other, which, axis, parts, paid, rng=rng)
