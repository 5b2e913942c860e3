"""Totals at which a threshold, or a plan of margins, that follows the total moves on.

Such a threshold is constant over long stretches of totals, and up to the first
thousand trips for all of them: pairs elsewhere cannot show which total it
follows, the noisy one or the true one.
"""

from __future__ import annotations

from quietway.mechanisms import ThresholdCells
from quietway.mechanisms.planned import PlannedMargins
from quietway.mechanisms.threshold import quiet_threshold


def turning_totals(mechanism: ThresholdCells) -> tuple[int, ...]:
    """Every n where a table of n trips has another threshold than one of n + 1; from 100 trips a cell on it is 1."""
    cells, scale = mechanism.universe.size, mechanism.unit.sensitivity / mechanism.epsilon_cells
    thresholds = [quiet_threshold(cells, scale, total) for total in range(100 * cells + 2)]
    return tuple(n for n in range(len(thresholds) - 1) if thresholds[n] != thresholds[n + 1])


def turning_plans(mechanism: PlannedMargins) -> tuple[int, ...]:
    """Every n where a table of n trips has other margins planned than one of n + 1, up to 100 trips a cell."""
    plans = [mechanism.plan(max(1, total)) for total in range(100 * mechanism.universe.size + 2)]
    return tuple(n for n in range(len(plans) - 1) if plans[n] != plans[n + 1])
