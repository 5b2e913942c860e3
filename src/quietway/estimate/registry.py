"""The fits a release file may name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from quietway.estimate.constraint import cbdp, free
from quietway.estimate.expected import expected
from quietway.estimate.flat import clip, spread
from quietway.estimate.nonnegative import project, prune
from quietway.estimate.settings import USUAL, FitSettings
from quietway.estimate.solution import Solution
from quietway.estimate.sparse import keep
from quietway.measurement import Measurement


class Fit(Protocol):
    """From measurements to a table."""

    def __call__(self, measurements: Sequence[Measurement], settings: FitSettings = USUAL, /) -> Solution:
        """The same measurements and settings give the same table."""
        ...


def plain(fit: Callable[[Sequence[Measurement]], Solution]) -> Fit:
    """A fit that takes no settings."""
    return lambda measurements, _=USUAL: fit(measurements)


FITS: dict[str, Fit] = {
    "project": plain(project),
    "prune": plain(prune),
    "clip": plain(clip),
    "spread": plain(spread),
    "keep": plain(keep),
    "cbdp": cbdp,
    "free": free,
    "tempered": expected,
}
