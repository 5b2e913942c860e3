"""Paths as points: the last sensitive thing before the wall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from quietway.errors import PrivacyError
from quietway.universe import PrivacyUnit
from quietway.universe.paths import PathSpace


@dataclass(frozen=True, repr=False, eq=False)
class Paths:
    """One row per path, bounded for its unit: an index on every axis of the space. SENSITIVE.

    Where the draw of bounding can be repeated (`seeded`), nothing that is
    measured from them is private. Nothing that prints, logs or pickles this
    object shows what it holds.
    """

    space: PathSpace
    points: NDArray[np.int32]
    unit: PrivacyUnit
    seeded: bool = False

    def __post_init__(self) -> None:
        if self.points.ndim != 2 or self.points.shape[1] != self.space.axes or self.points.dtype != np.int32:
            raise ValueError("paths need a row of 32-bit indices per path, one per axis")
        if len(self.points) and ((self.points < 0).any() or (self.points >= self.space.shape).any()):
            raise ValueError("paths must lie inside their space")

    def __repr__(self) -> str:
        return f"Paths({len(self.space.stops)} stops, rows hidden)"

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("raw paths cannot be pickled: publish a Release instead")
