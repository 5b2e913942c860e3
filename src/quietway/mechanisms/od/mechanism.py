"""What every mechanism for paths is: a cost known beforehand, and one way to measure."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from quietway.budget import Cost
from quietway.counts import Paths
from quietway.errors import PrivacyError
from quietway.measurement import NoisyPaths
from quietway.noise import NoiseSource
from quietway.universe import PrivacyUnit


class PathMechanism(Protocol):
    """A private way to look at paths: `cost` is charged before `measure` draws noise worth no more than that."""

    @property
    def cost(self) -> Cost:
        """The privacy loss of one call of `measure`, for the unit it is built for."""
        ...

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """What each kind of draw takes of the cost at most, by name."""
        ...

    def measure(self, paths: Paths, *, rng: NoiseSource) -> tuple[NoisyPaths, ...]:
        """Noisy answers, each with the scale of its noise."""
        ...


def require_unit(paths: Paths, unit: PrivacyUnit) -> None:
    """Paths bounded for one unit must not be measured at the price of another."""
    if paths.unit != unit:
        raise PrivacyError(
            f"these paths were bounded for {paths.unit.to_json()}, but the mechanism was priced for {unit.to_json()}"
        )
