"""Workloads: public lists of counting questions, to measure the error of a release on."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from quietway.errors import UniverseError
from quietway.universe.partition import Partition
from quietway.universe.range import Range
from quietway.universe.universe import Universe

Values = NDArray[np.int64] | NDArray[np.float64]


class Workload(Protocol):
    """Questions whose answers are sums of cells."""

    @property
    def name(self) -> str:
        """What the questions are called in tables."""
        ...

    def __len__(self) -> int:
        """How many questions there are."""
        ...

    def answers(self, keys: NDArray[np.int64], values: Values) -> NDArray[np.float64]:
        """The answer to each question, from the non-empty cells and what they hold."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Margins:
    """How much lies in each block of a partition."""

    name: str
    partition: Partition

    def __len__(self) -> int:
        return self.partition.blocks

    def answers(self, keys: NDArray[np.int64], values: Values) -> NDArray[np.float64]:
        """One sum per block."""
        totals = np.zeros(self.partition.blocks)
        np.add.at(totals, self.partition.block_of(keys), values)
        return totals


@dataclass(frozen=True, kw_only=True, eq=False)
class Prefixes:
    """How much lies at or before each element of an ordered axis."""

    name: str
    margins: Margins

    def __len__(self) -> int:
        return len(self.margins)

    def answers(self, keys: NDArray[np.int64], values: Values) -> NDArray[np.float64]:
        """One running sum per element."""
        return np.cumsum(self.margins.answers(keys, values))


@dataclass(frozen=True, kw_only=True, eq=False)
class Boxes:
    """How much lies in each of many boxes, `low <= index < high` on every axis; one row per box."""

    name: str
    universe: Universe
    low: NDArray[np.int64]
    high: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.low)

    def range(self, number: int) -> Range:
        """One of the boxes, as a range to ask a release."""
        return Range.box(self.universe, self.low[number].tolist(), self.high[number].tolist())

    def answers(self, keys: NDArray[np.int64], values: Values) -> NDArray[np.float64]:
        """One sum per box. In sorted keys, what a box takes on the first axis stands together."""
        order = np.argsort(keys, kind="stable")
        coordinates, values = self.universe.coordinates(keys[order]), values[order]
        start = np.searchsorted(coordinates[0], self.low[:, 0])
        stop = np.searchsorted(coordinates[0], self.high[:, 0])
        found = np.zeros(len(self))
        for box in range(len(self)):
            slab = slice(start[box], stop[box])
            found[box] = values[slab][self._inside(box, [index[slab] for index in coordinates])].sum()
        return found

    def _inside(self, box: int, coordinates: list[NDArray[np.int64]]) -> NDArray[np.bool_]:
        inside = np.ones(len(coordinates[0]), dtype=np.bool_)
        for axis in range(1, len(coordinates)):
            inside &= (coordinates[axis] >= self.low[box, axis]) & (coordinates[axis] < self.high[box, axis])
        return inside


def identity(universe: Universe) -> Workload:
    """Every cell a question."""
    partition = Partition.identity(universe)
    partition.require_list()
    return Margins(name="cells", partition=partition)


def margins(partition: Partition, *, name: str = "margins") -> Workload:
    """Every block of a partition a question."""
    partition.require_list()
    return Margins(name=name, partition=partition)


def prefix(universe: Universe, axis: str) -> Workload:
    """For each element of an ordered axis, everything up to and including it."""
    if not universe.axis(axis).ordered:
        raise UniverseError(
            f"axis '{axis}' has no order, so 'up to' means nothing on it; use margins or ranges"
        )
    partition = Partition.margin(universe, [axis])
    partition.require_list()
    return Prefixes(name=f"up to each {axis}", margins=Margins(name=axis, partition=partition))


def random_ranges(universe: Universe, count: int, *, seed: int, coverage: float | None = None) -> Boxes:
    """Boxes drawn from public randomness.

    Without `coverage`, every interval of an axis is equally likely. With it,
    each box holds about that fraction of the cells, its sides cut in
    proportion, and only its place is drawn. On an axis without order an
    interval of positions is as good a set of elements as any.
    """
    universe.require_keys()
    if count < 1 or not universe.axes:
        raise UniverseError("random ranges need at least one range and one axis")
    draw = np.random.default_rng(seed)
    if coverage is None:
        name, sides = "random ranges", [_intervals(size, count, draw) for size in universe.shape]
    else:
        name = f"random ranges of {coverage:.3g} of the cells"
        sides = [
            _placed(size, side, count, draw)
            for size, side in zip(universe.shape, _sides(universe.shape, coverage), strict=True)
        ]
    low, high = (np.stack(ends, axis=1) for ends in zip(*sides, strict=True))
    return Boxes(name=name, universe=universe, low=low, high=high)


Ends = tuple[NDArray[np.int64], NDArray[np.int64]]


def _intervals(size: int, count: int, draw: np.random.Generator) -> Ends:
    """Two different cuts among the size + 1 around the elements."""
    one = draw.integers(0, size, count, endpoint=True)
    other = draw.integers(0, size, count)
    other += other >= one
    return np.minimum(one, other), np.maximum(one, other)


def _placed(size: int, side: int, count: int, draw: np.random.Generator) -> Ends:
    low = draw.integers(0, size - side, count, endpoint=True)
    return low, low + side


def _sides(shape: tuple[int, ...], coverage: float) -> list[int]:
    """Sides whose product is about a fraction of the cells: short axes round first, long ones make up for it."""
    if not 0 < coverage <= 1:
        raise UniverseError(f"coverage is {coverage}; give a fraction of the cells above 0 and up to 1")
    wanted, sides = coverage * prod(shape), [1] * len(shape)
    order = sorted(range(len(shape)), key=lambda axis: shape[axis])
    for done, axis in enumerate(order):
        rest = [shape[later] for later in order[done:]]
        fraction = min(1.0, wanted / prod(rest)) ** (1 / len(rest))
        sides[axis] = min(shape[axis], max(1, round(shape[axis] * fraction)))
        wanted /= sides[axis]
    return sides
