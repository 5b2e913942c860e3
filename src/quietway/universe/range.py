"""Range queries: a set of indices on each axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from quietway.errors import UniverseError
from quietway.universe.axis import Axis
from quietway.universe.universe import Universe, rounded

Selection = str | Sequence[str] | slice
LARGEST_MASK = 50_000_000


@dataclass(frozen=True, eq=False)
class Range:
    """The cells whose index on every axis is among the chosen ones (None: any)."""

    universe: Universe
    masks: tuple[NDArray[np.bool_] | None, ...]

    @classmethod
    def of(cls, universe: Universe, selections: Mapping[str, Selection] | None = None) -> Range:
        """A range from labels: a label, a list of labels, or a slice of labels on an ordered axis.

        A slice includes its start and leaves out its stop, so
        `{"period": slice("08:00", "10:00")}` is two hours; either may be None.
        """
        chosen = {universe.position(name): selection for name, selection in (selections or {}).items()}
        return cls(
            universe,
            tuple(_mask(axis, chosen[i]) if i in chosen else None for i, axis in enumerate(universe.axes)),
        )

    @classmethod
    def box(cls, universe: Universe, low: Sequence[int], high: Sequence[int]) -> Range:
        """The cells with low <= index < high on every axis."""
        masks = list[NDArray[np.bool_] | None]()
        for axis, start, stop in zip(universe.axes, low, high, strict=True):
            if not 0 <= start < stop <= axis.size:
                raise UniverseError(
                    f"the range {start}..{stop} does not fit axis '{axis.name}' of size {axis.size}; "
                    "give 0 <= start < stop <= size"
                )
            masks.append(None if stop - start == axis.size else _only(axis, slice(start, stop)))
        return cls(universe, tuple(masks))

    @property
    def cells(self) -> int:
        """How many cells it covers."""
        return prod(
            axis.size if mask is None else int(mask.sum())
            for axis, mask in zip(self.universe.axes, self.masks, strict=True)
        )

    def keys(self) -> NDArray[np.int64]:
        """The keys of its cells, sorted: room for what it covers, not for the universe."""
        self.universe.require_keys()
        keys = np.zeros(1, dtype=np.int64)
        for axis, mask in zip(self.universe.axes, self.masks, strict=True):
            chosen = np.arange(axis.size) if mask is None else np.flatnonzero(mask)
            keys = np.add.outer(keys * axis.size, chosen).ravel()
        return keys

    def contains(self, keys: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each cell lies in the range."""
        inside = np.ones(len(keys), dtype=np.bool_)
        for i, mask in enumerate(self.masks):
            if mask is not None:
                inside &= mask[self.universe.index(keys, i)]
        return inside


def _mask(axis: Axis, selection: Selection) -> NDArray[np.bool_]:
    if isinstance(selection, slice):
        return _only(axis, _slice(axis, selection))
    labels = [selection] if isinstance(selection, str) else selection
    if not labels:
        raise UniverseError(f"the range chooses nothing on axis '{axis.name}'; name at least one element")
    return _only(axis, [axis.index(label) for label in labels])


def _only(axis: Axis, chosen: slice | list[int]) -> NDArray[np.bool_]:
    if axis.size > LARGEST_MASK:
        raise UniverseError(
            f"axis '{axis.name}' has {rounded(axis.size)} elements, too many to choose among (at most {LARGEST_MASK:,}); "
            "use a coarser axis"
        )
    mask = np.zeros(axis.size, dtype=np.bool_)
    mask[chosen] = True
    return mask


def _slice(axis: Axis, selection: slice) -> slice:
    if not axis.ordered:
        raise UniverseError(
            f"axis '{axis.name}' has no order, so a range from .. to means nothing; list its elements"
        )
    if selection.step is not None:
        raise UniverseError(f"the range on axis '{axis.name}' has a step; list the elements instead")
    start = 0 if selection.start is None else axis.index(selection.start)
    stop = axis.size if selection.stop in (None, "24:00") else axis.index(selection.stop)
    if start >= stop:
        raise UniverseError(
            f"the range on axis '{axis.name}' ends at or before its start ({selection.start} .. {selection.stop}); "
            "swap them, or give two ranges around the end"
        )
    return slice(start, stop)
