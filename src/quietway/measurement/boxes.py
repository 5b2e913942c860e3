"""What crosses the wall of paths: noisy counts of boxes, of the blocks of a grid, and of single cells."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quietway.measurement.partition import variance_of
from quietway.universe.paths import PathSpace


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyBoxes:
    """A tree of boxes over some of the stops, and noisy counts of its nodes, already paid for.

    Box i holds the places low[i] <= index < high[i] on every axis of `stops`,
    in the space's order. A node's children share it out; parents stand before
    their children and a root's parent is -1, so the nodes that are nobody's
    parent share out all of what the stops can be.

    Draw j is the count of node `node[j]` plus discrete Laplace noise of
    scale `scales[drawn[j]]`. A node may be drawn never, once, or more often.
    """

    name: str
    space: PathSpace
    stops: tuple[int, ...]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    parent: NDArray[np.int64]
    node: NDArray[np.int64]
    noisy: NDArray[np.int64]
    drawn: NDArray[np.int64]
    scales: tuple[Fraction, ...]

    @property
    def leaves(self) -> NDArray[np.int64]:
        """The nodes that are nobody's parent."""
        inner = np.zeros(len(self.parent), dtype=np.bool_)
        inner[self.parent[self.parent >= 0]] = True
        return np.flatnonzero(~inner)

    @property
    def variances(self) -> NDArray[np.float64]:
        """The variance of each draw's noise."""
        return np.array([variance_of(scale) for scale in self.scales])[self.drawn]


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyGrid:
    """Noisy counts of every block of a grid over all stops: axis i is cut at `edges[i]`, from 0 to its size.

    `noisy` holds the blocks in row-major order, each with discrete Laplace noise of `scale`.
    """

    name: str
    space: PathSpace
    edges: tuple[NDArray[np.int64], ...]
    noisy: NDArray[np.int64]
    scale: Fraction

    @property
    def shape(self) -> tuple[int, ...]:
        """How many blocks along each axis."""
        return tuple(len(cuts) - 1 for cuts in self.edges)


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyCells:
    """Of noise on every cell, what reached the threshold: the cells' indices on every axis, and their noisy counts."""

    name: str
    space: PathSpace
    cells: NDArray[np.int32]
    noisy: NDArray[np.int64]
    threshold: int
    scale: Fraction


NoisyPaths = NoisyBoxes | NoisyGrid | NoisyCells
