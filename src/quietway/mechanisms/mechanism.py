"""What every mechanism is: a cost known beforehand, and one way to measure."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Protocol

from quietway.budget import Cost
from quietway.counts import Counts
from quietway.errors import ConfigError, PrivacyError, UniverseError
from quietway.measurement import Measurement
from quietway.noise import NoiseSource
from quietway.universe import Partition, PrivacyUnit

Named = tuple[tuple[str, Partition], ...]

LARGEST_DENSE = 50_000_000
LARGEST_SCALE = 2**40


class Mechanism(Protocol):
    """A private way to look at counts.

    `cost` is known before any data are touched, and is what the ledger is
    charged; `measure` may draw noise worth no more than that.
    """

    @property
    def cost(self) -> Cost:
        """The privacy loss of one call of `measure`, for the unit it is built for."""
        ...

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """What each measurement takes of the cost, by name."""
        ...

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """Noisy answers, each with the scale of its noise."""
        ...


def noisy_totals(
    name: str, partition: Partition, epsilon: Fraction, counts: Counts, *, rng: NoiseSource
) -> Measurement:
    """Discrete Laplace noise on the total of every block, empty blocks included.

    Blocks are disjoint, so a contributor moves the vector of totals by at most
    the unit's sensitivity in L1, and scale = sensitivity / epsilon suffices.
    """
    if partition.universe != counts.universe:
        raise UniverseError(f"'{name}' is a partition of another universe than the counts'")
    scale = counts.unit.sensitivity / epsilon
    totals = partition.totals(counts.keys, counts.values)
    return Measurement(name=name, partition=partition, noisy=rng.laplace(totals, scale), scale=scale)


def require_audible(unit: PrivacyUnit, epsilons: Iterable[Fraction]) -> None:
    """Refuse an epsilon whose noise would drown any count, and strain 64-bit integers."""
    for epsilon in epsilons:
        if unit.sensitivity / epsilon > LARGEST_SCALE:
            raise ConfigError(
                f"a share of epsilon is as small as {float(epsilon):.3g}: its noise would be larger than any count; "
                "choose a larger epsilon, or measure less"
            )


def require_unit(counts: Counts, unit: PrivacyUnit) -> None:
    """Counts bounded for one unit must not be measured at the price of another."""
    if counts.unit != unit:
        raise PrivacyError(
            f"these counts were bounded for {counts.unit.to_json()}, but the mechanism was priced for {unit.to_json()}"
        )


def require_dense(partition: Partition, name: str) -> None:
    """Refuse to noise every block of a partition that does not fit in memory."""
    if partition.blocks > LARGEST_DENSE:
        raise UniverseError(
            f"'{name}' has {partition.blocks:,} blocks and every one would need noise (at most {LARGEST_DENSE:,}); "
            'use coarser axes, or method.name = "cbdp" or "threshold", which draw the noise of empty cells lazily'
        )
