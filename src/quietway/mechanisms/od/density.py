"""The density-aware framework: axis after axis, every node is split as finely as its own noisy count deserves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quietway.budget import Cost
from quietway.counts import Paths
from quietway.errors import ConfigError
from quietway.measurement import NoisyBoxes
from quietway.mechanisms.mechanism import require_audible
from quietway.mechanisms.od.cutting import Cuts
from quietway.mechanisms.od.growing import Growth, whole
from quietway.mechanisms.od.mechanism import require_unit
from quietway.mechanisms.od.schedule import FINEST_SHARE, Schedule
from quietway.noise import NoiseSource
from quietway.universe import PathSpace, PrivacyUnit

Ints = NDArray[np.int64]
MOST_BOXES = 2**21


class Step(NamedTuple):
    """What becomes of each node of a frontier: the depth its children have, and how many; none if it stops."""

    to: Ints
    parts: Ints


@dataclass(frozen=True, kw_only=True)
class DensityAware(ABC):
    """A tree of boxes that is finer where there are more paths.

    The root's noisy count fixes how the rest is divided among the levels. Then, level by level, a node stops if its
    noisy count is below `patience` deviations of the noise that it could still buy, and buys it; or else it is split
    along the next axis into (n / (sqrt(2) scale))^(2 / (3 k)) parts, where k axes are left and scale is that of all
    that is left to spend. An axis that is not worth two parts is left out, and its share goes to the next.

    As `published`, every axis has its level, where a node of one part is counted again, and only the last count of
    every leaf is told.

    A level has at most 2^21 boxes: if noisy counts ask for more, all get fewer parts.

    Privacy: epsilon_root + epsilon_levels, per contributor of `unit`. Boxes of
        a level are disjoint, so noise is paid along one way from the root to a
        leaf: the root's count, then for each level what the schedule says, and
        nothing is left where a leaf was counted for the last time. Where to
        stop, what to split and how finely follows from public sizes and noisy
        counts.
    """

    epsilon_root: Fraction
    epsilon_levels: Fraction
    unit: PrivacyUnit
    patience: float = 2.0
    published: bool = False
    most_boxes: int = MOST_BOXES

    def __post_init__(self) -> None:
        least = self.epsilon_levels * min(self.share_of_cuts or 1, 1 - self.share_of_cuts) / FINEST_SHARE
        require_audible(self.unit, (self.epsilon_root, least))

    @property
    def cost(self) -> Cost:
        """The root and the levels together."""
        return Cost.sequential([Cost(epsilon, self.unit) for _, epsilon in self.parts])

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """What the root's count takes, and all that follows on the way to any leaf."""
        return (("root", self.epsilon_root), ("levels", self.epsilon_levels))

    @property
    @abstractmethod
    def name(self) -> str:
        """What the boxes are called."""
        ...

    @property
    def share_of_cuts(self) -> Fraction:
        """How much of a level's share is for choosing where to cut."""
        return Fraction(0)

    @abstractmethod
    def cuts(
        self, growth: Growth, which: Ints, axis: Ints, parts: Ints, paid: list[Fraction], *, rng: NoiseSource
    ) -> Cuts:
        """Where to cut some nodes, for what each pays for it."""
        ...

    def measure(self, paths: Paths, *, rng: NoiseSource) -> tuple[NoisyBoxes]:
        """The tree."""
        require_unit(paths, self.unit)
        axes = split_axes(paths.space)
        growth = Growth.of(paths)
        noisy = growth.draw(whole(1), self.unit.sensitivity / self.epsilon_root, rng=rng)
        schedule = self._schedule(int(noisy[0]), len(axes))
        depth = np.zeros(1, dtype=np.int64)
        while growth.size:
            step = self._step(growth, noisy, depth, axes, schedule)
            self._stop(growth, np.flatnonzero(step.parts == 0), depth, schedule, rng=rng)
            before, depth = self._split(growth, step, depth, axes, schedule, rng=rng)
            noisy = self._count(growth, before, depth, schedule, rng=rng)
        boxes = growth.boxes(self.name)
        return (last_of_leaves(boxes) if self.published else boxes,)

    def _schedule(self, root: int, levels: int) -> Schedule:
        scale = float(self.unit.sensitivity / self.epsilon_levels)
        return Schedule.geometric(
            self.epsilon_levels, levels, max(1, int(fan_out(root, scale, levels) + 0.5))
        )

    def _step(self, growth: Growth, noisy: Ints, depth: Ints, axes: Ints, schedule: Schedule) -> Step:
        """The next axis that is worth cutting, and into how many parts, from noisy counts alone."""
        scale = schedule.scales_left(self.unit.sensitivity)[depth]
        going = noisy >= self.patience * sqrt(2) * scale
        to, parts = np.zeros_like(depth), np.zeros_like(depth)
        width = (growth.high - growth.low).astype(np.int64)
        for level, axis in enumerate(axes):
            here = going & (parts == 0) & (depth <= level)
            if self.published:
                here &= depth == level
            wanted = fan_out(noisy[here], scale[here], len(axes) - level)
            parts[here] = np.clip(np.minimum(wanted, width[here, axis]) + 0.5, 1, None).astype(np.int64)
            if not self.published:
                parts[parts == 1] = 0
            to[here] = level + 1
        return Step(to, self._bounded(parts))

    def _bounded(self, parts: Ints) -> Ints:
        """Fewer parts for all, where there would be too many boxes together."""
        going, more = parts > 0, np.maximum(parts - 1, 0)
        room = max(0, self.most_boxes - int(going.sum()))
        if int(more.sum()) > room:
            more = (more * (room / int(more.sum()))).astype(np.int64)
        least = 1 if self.published else 2
        return np.where(going & (more + 1 >= least), more + 1, 0)

    def _stop(
        self, growth: Growth, leaves: Ints, depth: Ints, schedule: Schedule, *, rng: NoiseSource
    ) -> None:
        """What leaves have left buys them one more count."""
        for level in np.unique(depth[leaves]).tolist():
            if level < schedule.levels:
                which = leaves[depth[leaves] == level]
                growth.draw(which, self.unit.sensitivity / schedule.left(level), rng=rng)

    def _split(
        self, growth: Growth, step: Step, depth: Ints, axes: Ints, schedule: Schedule, *, rng: NoiseSource
    ) -> tuple[Ints, Ints]:
        """The children's frontier: the depth each came from, and the depth it has."""
        which = np.flatnonzero(step.parts > 0)
        above, below = depth[which], step.to[which]
        axis = axes[below - 1]
        share = self.share_of_cuts
        paid = [share * schedule.between(i, j) for i, j in zip(above.tolist(), below.tolist(), strict=True)]
        cuts = self.cuts(growth, which, axis, step.parts[which], paid, rng=rng)
        origin = growth.split(which, axis, cuts)
        return above[origin], below[origin]

    def _count(
        self, growth: Growth, above: Ints, below: Ints, schedule: Schedule, *, rng: NoiseSource
    ) -> Ints:
        """Every node of the frontier, each for what its way down is worth."""
        noisy = np.zeros(growth.size, dtype=np.int64)
        for i, j, which in ways(above, below):
            epsilon = (1 - self.share_of_cuts) * schedule.between(i, j)
            noisy[which] = growth.draw(which, self.unit.sensitivity / epsilon, rng=rng)
        return noisy


