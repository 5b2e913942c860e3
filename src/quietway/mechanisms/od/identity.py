"""Every cell on its own, of which those are listed whose noisy count stands out."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from quietway.budget import Cost
from quietway.counts import Paths
from quietway.errors import ConfigError
from quietway.measurement import NoisyBoxes, NoisyCells
from quietway.mechanisms.mechanism import require_audible
from quietway.mechanisms.od.cells import cells_at, numbers, occupied, skipping
from quietway.mechanisms.od.mechanism import require_unit
from quietway.mechanisms.od.total import noisy_total, told
from quietway.mechanisms.threshold import quiet_threshold
from quietway.noise import NoiseSource
from quietway.universe import PrivacyUnit


@dataclass(frozen=True, kw_only=True)
class IdentityPaths:
    """A noisy total, then every cell whose noisy count reaches a threshold.

    The outcome has exactly the law of noising every cell of the space, empty
    ones included, and listing those that reach the threshold. The noise of
    empty cells is drawn lazily, so the work follows the paths, and a space
    may have more cells than 64 bits can number.

    Privacy: epsilon_total + epsilon_cells, per contributor of `unit`. The
        threshold is public, or a function of the noisy total already paid for.
    Source: Shaham, Ghinita and Shahabi (2022), section 5, IDENTITY.
        Departures: 1000^4 cells cannot be written down, so only those that
        stand out are; what they leave is told by a total. Integer noise.
    """

    epsilon_total: Fraction
    epsilon_cells: Fraction
    unit: PrivacyUnit
    threshold: int | None = None

    def __post_init__(self) -> None:
        require_audible(self.unit, (self.epsilon_total, self.epsilon_cells))
        if self.threshold is not None and self.threshold < 1:
            raise ConfigError(f"threshold is {self.threshold}; it must be 1 or more")

    @property
    def cost(self) -> Cost:
        """The total and the cells together."""
        return Cost.sequential([Cost(epsilon, self.unit) for _, epsilon in self.parts])

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """What the total and the cells take."""
        return (("total", self.epsilon_total), ("cells", self.epsilon_cells))

    def measure(self, paths: Paths, *, rng: NoiseSource) -> tuple[NoisyBoxes, NoisyCells]:
        """The total, then the cells that stand out."""
        require_unit(paths, self.unit)
        total = noisy_total(paths, self.epsilon_total, rng=rng)
        scale = self.unit.sensitivity / self.epsilon_cells
        threshold = self.threshold or quiet_threshold(paths.space.size, scale, told(total))
        return total, _cells_above(paths, threshold, scale, rng=rng)


def _cells_above(paths: Paths, threshold: int, scale: Fraction, *, rng: NoiseSource) -> NoisyCells:
    space = paths.space
    full, counts = occupied(space, paths.points)
    kept = rng.laplace_above(counts, space.size - len(full), threshold, scale)
    taken = numbers(space, full)
    number = np.concatenate([taken[kept.occupied], skipping(taken, kept.empty)])
    noisy = np.concatenate([kept.occupied_noisy, kept.empty_noisy])
    order = np.argsort(number)
    return NoisyCells(
        name="cells",
        space=space,
        cells=cells_at(space, number[order]),
        noisy=noisy[order],
        threshold=threshold,
        scale=scale,
    )
