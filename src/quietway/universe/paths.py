"""What paths could be: an ordered list of stops, each with its frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

from quietway.errors import UniverseError
from quietway.universe.frame import Frame

MOST_CELLS = 2**1000


@dataclass(frozen=True, kw_only=True)
class PathSpace:
    """The stops of every path, in order, and where each can be.

    Stop i gives two axes, its rows (2i) and its columns (2i + 1). Nothing here is ever listed or multiplied out:
    sizes are exact integers, of 2^1000 cells at most.
    """

    stops: tuple[str, ...]
    frames: tuple[Frame, ...]

    def __post_init__(self) -> None:
        if not self.stops or len(self.stops) != len(self.frames):
            raise UniverseError("a space of paths needs at least one stop, and a frame for each")
        for stop in self.stops:
            if self.stops.count(stop) > 1:
                raise UniverseError(f"two stops are named '{stop}'; name each one differently")
        if self.size > MOST_CELLS:
            raise UniverseError(
                "the stops together have more than 2^1000 combinations of cells; ask for fewer stops, or coarser places"
            )

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The size of every axis."""
        return tuple(side for frame in self.frames for side in frame.shape)

    @property
    def axes(self) -> int:
        """How many axes there are."""
        return 2 * len(self.stops)

    @property
    def dimensions(self) -> int:
        """How many axes have more than one element."""
        return sum(side > 1 for side in self.shape)

    @property
    def size(self) -> int:
        """How many cells there are, exactly."""
        return prod(self.shape)

    @property
    def paths(self) -> int:
        """How many paths are possible: as many as combinations of places."""
        return prod(frame.places for frame in self.frames)

    def axes_of(self, stops: tuple[int, ...]) -> list[int]:
        """The axes of some stops, in order."""
        return [2 * stop + side for stop in stops for side in (0, 1)]

    def position(self, stop: str) -> int:
        """Which stop has this name."""
        if stop not in self.stops:
            raise UniverseError(f"there is no stop '{stop}'; the stops are {', '.join(self.stops)}")
        return self.stops.index(stop)
