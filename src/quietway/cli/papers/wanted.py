"""What was asked of a reproduction."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from quietway.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """As it was typed; what was not is the paper's business."""

    runs: int | None = None
    quick: bool = False
    seed: int = 0
    epsilon: tuple[str, ...] = ()
    output: Path | None = None
    data: Path | None = None
    gallery: bool = False

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ConfigError(f"--seed {self.seed} is negative; give 0 or more")

    @property
    def epsilons(self) -> tuple[Fraction, ...]:
        """Parsed; empty where the paper's are wanted."""
        from quietway.budget import parse_epsilon

        return tuple(map(parse_epsilon, self.epsilon))
