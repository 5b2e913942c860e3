"""The constraint-based fit without signs: one linear system.

Notation as in `newton`. Without x >= 0 the stationary table is x = c - A' dual, and the gradient of its dual is linear:
(diag(ridge) + A A') dual = A c - b.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quietway.errors import FitError
from quietway.estimate.kernels import gather, scatter
from quietway.estimate.normal import Factored, Normal
from quietway.estimate.problem import Problem
from quietway.estimate.solution import Floats, sums
from quietway.measurement import Measurement
from quietway.universe import Partition


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """The table nearest to features and noisy cells, negative ones and all."""

    problem: Problem
    noisy: Measurement

    @property
    def classes(self) -> Partition:
        """Cells that share their block in every feature."""
        return self.problem.leaves.groups

    @cached_property
    def cells(self) -> Floats:
        """Every cell of the table."""
        return self.noisy.noisy - self._threshold[self.labels]

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """The class of every cell."""
        return self.classes.labels()

    @cached_property
    def dual(self) -> Floats:
        """The solution of the linear system."""
        right = self._added(self._of_classes) - self.problem.noisy
        if self.normal.fits:
            return self.factored.solve(right)
        return self.normal.solve(self.problem.ridge, self.problem.sizes, right)

    def totals(self) -> Floats:
        """The table's total in every block of the features."""
        return self._added(self._of_classes - self.problem.sizes * self._threshold)

    def margin(self, partition: Partition) -> Floats:
        """The table's total in every block of any partition."""
        return sums(partition.labels().astype(np.int64), self.cells, partition.blocks)

    @cached_property
    def normal(self) -> Normal:
        """The pattern of the system's matrix."""
        return Normal.of(self.problem.blocks, self.problem.noisy.size)

    @cached_property
    def factored(self) -> Factored:
        """The factor of the system's matrix."""
        if not self.normal.fits:
            raise FitError(
                "the features cross each other so much that a factor would not fit; measure fewer of them"
            )
        return self.normal.factored(self.problem.ridge, self.problem.sizes)

    def fitted(self, counts: Floats) -> float:
        """What the features explain of cells given by class: with g = A counts, g' (diag(ridge) + A A')^-1 g."""
        inside = self._added(counts)
        return float(inside @ self.factored.solve(inside))

    @cached_property
    def _of_classes(self) -> Floats:
        return sums(self.labels.astype(np.int64), self.noisy.noisy, self.classes.blocks)

    @cached_property
    def _threshold(self) -> Floats:
        threshold = np.empty(self.classes.blocks)
        gather(self.problem.blocks, self.dual, threshold)
        return threshold

    def _added(self, of_classes: Floats) -> Floats:
        """What classes hold, added up by block."""
        blocks = np.empty(self.problem.noisy.size)
        scatter(self.problem.blocks, of_classes, blocks)
        return blocks
