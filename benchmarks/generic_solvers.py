"""The constraint-based fit as a quadratic program for general solvers, in the form that suits each best.

Variables are the cells, the blocks of every feature and, if wanted, the groups
of cells that lie in the same block of every feature. Each block is the sum of
the blocks of the next finer feature, where there is one, else of groups or
cells. With groups every cell enters one sum only. PIQP 0.6.4 is faster with
groups, and without them it ends in a segmentation fault on the whole day;
Clarabel is faster without. Building the matrices is left out of their time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import piqp
from numpy.typing import NDArray
from scipy import sparse

from quietway.estimate.problem import classes_of
from quietway.measurement import Measurement
from quietway.universe import Partition

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Program:
    """minimise weights . (v - noisy)^2 over v >= 0 with rows v = 0; the cells are the first variables."""

    rows: Any
    weights: Floats
    noisy: Floats
    partitions: tuple[Partition, ...]

    @classmethod
    def of(cls, measurements: Sequence[Measurement], *, with_groups: bool) -> Program:
        """With the published weights, one over the number of blocks; the cells' measurement is the last."""
        *features, cells = measurements
        ordered = (cells, *features)
        weights = [np.full(len(m.noisy), 1 / len(m.noisy)) for m in ordered]
        noisy = [m.noisy.astype(np.float64) for m in ordered]
        partitions = tuple(measurement.partition for measurement in features)
        parts = partitions
        if with_groups:
            groups = classes_of([(m.name, m.partition) for m in features])
            parts = (*partitions, groups)
            weights.append(np.zeros(groups.blocks))
            noisy.append(np.zeros(groups.blocks))
        return cls(
            rows=_rows(parts),
            weights=np.concatenate(weights),
            noisy=np.concatenate(noisy),
            partitions=partitions,
        )

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return self.partitions[0].universe.size

    def objective(self, cells: Floats) -> float:
        """Of a table that is consistent because its totals are sums."""
        totals = [np.bincount(p.labels(), cells, minlength=p.blocks) for p in self.partitions]
        found = np.concatenate([cells, *totals])
        return float(self.weights[: found.size] @ (found - self.noisy[: found.size]) ** 2)


def _incidence(partition: Partition) -> Any:
    size, labels = partition.universe.size, partition.labels()
    return sparse.csr_matrix((np.ones(size), (labels, np.arange(size))), shape=(partition.blocks, size))


def _rows(partitions: Sequence[Partition]) -> Any:
    """Each partition's row: its blocks are sums of those of the first later one that refines it, or of cells."""
    grid: list[list[Any]] = []
    for at, partition in enumerate(partitions):
        row: list[Any] = [None] * (1 + len(partitions))
        row[1 + at] = -sparse.eye(partition.blocks)
        finer = [i for i in range(at + 1, len(partitions)) if partitions[i].refines(partition)]
        if finer:
            row[1 + finer[0]] = _parents(partitions[finer[0]], partition)
        else:
            row[0] = _incidence(partition)
        grid.append(row)
    return sparse.bmat(grid).tocsc()


def _parents(finer: Partition, coarser: Partition) -> Any:
    parent = np.empty(finer.blocks, dtype=np.int64)
    parent[finer.labels()] = coarser.labels()
    shape = (coarser.blocks, finer.blocks)
    return sparse.csr_matrix((np.ones(finer.blocks), (parent, np.arange(finer.blocks))), shape=shape)


def solve_piqp(program: Program) -> Floats:
    """The cells by PIQP's sparse interface, non-negativity as bounds, at its own tolerances."""
    solver: Any = piqp.SparseSolver()
    size, sums = program.weights.size, program.rows.shape[0]
    squares, linear = sparse.diags(2 * program.weights).tocsc(), -2 * program.weights * program.noisy
    zero, lowest = np.zeros(sums), np.zeros(size)
    solver.setup(squares, linear, program.rows, zero, None, None, None, lowest, None)
    status = solver.solve()
    if status != piqp.PIQP_SOLVED:
        raise RuntimeError(f"PIQP did not solve the program: {status}")
    return np.array(solver.result.x)[: program.cells]


def solve_clarabel(program: Program) -> Floats:
    """The cells by Clarabel at its own tolerances."""
    import clarabel

    size, sums = program.weights.size, program.rows.shape[0]
    settings: Any = clarabel.DefaultSettings()
    settings.verbose = False
    solver: Any = clarabel.DefaultSolver(
        sparse.diags(2 * program.weights).tocsc(),
        -2 * program.weights * program.noisy,
        sparse.vstack([program.rows, -sparse.eye(size)]).tocsc(),
        np.zeros(sums + size),
        [clarabel.ZeroConeT(sums), clarabel.NonnegativeConeT(size)],
        settings,
    )
    solution = solver.solve()
    if str(solution.status) != "Solved":
        raise RuntimeError(f"Clarabel did not solve the program: {solution.status}")
    return np.array(solution.x)[: program.cells]
