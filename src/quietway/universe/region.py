"""Questions about paths: where each of the stops may be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from quietway.errors import UniverseError
from quietway.universe.area import Area, Pair
from quietway.universe.frame import Frame
from quietway.universe.paths import PathSpace


@dataclass(frozen=True, kw_only=True, eq=False)
class Region:
    """The paths whose every stop lies in its area.

    Made from `Region.everywhere(space)` by restricting stops, in any order:
    `.circle("noon", 2.35, 48.86, metres=500).zones("start", ["Opéra"])`. A stop that is
    not restricted may be anywhere; the last restriction of a stop stands.
    """

    space: PathSpace
    areas: tuple[Area, ...]

    @classmethod
    def everywhere(cls, space: PathSpace) -> Region:
        """All paths."""
        return cls(space=space, areas=tuple(Area.everywhere(frame) for frame in space.frames))

    @classmethod
    def box(cls, space: PathSpace, low: Sequence[int], high: Sequence[int]) -> Region:
        """The paths with low <= index < high on every axis: rows and columns of the first stop, of the second, ..."""
        if len(low) != space.axes or len(high) != space.axes:
            raise UniverseError(
                f"the box has {len(low)} lower and {len(high)} upper ends, but paths of {len(space.stops)} stops "
                f"have {space.axes} axes: rows and columns of each stop"
            )
        region = cls.everywhere(space)
        for i, stop in enumerate(space.stops):
            rows, columns = ((int(low[axis]), int(high[axis])) for axis in (2 * i, 2 * i + 1))
            region = region.rectangle(stop, rows, columns)
        return region

    def rectangle(self, stop: str, rows: Pair, columns: Pair) -> Region:
        """Restrict a stop to rows and columns, from the first of each pair up to, and without, the second."""
        return self._with(stop, lambda frame: Area.rectangle(frame, rows, columns))

    def bounds(self, stop: str, west: float, south: float, east: float, north: float) -> Region:
        """Restrict a stop to a box of degrees: cells whose centre, or zones whose point, lies in it."""
        return self._with(stop, lambda frame: Area.bounds(frame, west, south, east, north))

    def circle(self, stop: str, longitude: float, latitude: float, *, metres: float) -> Region:
        """Restrict a stop to a circle: cells whose centre, or zones whose point, lies in it."""
        return self._with(stop, lambda frame: Area.circle(frame, longitude, latitude, metres))

    def zones(self, stop: str, labels: Sequence[str]) -> Region:
        """Restrict a stop to zones."""
        return self._with(stop, lambda frame: Area.zones(frame, labels))

    def cells(self, stop: str, mask: NDArray[np.bool_]) -> Region:
        """Restrict a stop to the cells that a mask of rows x columns marks."""
        return self._with(stop, lambda frame: Area.cells(frame, mask))

    @property
    def low(self) -> NDArray[np.int64]:
        """The lower ends of a box around it, one per axis."""
        return np.array([end for area in self.areas for end in area.low])

    @property
    def high(self) -> NDArray[np.int64]:
        """The upper ends of a box around it, one per axis."""
        return np.array([end for area in self.areas for end in area.high])

    @property
    def is_box(self) -> bool:
        """Whether it is all of the box around it."""
        return all(area.places is None for area in self.areas)

    def _with(self, stop: str, choose: Callable[[Frame], Area]) -> Region:
        i = self.space.position(stop)
        try:
            area = choose(self.space.frames[i])
        except UniverseError as error:
            raise UniverseError(f"stop '{stop}': {error.message}") from None
        return replace(self, areas=(*self.areas[:i], area, *self.areas[i + 1 :]))
