"""How much of a box a query covers: per stop, by area, by places, or by a density."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quietway.estimate.boxes.cover_kernels import Cover
from quietway.estimate.boxes.solution import Floats, Index
from quietway.universe import PathSpace, Region
from quietway.universe.area import prefix_sums


@dataclass(frozen=True, eq=False)
class Sheets:
    """Prefix sums of some stops, end to end: stop i's begin at `at[i]`, or it has none (-1)."""

    sums: Floats
    at: Index

    @classmethod
    def of(cls, tables: list[Floats | None]) -> Sheets:
        """From what each cell holds."""
        sizes = [0 if table is None else (table.shape[0] + 1) * (table.shape[1] + 1) for table in tables]
        ends = np.cumsum([1, *sizes])
        sums, at = np.zeros(ends[-1]), np.full(len(tables), -1, dtype=np.int64)
        for i, table in enumerate(tables):
            if table is not None:
                sums[ends[i] : ends[i + 1]] = prefix_sums(table).ravel()
                at[i] = ends[i]
        return cls(sums, at)


@dataclass(frozen=True, eq=False)
class Mass:
    """What paths of a box are spread by: the product over stops of what their cells weigh (None: all the same)."""

    space: PathSpace
    tables: tuple[Floats | None, ...]
    dense: bool = False

    @classmethod
    def of(cls, space: PathSpace, densities: Mapping[int, Floats]) -> Mass:
        """The densities of stops; without one, a stop's places weigh the same."""
        return cls(
            space,
            tuple(densities.get(i, _places(space, i)) for i in range(len(space.stops))),
            bool(densities),
        )

    @property
    def plain(self) -> bool:
        """Whether it is area, at every stop."""
        return all(table is None for table in self.tables)

    @property
    def even(self) -> Mass:
        """The same stops without their densities."""
        return Mass.of(self.space, {})

    def cover(self, region: Region | None = None) -> Cover:
        """For boxes, or for a region with sets of places."""
        chosen = self._rectangles if region is None or region.is_box else self._left(region)
        return Cover(self._all.sums, self._all.at, chosen.sums, chosen.at, self._width)

    @cached_property
    def _all(self) -> Sheets:
        return Sheets.of(list(self.tables))

    @cached_property
    def _width(self) -> Index:
        return np.array([frame.columns + 1 for frame in self.space.frames], dtype=np.int64)

    @cached_property
    def _rectangles(self) -> Sheets:
        return Sheets.of([None] * len(self.tables))

    def _left(self, region: Region) -> Sheets:
        return Sheets.of([self._chosen(region, i) for i in range(len(self.tables))])

    def _chosen(self, region: Region, stop: int) -> Floats | None:
        places, table = region.areas[stop].places, self.tables[stop]
        if places is None:
            return None
        if table is None:
            return places.astype(np.float64)
        weight = self.space.frames[stop].weight
        return table * (places if weight is None else places / np.maximum(weight, 1))


def _places(space: PathSpace, stop: int) -> Floats | None:
    weight = space.frames[stop].weight
    return None if weight is None else weight.astype(np.float64)
