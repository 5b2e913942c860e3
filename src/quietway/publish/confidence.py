"""How sure an interval should be."""

from __future__ import annotations

from quietway.errors import ConfigError


def require_confidence(confidence: float) -> None:
    """A confidence lies between zero and one."""
    if not 0 < confidence < 1:
        raise ConfigError(f"confidence is {confidence}; give a number between 0 and 1, such as 0.95")
