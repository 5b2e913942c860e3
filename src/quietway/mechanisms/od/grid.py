"""One grid over the whole space, as fine as a noisy total says it should be."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np
from numpy.typing import NDArray

from quietway.budget import Cost
from quietway.counts import Paths
from quietway.measurement import NoisyBoxes, NoisyGrid
from quietway.mechanisms.mechanism import require_audible
from quietway.mechanisms.od.mechanism import require_unit
from quietway.mechanisms.od.total import noisy_total, told
from quietway.noise import NoiseSource
from quietway.universe import PrivacyUnit

Ints = NDArray[np.int64]

MOST_BLOCKS = 2**22


@dataclass(frozen=True, kw_only=True)
class RuledGrid(ABC):
    """A noisy total, then noisy counts of all blocks of a grid whose fineness follows from it.

    However fine the rule would have it, a grid has at most 2^22 blocks:
    the total is paid for by then, so nothing may fail.

    Privacy: epsilon_total + epsilon_blocks, per contributor of `unit`, by
        sequential composition. Blocks are disjoint, and what they are follows
        from public sizes and the noisy total.
    """

    epsilon_total: Fraction
    epsilon_blocks: Fraction
    unit: PrivacyUnit
    most_blocks: int = MOST_BLOCKS

    def __post_init__(self) -> None:
        require_audible(self.unit, (self.epsilon_total, self.epsilon_blocks))

    @property
    def cost(self) -> Cost:
        """The total and the blocks together."""
        return Cost.sequential([Cost(epsilon, self.unit) for _, epsilon in self.parts])

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """What the total and the blocks take."""
        return (("total", self.epsilon_total), ("blocks", self.epsilon_blocks))

    @abstractmethod
    def parts_of_axis(self, paths: float, scale: float, dimensions: int) -> float:
        """Into how many parts to cut each axis, for about so many paths and noise of this scale."""
        ...

    def measure(self, paths: Paths, *, rng: NoiseSource) -> tuple[NoisyBoxes, NoisyGrid]:
        """The total, then the blocks."""
        require_unit(paths, self.unit)
        total = noisy_total(paths, self.epsilon_total, rng=rng)
        scale = self.unit.sensitivity / self.epsilon_blocks
        dimensions = max(1, paths.space.dimensions)
        parts = self.parts_of_axis(float(told(total)), float(scale), dimensions)
        edges = tuple(
            _edges(side, cut)
            for side, cut in zip(
                paths.space.shape,
                shared_out(paths.space.shape, max(1.0, parts) ** dimensions, self.most_blocks),
                strict=True,
            )
        )
        noisy = rng.laplace(block_counts(paths.points, edges), scale)
        return total, NoisyGrid(name="blocks", space=paths.space, edges=edges, noisy=noisy, scale=scale)


def shared_out(shape: Sequence[int], blocks: float, most: int) -> tuple[int, ...]:
    """Parts for each axis, as equal as they can be, so that there are about so many blocks and never more than `most`.

    The shortest axis comes first: each takes the nearest whole root of what is
    still to come, so that what an axis has no room for goes to the others.
    """
    parts, wanted = [1] * len(shape), min(blocks, float(most))
    axes = sorted((axis for axis, side in enumerate(shape) if side > 1), key=lambda axis: shape[axis])
    for done, axis in enumerate(axes):
        root = (wanted / prod(parts)) ** (1 / (len(axes) - done))
        parts[axis] = max(1, min(int(root + 0.5), shape[axis], most // prod(parts)))
    return tuple(parts)


def block_counts(points: NDArray[np.int32], edges: Sequence[Ints]) -> Ints:
    """How many points each block holds, in row-major order."""
    block = np.zeros(len(points), dtype=np.int64)
    for axis, cuts in enumerate(edges):
        part = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts))
        block = block * (len(cuts) - 1) + part[points[:, axis]]
    return np.bincount(block, minlength=prod(len(cuts) - 1 for cuts in edges)).astype(np.int64)


def _edges(side: int, parts: int) -> Ints:
    return np.arange(parts + 1, dtype=np.int64) * side // parts
