"""Where a stop can be: places on a public rectangle of rows and columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quietway.errors import UniverseError
from quietway.nearest import nearest

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
LARGEST_SIDE = 4_000
ZONE_SIDE = 1_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Frame:
    """Rows from south to north, columns from west to east, and which of their cells are places.

    On a grid (`bounds` = west, south, east, north) every cell is a place.
    Zones keep their order from south to north and from west to east:
    `cell[i]` is the row and column of zone `labels[i]`, whose point is
    `points[i]` (longitude, latitude); cells without a zone hold nothing.
    A bare frame, of neither, is a rectangle of numbers.
    """

    rows: int
    columns: int
    bounds: tuple[float, float, float, float] | None = None
    labels: tuple[str, ...] = ()
    points: Floats | None = None
    cell: Ints | None = None

    def __post_init__(self) -> None:
        for name, side in (("rows", self.rows), ("columns", self.columns)):
            if not 1 <= side <= LARGEST_SIDE:
                raise UniverseError(f"a frame has {side:,} {name}; give from 1 to {LARGEST_SIDE:,}")

    @classmethod
    def zones(cls, labels: tuple[str, ...], points: Floats) -> Frame:
        """Zones by the longitude and latitude of a point in each."""
        if not labels or len(labels) != len(points) or not np.isfinite(points).all():
            raise UniverseError("zones need a label, a longitude and a latitude each, and at least one zone")
        columns, rows = (_ranks(points[:, i]) for i in (0, 1))
        return cls(
            rows=int(rows.max()) + 1,
            columns=int(columns.max()) + 1,
            labels=labels,
            points=points,
            cell=np.column_stack([rows, columns]),
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows, self.columns

    @property
    def places(self) -> int:
        """How many there are."""
        return self.rows * self.columns if self.cell is None else len(self.labels)

    @cached_property
    def weight(self) -> Ints | None:
        """How many places each cell holds; None where every cell is one."""
        if self.cell is None:
            return None
        weight = np.zeros(self.shape, dtype=np.int64)
        np.add.at(weight, (self.cell[:, 0], self.cell[:, 1]), 1)
        return weight

    def index(self, label: str) -> int:
        """Which zone has this label."""
        if label not in self._index:
            raise UniverseError(f"there is no zone '{label}'{nearest(label, self._index)}")
        return self._index[label]

    @cached_property
    def _index(self) -> dict[str, int]:
        return {label: i for i, label in enumerate(self.labels)}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frame):
            return NotImplemented
        mine, theirs = self._identity, other._identity
        return mine == theirs

    def __hash__(self) -> int:
        return hash(self._identity)

    @cached_property
    def _identity(self) -> tuple[object, ...]:
        points = None if self.points is None else self.points.tobytes()
        return self.rows, self.columns, self.bounds, self.labels, points


def _ranks(degrees: Floats) -> Ints:
    """The place of each in the order of distinct values, drawn together where there are too many to keep apart."""
    distinct, rank = np.unique(degrees, return_inverse=True)
    side = min(len(distinct), ZONE_SIDE)
    return rank.astype(np.int64) * side // len(distinct)
