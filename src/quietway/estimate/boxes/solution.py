"""What every fit of boxes gives: answers with intervals, and a table of boxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from quietway.errors import UniverseError
from quietway.estimate.solution import Estimates, Floats
from quietway.universe import PathSpace, Region

Ends = NDArray[np.int32]
Index = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class BoxTable:
    """Boxes that share out the space, `low <= index < high` on every axis, and how many paths lie in each.

    `count` is published: integers, not negative, that add up to the rounded
    total. `estimate` is what they were rounded from, not negative either, and
    `deviation` how far noise may have moved it.
    """

    low: Ends
    high: Ends
    count: Index
    estimate: Floats
    deviation: Floats

    def __len__(self) -> int:
        return len(self.count)


class BoxSolution(Protocol):
    """Fitted counts of paths, to ask anything of."""

    @property
    def space(self) -> PathSpace:
        """The paths that were counted."""
        ...

    @property
    def boxes(self) -> BoxTable:
        """The published boxes."""
        ...

    def answer(self, low: Index, high: Index, confidence: float) -> Estimates:
        """How many paths lie in each of many boxes, given as rows of lower and of upper ends on all axes."""
        ...

    def ask(self, region: Region, confidence: float) -> Estimates:
        """How many paths lie in a region, as arrays of length one."""
        ...

    def map(self, stop: str, region: Region, shape: tuple[int, int]) -> Floats:
        """Where one stop of the region's paths is: rows x columns that cut its frame as evenly as may be."""
        ...


def require_boxes(space: PathSpace, low: Index, high: Index) -> tuple[Index, Index]:
    """The ends of queries as rows of integers, or an error that says which one does not fit."""
    low, high = (np.ascontiguousarray(np.atleast_2d(ends)) for ends in (low, high))
    if low.shape != high.shape or low.ndim != 2 or low.shape[1] != space.axes:
        raise UniverseError(
            f"queries need {space.axes} lower and {space.axes} upper ends, rows and columns of each of "
            f"{len(space.stops)} stops; these have {low.shape[-1]} and {high.shape[-1]}"
        )
    if low.dtype.kind not in "iu" or high.dtype.kind not in "iu":
        raise UniverseError("the ends of queries are indices; give integers")
    low, high = low.astype(np.int64, copy=False), high.astype(np.int64, copy=False)
    wrong = (low < 0) | (low >= high) | (high > np.array(space.shape))
    if wrong.any():
        query, axis = (int(i) for i in np.argwhere(wrong)[0])
        stop, side = space.stops[axis // 2], ("rows", "columns")[axis % 2]
        raise UniverseError(
            f"query {query} asks for {side} {low[query, axis]}..{high[query, axis]} of stop '{stop}', "
            f"which has {space.shape[axis]}; give 0 <= start < stop <= {space.shape[axis]}"
        )
    return low, high


def require_region(space: PathSpace, region: Region) -> None:
    """A region of other paths has no answer here."""
    if region.space != space:
        raise UniverseError(
            "the region was made for other paths than these; make it from this release's space"
        )
