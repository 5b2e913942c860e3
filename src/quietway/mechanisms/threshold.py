"""Cells of a universe too big to list: only those whose noisy count stands out."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log

import numpy as np

from quietway.budget import Cost
from quietway.counts import Counts
from quietway.errors import ConfigError
from quietway.measurement import Measurement
from quietway.mechanisms.mechanism import noisy_totals, require_audible, require_unit
from quietway.noise import NoiseSource
from quietway.universe import Partition, PrivacyUnit, Universe

MOST_BY_NOISE = 10_000_000


@dataclass(frozen=True, kw_only=True)
class ThresholdCells:
    """A noisy total, then every cell whose noisy count reaches a threshold.

    The outcome has exactly the law of noising every cell of the universe,
    empty ones included, and listing those that reach the threshold; the noise
    of empty cells is drawn lazily, so the cost follows the trips.

    Privacy: epsilon_total + epsilon_cells, per contributor of `unit`. The
        threshold is public, or a function of the noisy total already paid for.
    Source: Cormode, Procopiuc, Srivastava and Tran (2012), "Differentially
        private summaries for sparse data", the high-pass filter. Departure:
        integer noise, whose tail Pr(Z >= threshold) = r^threshold / (1 + r).
    """

    universe: Universe
    epsilon_total: Fraction
    epsilon_cells: Fraction
    unit: PrivacyUnit
    threshold: int | None = None

    def __post_init__(self) -> None:
        self.universe.require_keys()
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

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """The total, then the cells that stand out."""
        require_unit(counts, self.unit)
        total = noisy_totals("total", Partition.total(self.universe), self.epsilon_total, counts, rng=rng)
        scale = self.unit.sensitivity / self.epsilon_cells
        threshold = self.threshold or quiet_threshold(self.universe.size, scale, int(total.noisy[0]))
        return total, _cells_above(counts, threshold, scale, rng=rng)


def quiet_threshold(cells: int, scale: Fraction, noisy_total: int) -> int:
    """The least threshold at which noise alone adds no more cells than a hundredth of the trips, or MOST_BY_NOISE.

    The total is paid for by then: however wild its noise, what is listed must fit in memory.
    """
    allowed = min(max(10.0, noisy_total / 100), MOST_BY_NOISE)
    return max(1, ceil(float(scale) * log(max(1.0, cells / allowed))))


def _cells_above(counts: Counts, threshold: int, scale: Fraction, *, rng: NoiseSource) -> Measurement:
    empty = counts.universe.size - len(counts.keys)
    kept = rng.laplace_above(counts.values, empty, threshold, scale)
    # The j-th empty cell lies as many keys further as there are occupied cells before it.
    gaps = counts.keys - np.arange(len(counts.keys))
    keys = kept.empty + np.searchsorted(gaps, kept.empty, side="right")
    blocks = np.concatenate([counts.keys[kept.occupied], keys])
    noisy = np.concatenate([kept.occupied_noisy, kept.empty_noisy])
    order = np.argsort(blocks)
    return Measurement(
        name="cells",
        partition=Partition.identity(counts.universe),
        noisy=noisy[order],
        scale=scale,
        blocks=blocks[order],
        threshold=threshold,
    )