def split_axes(space: PathSpace) -> Ints:
    """The axes that can be split at all."""
    axes = np.array([axis for axis, side in enumerate(space.shape) if side > 1], dtype=np.int64)
    if not axes.size:
        raise ConfigError(
            "every path stands in the one place there is, so nothing can be split; use 'uniform'"
        )
    return axes


def fan_out(noisy: Ints | int, scale: NDArray[np.float64] | float, axes_left: int) -> NDArray[np.float64]:
    """(n / (sqrt(2) scale))^(2 / (3 k)), not rounded; nothing for counts below zero.

    Source: Shaham, Ghinita and Shahabi (2022), equation (19) with Algorithm 2, lines 11 and 15.
    """
    return (np.maximum(noisy, 0) / (sqrt(2) * scale)) ** (2 / (3 * axes_left))


def ways(above: Ints, below: Ints) -> Iterator[tuple[int, int, Ints]]:
    """The nodes that came from one depth to another, for every such pair of depths."""
    pairs = np.unique(np.column_stack([above, below]), axis=0)
    for i, j in pairs.tolist():
        yield i, j, np.flatnonzero((above == i) & (below == j))


def last_of_leaves(boxes: NoisyBoxes) -> NoisyBoxes:
    """Of all draws, the last of each leaf that was drawn."""
    last = np.full(len(boxes.parent), -1, dtype=np.int64)
    last[boxes.node] = np.arange(len(boxes.node))
    kept = last[boxes.leaves]
    kept = kept[kept >= 0]
    return replace(boxes, node=boxes.node[kept], noisy=boxes.noisy[kept], drawn=boxes.drawn[kept])
