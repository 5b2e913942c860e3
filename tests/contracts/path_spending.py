"""What is spent on the way from the root of a tree to each of its leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quietway.measurement import NoisyBoxes, NoisyCells, NoisyGrid
from quietway.noise import HiddenCells, NoiseSource, Survivors
from quietway.universe import PrivacyUnit

Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Choices:
    """Answers like another source, and keeps the scales of choices."""

    source: NoiseSource
    scales: list[Fraction] = field(default_factory=list)

    @property
    def private(self) -> bool:
        """Never."""
        return False

    def laplace(self, true: Ints, scale: Fraction) -> Ints:
        """The source's answer."""
        return self.source.laplace(true, scale)

    def laplace_above(self, true: Ints, empty: int, threshold: int, scale: Fraction) -> Survivors:
        """The source's answer."""
        return self.source.laplace_above(true, empty, threshold, scale)

    def hide(self, true: Ints, where: Ints, sizes: Ints, scale: Fraction) -> HiddenCells:
        """Not asked for."""
        raise NotImplementedError

    def select(self, scores: Ints, scale: Fraction) -> int:
        """The source's choice."""
        self.scales.append(scale)
        return self.source.select(scores, scale)

    def choose(self, scores: Ints, scale: Fraction) -> int:
        """The source's choice."""
        self.scales.append(scale)
        return self.source.choose(scores, scale)

    def positive(self, true: Ints, scale: Fraction) -> NDArray[np.bool_]:
        """The source's decisions, which are paid for once and not along the way."""
        return self.source.positive(true, scale)


def spent_on_every_way(
    measured: Sequence[NoisyBoxes | NoisyGrid | NoisyCells],
    choices: Sequence[Fraction],
    unit: PrivacyUnit,
    *,
    apart: int,
) -> set[Fraction]:
    """Every sum that some path's whereabouts cost: all draws and choices on its way, in all that was measured.

    Choices belong to the nodes that have children, in order; a path moves two of their scores `apart` so far at most.
    """
    sums = {Fraction(0)}
    for part in measured:
        found = (
            _ways(part, choices, unit, apart)
            if isinstance(part, NoisyBoxes)
            else {unit.sensitivity / part.scale}
        )
        sums = {one + other for one in sums for other in found}
    return sums


def _ways(boxes: NoisyBoxes, choices: Sequence[Fraction], unit: PrivacyUnit, apart: int) -> set[Fraction]:
    spent = [Fraction(0)] * len(boxes.parent)
    for node, drawn in zip(boxes.node.tolist(), boxes.drawn.tolist(), strict=True):
        spent[node] += unit.sensitivity / boxes.scales[drawn]
    if choices:
        inner = np.unique(boxes.parent[boxes.parent >= 0])
        for node, scale in zip(inner.tolist(), choices, strict=True):
            spent[node] += apart * unit.sensitivity / scale
    for node, parent in enumerate(boxes.parent.tolist()):
        spent[node] += spent[parent] if parent >= 0 else 0
    return {spent[leaf] for leaf in boxes.leaves.tolist()}
