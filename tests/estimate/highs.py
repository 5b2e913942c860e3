"""The constraint-based fit as a quadratic program with every variable and constraint spelled out, solved by HiGHS."""

from __future__ import annotations

from collections.abc import Sequence

import highspy
import numpy as np
from numpy.typing import NDArray

from quietway.universe import Partition
from tests.estimate.trees import matrix

Floats = NDArray[np.float64]


def optimum(
    partitions: Sequence[Partition], noisy: Sequence[Floats], weights: Sequence[float]
) -> tuple[Floats, float]:
    """Cells that minimise the weighted squares over all partitions, the cells last, and that minimum.

    One variable per block of every partition, tied to the cells by consistency, all of them non-negative.
    """
    values = np.concatenate(list(noisy))
    weight = np.concatenate([np.full(len(v), w) for v, w in zip(noisy, weights, strict=True)])
    cells = partitions[-1].blocks
    sums = np.vstack([matrix(partition) for partition in partitions[:-1]])
    rows = np.hstack([np.eye(len(sums)), -sums])
    found = _solve(2 * weight, -2 * weight * values, rows)
    return found[-cells:], float(weight @ (found - values) ** 2)


def _solve(diagonal: Floats, linear: Floats, rows: Floats) -> Floats:
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    model = highspy.HighsModel()
    model.lp_.num_col_, model.lp_.num_row_ = diagonal.size, len(rows)
    model.lp_.col_cost_ = linear
    model.lp_.col_lower_, model.lp_.col_upper_ = (
        np.zeros(diagonal.size),
        np.full(diagonal.size, highspy.kHighsInf),
    )
    model.lp_.row_lower_ = model.lp_.row_upper_ = np.zeros(len(rows))
    model.lp_.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    at, column = np.nonzero(rows)
    model.lp_.a_matrix_.start_ = np.r_[0, np.cumsum(np.bincount(at, minlength=len(rows)))]
    model.lp_.a_matrix_.index_, model.lp_.a_matrix_.value_ = column, rows[at, column]
    model.hessian_.dim_ = diagonal.size
    model.hessian_.format_ = highspy.HessianFormat.kTriangular
    model.hessian_.start_, model.hessian_.index_ = np.arange(diagonal.size + 1), np.arange(diagonal.size)
    model.hessian_.value_ = diagonal
    assert solver.passModel(model) != highspy.HighsStatus.kError
    assert solver.run() == highspy.HighsStatus.kOk
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return np.array(solver.getSolution().col_value)
