"""A small release, and sources and hooks that watch the pipeline at work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quietway.budget import Ledger
from quietway.counts import Counts, Paths
from quietway.noise import HiddenCells, NoiseSource, Survivors
from quietway.paths.spec import PathSpec
from quietway.spec import ReleaseSpec

Ints = NDArray[np.int64]
DATASET = "town"
EPSILON = Fraction(1, 2)
RELEASE = """
[release]
name = "Town"
dataset = "town"
output = "published"

[records]
path = "trips.csv"

[unit]
protects = "user"
user = "rider"
max_trips = 3

[privacy]
epsilon = "1/2"

[[axes]]
kind = "categories"
name = "zone"
column = "zone"
values = ["north", "east", "south", "west"]

[[axes]]
kind = "categories"
name = "mode"
column = "mode"
values = ["bus", "bike", "foot"]

[[features]]
name = "by zone"
by = ["zone"]
"""

PATHS = """
[release]
name = "Town"
dataset = "town"
output = "published"

[records]
path = "paths.csv"

[unit]
protects = "user"
user = "rider"
max_trips = 3

[privacy]
epsilon = "1/2"

[paths]
rows = "paths"
stops = ["start", "end"]

[places]
kind = "grid"
west = 0
south = 0
east = 1
north = 1
rows = 3
columns = 3
at = { start = ["lon0", "lat0"], end = ["lon1", "lat1"] }
"""


def write_project(folder: Path, *, limit: Fraction = 4 * EPSILON, release: str = RELEASE) -> Path:
    """A release file with a ledger that allows it; trips are left to the caller."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "release.toml").write_text(release)
    ledger_of(folder).limit(DATASET, limit)
    return folder / "release.toml"


def ledger_of(folder: Path) -> Ledger:
    """The project's ledger."""
    return Ledger.open(folder / "ledger.sqlite")


def spent(folder: Path) -> Fraction:
    """What the ledger holds."""
    return ledger_of(folder).account(DATASET).spent


def few_trips(spec: ReleaseSpec | PathSpec) -> Counts | Paths:
    """Counts, or paths, that stand for the records."""
    if isinstance(spec, PathSpec):
        points = np.array([[0, 0, 2, 2]] * 20 + [[1, 1, 0, 2]] * 9, dtype=np.int32)
        return Paths(spec.space, points, spec.unit)
    keys = np.array([0, 3, 4, 7, 11])
    return Counts(spec.universe, keys, np.array([20, 1, 35, 7, 2]), spec.unit)


@dataclass(frozen=True)
class Watching:
    """A source that asks, before every draw, whether it is paid for."""

    source: NoiseSource
    paid: Callable[[], bool]
    private: bool = True

    def laplace(self, true: Ints, scale: Fraction) -> Ints:
        """The source's answer, if paid for."""
        return self._checked().laplace(true, scale)

    def laplace_above(self, true: Ints, empty: int, threshold: int, scale: Fraction) -> Survivors:
        """The source's answer, if paid for."""
        return self._checked().laplace_above(true, empty, threshold, scale)

    def hide(self, true: Ints, where: Ints, sizes: Ints, scale: Fraction) -> HiddenCells:
        """The source's answer, if paid for."""
        return self._checked().hide(true, where, sizes, scale)

    def select(self, scores: Ints, scale: Fraction) -> int:
        """The source's answer, if paid for."""
        return self._checked().select(scores, scale)

    def choose(self, scores: Ints, scale: Fraction) -> int:
        """The source's answer, if paid for."""
        return self._checked().choose(scores, scale)

    def positive(self, true: Ints, scale: Fraction) -> NDArray[np.bool_]:
        """The source's answer, if paid for."""
        return self._checked().positive(true, scale)

    def _checked(self) -> NoiseSource:
        assert self.paid(), "noise was drawn before the ledger was charged"
        return self.source
