"""What a release says about its fit, besides the fit's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quietway.estimate.weights import PUBLISHED, Weights


@dataclass(frozen=True, kw_only=True)
class FitSettings:
    """What fits may be told; each takes what concerns it."""

    weights: Weights = PUBLISHED

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> FitSettings:
        """From a manifest's settings; what they do not say is as usual."""
        return cls(weights=Weights.of(settings))


USUAL = FitSettings()
