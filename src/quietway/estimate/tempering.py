"""Compiled loops of the tempered fit. All in one file, as `quietway.compiled` asks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quietway.compiled import compiled

Floats = NDArray[np.float64]
Blocks = NDArray[np.int32]


@compiled
def total(cells: Floats, label: Blocks, out: Floats) -> None:
    """The sum of each block's cells."""
    out[:] = 0.0
    for i in range(cells.size):
        out[label[i]] += cells[i]


@compiled
def rescale_and_total(cells: Floats, label: Blocks, factor: Floats, following: Blocks, out: Floats) -> None:
    """Multiply the cells by their blocks' factors, and sum what they hold over other blocks: one pass for both."""
    out[:] = 0.0
    for i in range(cells.size):
        cells[i] *= factor[label[i]]
        out[following[i]] += cells[i]


@compiled
def rescale(cells: Floats, label: Blocks, factor: Floats) -> None:
    """Multiply the cells by their blocks' factors."""
    for i in range(cells.size):
        cells[i] *= factor[label[i]]


@compiled
def soft_steps(held: Floats, target: Floats, slack: Floats, dual: Floats, step: Floats) -> float:
    """Per block, the step d of its dual that solves  held e^d + slack (dual + d) = target,  all else unchanged.

    The left side is convex and grows in d, so Newton's method from the right never overshoots. Returns the largest
    change of a block's total.
    """
    worst = 0.0
    for j in range(held.size):
        step[j] = 0.0
        if held[j] <= 0.0:
            continue
        right = target[j] - slack[j] * dual[j]
        d = np.log(right / held[j]) if right > held[j] else 0.0
        if slack[j] * d > right:
            d = right / slack[j]
        for _ in range(100):
            grown = held[j] * np.exp(d)
            change = (grown + slack[j] * d - right) / (grown + slack[j])
            d -= change
            if abs(change) < 1e-12:
                break
        step[j] = d
        worst = max(worst, abs(held[j] * np.expm1(d)))
        dual[j] += d
    return worst
