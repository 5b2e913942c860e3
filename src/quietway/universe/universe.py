"""The public set of things that could be counted, as a product of axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np
from numpy.typing import NDArray

from quietway.errors import UniverseError
from quietway.universe.axis import Axis

LARGEST_KEY = 2**63 - 1
LARGEST_LIST = 50_000_000


def rounded(number: int) -> str:
    """A size for messages, however large: a float could not hold them all."""
    digits = str(number)
    return f"{number:,}" if len(digits) <= 9 else f"about {digits[0]}.{digits[1]}e{len(digits) - 1}"


@dataclass(frozen=True)
class Universe:
    """An ordered product of axes; never materialised, so its size has no limit.

    A cell is a tuple of indices, one per axis. Where the size allows, a cell
    also has a key: its row-major position, the last axis varying fastest.
    """

    axes: tuple[Axis, ...]
    _positions: dict[str, int] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._positions.update({axis.name: i for i, axis in enumerate(self.axes)})
        if len(self._positions) < len(self.axes):
            names = [axis.name for axis in self.axes]
            twice = next(name for name in names if names.count(name) > 1)
            raise UniverseError(f"two axes are named '{twice}'; every axis needs a name of its own")

    @property
    def shape(self) -> tuple[int, ...]:
        """Axis sizes, in order."""
        return tuple(axis.size for axis in self.axes)

    @property
    def size(self) -> int:
        """How many cells there are: exact, whatever the number."""
        return prod(self.shape)

    @property
    def names(self) -> tuple[str, ...]:
        """Axis names, in order."""
        return tuple(axis.name for axis in self.axes)

    def axis(self, name: str) -> Axis:
        """The axis of that name."""
        return self.axes[self.position(name)]

    def position(self, name: str) -> int:
        """Where the axis of that name stands."""
        if name not in self._positions:
            raise UniverseError(f"there is no axis '{name}'; the axes are {', '.join(self.names)}")
        return self._positions[name]

    def project(self, names: Iterable[str]) -> Universe:
        """The universe of some of the axes, in the order given."""
        return Universe(tuple(self.axis(name) for name in names))

    def keys(self, coordinates: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Row-major positions of cells given as one index array per axis."""
        self.require_keys()
        keys = np.zeros(len(coordinates[0]) if self.axes else 1, dtype=np.int64)
        for axis, index in zip(self.axes, coordinates, strict=True):
            keys *= axis.size
            keys += index
        return keys

    def coordinates(self, keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
        """One index array per axis for row-major positions."""
        self.require_keys()
        rest, columns = keys, list[NDArray[np.int64]]()
        for size in reversed(self.shape):
            rest, index = np.divmod(rest, size)
            columns.append(index)
        return tuple(reversed(columns))

    def stride(self, position: int) -> int:
        """How far apart two cells' keys are that differ by one step on an axis."""
        return prod(self.shape[position + 1 :])

    def index(self, keys: NDArray[np.int64], position: int) -> NDArray[np.int64]:
        """The indices on one axis for row-major positions."""
        self.require_keys()
        return keys // self.stride(position) % self.shape[position]

    def require_keys(self) -> None:
        """Refuse work that needs a 64-bit position per cell where there is none."""
        if self.size > LARGEST_KEY:
            raise UniverseError(
                f"this universe has {rounded(self.size)} cells, more than a 64-bit position can tell apart; "
                "use fewer or coarser axes here"
            )

    def require_list(self) -> None:
        """Refuse work that needs one value per cell where they would not fit in memory."""
        if self.size > LARGEST_LIST:
            raise UniverseError(
                f"this universe has {rounded(self.size)} cells, too many to list (at most {LARGEST_LIST:,}); "
                "use coarser axes, or a method that need not list them"
            )
