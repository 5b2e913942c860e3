"""What became of a claim: where it held, where it failed, and where chance may have spoken."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Runs = NDArray[np.float64]
Outcome = tuple[int, str]
"""1, 0 or -1, and what was compared."""
STANDARD_ERRORS = 2.0


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """How often a claim held, was too close to call, and failed; and where it failed."""

    says: str
    source: str
    held: int
    close: int
    failed: tuple[str, ...]
    why: str = ""

    @property
    def tried(self) -> int:
        """How often it was put to the test."""
        return self.held + self.close + len(self.failed)

    @property
    def word(self) -> str:
        """In a word or two."""
        if not self.tried:
            return "not tried"
        if not self.failed:
            return "holds" if self.held else "too close to call"
        return "does not hold" if not self.held else "holds in part"


def sign(gap: Runs) -> int:
    """1 if a mean over runs is positive, -1 if negative, 0 within two standard errors."""
    mean = float(gap.mean())
    return 0 if abs(mean) <= STANDARD_ERRORS * standard_error(gap) else (1 if mean > 0 else -1)


def standard_error(runs: Runs) -> float:
    """Of a mean over runs; 0 of a single one, which has no spread to judge by."""
    return float(runs.std(ddof=1)) / float(np.sqrt(runs.size)) if runs.size > 1 else 0.0


def independent(fewer: Runs, more: Runs) -> int:
    """1 if the second errs more, -1 if less, 0 within two standard errors; their noise is independent."""
    gap = float(more.mean() - fewer.mean())
    error = float(np.hypot(standard_error(fewer), standard_error(more)))
    return 0 if abs(gap) <= STANDARD_ERRORS * error else (1 if gap > 0 else -1)


def tallied(says: str, source: str, outcomes: Iterable[Outcome], why: str = "") -> Verdict:
    """A verdict on all of them; `why` is kept where any failed."""
    every = list(outcomes)
    failed = tuple(what for outcome, what in every if outcome < 0)
    return Verdict(
        says=says,
        source=source,
        held=sum(outcome > 0 for outcome, _ in every),
        close=sum(outcome == 0 for outcome, _ in every),
        failed=failed,
        why=why if failed else "",
    )
