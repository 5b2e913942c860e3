"""The tempered entropy fit: the table nearest to a prior in relative entropy that keeps near the margins it is told.

    minimise   sum over margins and blocks of (A x - y)^2 / (2 v)  +  weight * KL(x || prior)      over x >= 0

Notation: A sums cells into a margin's blocks, y are the margins' totals and v their variances; weight is how many
trips' worth of evidence a trip of the prior is, below one for a prior that is not believed to the letter. The optimum
is x = prior * exp(-(sum of the duals of the cell's blocks) / weight): positive wherever the prior is. With all duals
but one margin's fixed, each of its blocks solves one scalar equation, so the margins take turns; every turn lowers
the strictly convex dual, and the turns converge to its optimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quietway.estimate.solution import Floats
from quietway.estimate.tempering import Blocks, rescale, rescale_and_total, soft_steps, total

SETTLED = 0.02


@dataclass(frozen=True, kw_only=True, eq=False)
class SoftMargin:
    """What the totals of a partition's blocks should be near to, and how near; `label` is every cell's block.

    `unit` is what a change of a total is small against.
    """

    label: Blocks
    target: Floats
    variance: float
    unit: float = 1.0


def tempered(
    prior: Floats, margins: Sequence[SoftMargin], weight: float, *, turns: int
) -> tuple[Floats, float]:
    """The fitted cells, and the most that the last turn moved any total, in its units.

    It ends when that is a trifle, or after so many turns.
    """
    cells, worst = prior.copy(), 0.0
    slack = [np.full(margin.target.size, margin.variance * weight) for margin in margins]
    dual, step, held = ([np.zeros(margin.target.size) for margin in margins] for _ in range(3))
    last = len(margins) - 1
    total(cells, margins[0].label, held[0])
    for _ in range(turns):
        worst = 0.0
        for i, margin in enumerate(margins):
            moved = soft_steps(held[i], margin.target, slack[i], dual[i], step[i])
            worst = max(worst, moved / margin.unit)
            following = 0 if i == last else i + 1
            rescale_and_total(cells, margin.label, np.exp(step[i]), margins[following].label, held[following])
        if worst < SETTLED:
            break
    return cells, worst


def scaled_to(cells: Floats, label: Blocks, target: Floats) -> None:
    """Give every block exactly its target, in place."""
    held = np.zeros(target.size)
    total(cells, label, held)
    rescale(cells, label, target / np.maximum(held, 1e-300))
