"""Unbiased estimates of any margin or range from all features and cells at once, and their exact variance.

Notation as in `newton`, the weights being inverse variances. The table without signs has the covariance
(I + A' diag(1 / ridge) A)^-1 times the variance of a cell's noise, which is I - A' (diag(ridge) + A A')^-1 A. So a sum
of n cells, g of them in each block, has the variance n - g' (diag(ridge) + A A')^-1 g in the same unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.flat import FlatErrors, parents, partition_of
from quietway.estimate.least_squares import LeastSquares
from quietway.estimate.solution import Estimates, Floats, around
from quietway.universe import Partition, Range

Classes = NDArray[np.int32]

MOST_SOLUTIONS = 50_000
MOST_WORK = 3e9


@dataclass(frozen=True, eq=False)
class LeastSquaresErrors:
    """Estimates by least squares; from the partitions one by one where that would take too long."""

    unbiased: ClassVar[bool] = True

    table: LeastSquares
    flat: FlatErrors

    def margin(self, partition: Partition, confidence: float) -> Estimates:
        """One estimate per block of any partition."""
        if not self._affordable(self._systems(partition)):
            return self.flat.margin(partition, confidence)
        return around(self.table.margin(partition), np.sqrt(self._variances(partition)), confidence)

    def range(self, range_: Range, confidence: float) -> Estimates:
        """The estimate for one range, the last block of its partition."""
        if not self._affordable(1):
            return self.flat.range(range_, confidence)
        partition = partition_of(range_)
        inside = partition.labels() == partition.blocks - 1
        estimate = np.array([self.table.cells[inside].sum()])
        variance = self._unit * self._left(self.table.labels[inside])
        return around(estimate, np.sqrt([variance]), confidence)

    def _systems(self, partition: Partition) -> int:
        """How many linear systems its variances take."""
        return self.table.classes.blocks if partition.refines(self.table.classes) else partition.blocks

    def _affordable(self, systems: int) -> bool:
        if not self.table.normal.fits:
            return False
        work = systems * float(self.table.normal.first[-1] + self.table.normal.size)
        return systems <= MOST_SOLUTIONS and work <= MOST_WORK

    @property
    def _unit(self) -> float:
        return self.table.noisy.variance

    def _variances(self, partition: Partition) -> Floats:
        classes = self.table.classes
        if partition.refines(classes):
            sizes = partition.sizes().astype(np.float64)
            explained = self._explained[parents(partition, classes)]
            return self._unit * np.maximum(0.0, sizes - sizes**2 * explained)
        labels = partition.labels()
        order = np.argsort(labels, kind="stable")
        cuts = np.searchsorted(labels[order], np.arange(1, partition.blocks))
        return self._unit * np.array(
            [self._left(cells) for cells in np.split(self.table.labels[order], cuts)]
        )

    def _left(self, classes: Classes) -> float:
        """The variance of a sum of cells of these classes."""
        counts = np.bincount(classes, minlength=self.table.classes.blocks).astype(np.float64)
        return max(0.0, classes.size - self.table.fitted(counts))

    @cached_property
    def _explained(self) -> Floats:
        """What the features explain of a single cell of each class."""
        counts, found = np.zeros(self.table.classes.blocks), np.empty(self.table.classes.blocks)
        for number in range(counts.size):
            counts[number] = 1.0
            found[number] = self.table.fitted(counts)
            counts[number] = 0.0
        return found
