"""The fits a release file may name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from quietway.estimate.flat import clip, spread
from quietway.estimate.nonnegative import project, prune
from quietway.estimate.solution import Solution
from quietway.estimate.sparse import keep
from quietway.measurement import Measurement

Fit = Callable[[Sequence[Measurement]], Solution]

FITS: dict[str, Fit] = {"project": project, "prune": prune, "clip": clip, "spread": spread, "keep": keep}
