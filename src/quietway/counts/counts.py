"""Raw counts: the last sensitive thing before the wall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from quietway.errors import PrivacyError
from quietway.universe import PrivacyUnit, Universe


@dataclass(frozen=True, repr=False, eq=False)
class Counts:
    """The non-empty cells of a universe and how many trips each holds.

    Where the draw of bounding can be repeated (`seeded`), nothing that is
    measured from them is private.

    Cells are keys (row-major positions), sorted and distinct. SENSITIVE:
    nothing that prints, logs or pickles this object shows what it holds.
    """

    universe: Universe
    keys: NDArray[np.int64]
    values: NDArray[np.int64]
    unit: PrivacyUnit
    seeded: bool = False

    def __post_init__(self) -> None:
        if self.keys.shape != self.values.shape or self.keys.ndim != 1:
            raise ValueError("counts need one value per key")
        if self.keys.size and (
            (np.diff(self.keys) <= 0).any() or self.keys[0] < 0 or self.keys[-1] >= self.universe.size
        ):
            raise ValueError("counts need sorted, distinct keys inside their universe")
        if (self.values <= 0).any():
            raise ValueError("counts keep the non-empty cells alone, so every value must be positive")

    def dense(self) -> NDArray[np.int64]:
        """Every cell, empty ones included."""
        cells = np.zeros(self.universe.size, dtype=np.int64)
        cells[self.keys] = self.values
        return cells

    def __repr__(self) -> str:
        return f"Counts(universe of {self.universe.size:,} cells, values hidden)"

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("raw counts cannot be pickled: publish a Release instead")
