"""Where boxes are cut: for each of several boxes, increasing places strictly inside it along one axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Places = NDArray[np.int64 | np.int32]


@dataclass(frozen=True, eq=False)
class Cuts:
    """The cuts of box i are `places[offsets[i]:offsets[i + 1]]`; a box without any stays whole."""

    places: Ints
    offsets: Ints

    @classmethod
    def even(cls, low: Places, high: Places, parts: Ints) -> Cuts:
        """Each box from low to before high in so many parts, as equal as whole places allow.

        Source: Shaham, Ghinita and Shahabi (2022), equation (21), with k_0 = k_start.
        """
        box, j = numbered(parts - 1)
        width = high.astype(np.int64) - low
        return cls(low[box].astype(np.int64) + (j + 1) * width[box] // parts[box], ends_of(parts - 1))

    @property
    def parts(self) -> Ints:
        """How many boxes each becomes."""
        return np.diff(self.offsets) + 1


def numbered(sizes: Ints) -> tuple[Ints, Ints]:
    """Of groups of these sizes, laid end to end: each member's group, and its number within it."""
    offsets = ends_of(sizes)
    group = np.repeat(np.arange(len(sizes)), sizes)
    return group, np.arange(offsets[-1]) - offsets[group]


def ends_of(sizes: Ints) -> Ints:
    """Where each group starts, and where the last ends."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)])
