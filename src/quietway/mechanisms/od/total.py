"""The noisy number of all paths: a tree of one box."""

from __future__ import annotations

from fractions import Fraction

from quietway.counts import Paths
from quietway.measurement import NoisyBoxes
from quietway.mechanisms.od.growing import Growth, whole
from quietway.noise import NoiseSource


def noisy_total(paths: Paths, epsilon: Fraction, *, rng: NoiseSource) -> NoisyBoxes:
    """One count of the whole space. A contributor moves it by at most the unit's sensitivity."""
    growth = Growth.of(paths)
    growth.draw(whole(1), paths.unit.sensitivity / epsilon, rng=rng)
    return growth.boxes("total")


def told(total: NoisyBoxes) -> int:
    """The number itself, which is at least one path."""
    return max(1, int(total.noisy[0]))
