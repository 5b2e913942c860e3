"""How much a measurement counts in a fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quietway.errors import ConfigError
from quietway.measurement import Measurement

RULES = ("published", "inverse-variance", "uniform", "two-phase", "custom")


@dataclass(frozen=True, kw_only=True)
class Weights:
    """A weight for every block of a measurement, by a rule.

    `published`: one over the number of blocks. `inverse-variance`: one over the
    variance of the noise. `uniform`: one. `custom`: as given, one for each
    measurement, the cells last. `two-phase`: inverse variances without signs
    first; then the non-negative table nearest to that, by the published weights.
    """

    rule: str = "published"
    custom: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise ConfigError(f"method.weights: there is no rule '{self.rule}'; there are {', '.join(RULES)}")
        if (self.rule == "custom") != bool(self.custom):
            raise ConfigError("method.custom_weights goes with weights = 'custom', and only then")
        if not all(0 < weight < float("inf") for weight in self.custom):
            raise ConfigError("method.custom_weights: every weight must be a positive number")

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Weights:
        """As a manifest's settings tell them."""
        return cls(
            rule=settings.get("weights") or "published", custom=tuple(settings.get("custom_weights") or ())
        )

    def require(self, measured: int) -> None:
        """Refuse custom weights that are not one for each measurement."""
        if self.custom and len(self.custom) != measured:
            raise ConfigError(
                f"method.custom_weights: {len(self.custom)} weights for {measured} measurements; give one each, "
                "in the order in which they are measured, the cells last"
            )

    def over(self, measurements: Sequence[Measurement]) -> list[float]:
        """The weight of a block of each measurement."""
        self.require(len(measurements))
        if self.custom:
            return list(self.custom)
        return [self._weight(measurement) for measurement in measurements]

    def _weight(self, measurement: Measurement) -> float:
        if self.rule == "uniform":
            return 1.0
        return 1 / (measurement.variance if self.rule == "inverse-variance" else measurement.partition.blocks)


PUBLISHED = Weights()
INVERSE_VARIANCE = Weights(rule="inverse-variance")
