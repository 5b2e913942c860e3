"""Tables above a threshold: what is sure, and what is not."""

from __future__ import annotations

from fractions import Fraction
from math import exp, sqrt

import numpy as np
import pytest

from quietway.estimate import ThresholdErrors, keep
from quietway.measurement import Measurement
from quietway.universe import Axis, Partition, Range, Universe
from tests.estimate.trees import discrete_laplace

CITY = Universe((Axis(name="zone", size=20), Axis(name="hour", size=20)))
TRUTH = np.random.default_rng(2).choice([0, 0, 0, 1, 4, 12, 60, 300], CITY.size)
PARTS = {
    "total": Partition.total(CITY),
    "zones": Partition.margin(CITY, ["zone"]),
    "cells": Partition.identity(CITY),
}


def simulate(scale: Fraction, threshold: int, seed: int) -> tuple[Measurement, Measurement]:
    """A noisy total, and the cells whose noisy count reached the threshold."""
    draw = np.random.default_rng(seed)
    total = TRUTH.sum() + discrete_laplace(4 * scale, (1,), draw)
    noisy = TRUTH + discrete_laplace(scale, TRUTH.shape, draw)
    blocks = np.flatnonzero(noisy >= threshold)
    return (
        Measurement(name="total", partition=PARTS["total"], noisy=total, scale=4 * scale),
        Measurement(
            name="cells",
            partition=PARTS["cells"],
            noisy=noisy[blocks],
            scale=scale,
            blocks=blocks,
            threshold=threshold,
        ),
    )


@pytest.mark.parametrize("confidence", [0.5, 0.9])
@pytest.mark.parametrize(
    ("scale", "threshold"), [(Fraction(1, 5), 2), (Fraction(2), 12), (Fraction(50), 200)]
)
def test_bounds_hold_the_truth_everywhere_at_once(scale: Fraction, threshold: int, confidence: float) -> None:
    """With the confidence asked for, every zone's and every cell's bounds hold at the same time, and a range's."""
    runs, keys = 800, np.arange(CITY.size)
    truth = PARTS["zones"].totals(keys, TRUTH)
    box = Range.box(CITY, (3, 5), (9, 15))
    hits = np.empty((runs, 4), dtype=np.bool_)
    for run in range(runs):
        errors = ThresholdErrors(*simulate(scale, threshold, run))
        zones, range_ = errors.margin(PARTS["zones"], confidence), errors.range(box, confidence)
        total, cells = (errors.margin(PARTS[name], confidence) for name in ("total", "cells"))
        hits[run] = (
            ((zones.low <= truth) & (truth <= zones.high)).all(),
            range_.low[0] <= TRUTH[box.keys()].sum() <= range_.high[0],
            ((cells.low <= TRUTH) & (cells.high >= TRUTH)).all(),
            total.low[0] <= TRUTH.sum() <= total.high[0],
        )
    assert (hits.mean(axis=0) >= confidence - 3 * sqrt(confidence * (1 - confidence) / runs)).all()


def test_busy_places_are_surely_busy() -> None:
    """Far above the threshold, the lower bound is near the truth: it is not the trivial zero."""
    errors = ThresholdErrors(*simulate(Fraction(2), 12, 1))
    busy = np.flatnonzero(TRUTH == 300)
    found = errors.margin(PARTS["cells"], 0.95)
    assert (found.low[busy] > 250).all()
    assert (found.estimate >= found.low).all()
    assert (found.estimate <= found.high).all()


def test_the_total_is_the_measured_total() -> None:
    """Everything, asked for as a margin or as a range, is answered from the noisy total."""
    total, cells = simulate(Fraction(2), 12, 1)
    errors = ThresholdErrors(total, cells)
    margin, range_ = errors.margin(PARTS["total"], 0.9), errors.range(Range.of(CITY), 0.9)
    assert margin.estimate.tolist() == range_.estimate.tolist() == total.noisy.tolist()
    assert np.isfinite(margin.deviation).all()


def test_nothing_above_the_threshold_leaves_the_total_as_the_bound() -> None:
    """With no listed cell, anything may hold up to the total."""
    total, _ = simulate(Fraction(2), 12, 1)
    none = np.zeros(0, dtype=np.int64)
    cells = Measurement(
        name="cells", partition=PARTS["cells"], noisy=none, scale=Fraction(2), blocks=none, threshold=12
    )
    found = ThresholdErrors(total, cells).margin(PARTS["zones"], 0.9)
    assert (found.low == 0).all()
    assert (found.high >= total.noisy).all()


def test_kept_cells_are_published_as_measured() -> None:
    """The table is the listed cells with their noisy counts, and says how many may be noise."""
    measurements = simulate(Fraction(2), 12, 1)
    solution = keep(measurements)
    np.testing.assert_array_equal(solution.keys, measurements[1].blocks)
    np.testing.assert_array_equal(solution.counts, measurements[1].noisy)
    expected = CITY.size * exp(-12 / 2) / (1 + exp(-1 / 2))
    assert f"about {expected:.0f} of them may be empty" in solution.status
