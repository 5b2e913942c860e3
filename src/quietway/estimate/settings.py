"""What a release says about its fit, besides the fit's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quietway.estimate.prior import Background
from quietway.estimate.weights import PUBLISHED, Weights


@dataclass(frozen=True, kw_only=True)
class FitSettings:
    """What fits may be told; each takes what concerns it."""

    weights: Weights = PUBLISHED
    background: Background | None = None

    @classmethod
    def of(cls, settings: Mapping[str, Any], background: Background | None = None) -> FitSettings:
        """From a manifest's settings and what was public before; what they do not say is as usual."""
        return cls(weights=Weights.of(settings), background=background)


USUAL = FitSettings()
