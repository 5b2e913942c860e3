"""Tables of many light cells: integers land where the values are, in proportion, and nowhere more than that."""

from __future__ import annotations

import numpy as np
import pytest

from quietway.universe import Partition
from tests.estimate.rounding.tables import Floats, Table, city

UNIVERSE, FEATURES = city(48, 40, 4, 12)
KEYS = np.arange(UNIVERSE.size)


def uneven(trips: int, seed: int = 0) -> Floats:
    """Cells that differ by origin, by destination and by pair, as trips do."""
    draw, (stops, _, periods) = np.random.default_rng(seed), UNIVERSE.shape
    weight = draw.normal(0, 1, (stops, 1, 1)) + draw.normal(0, 1, (1, stops, 1)) + draw.normal(0, 0.3, (stops, stops, 1))
    cells = np.exp(weight + draw.normal(0, 0.2, periods)).ravel()
    return cells * (trips / cells.sum())


def slope(axes: str, values: Floats, counts: Floats) -> float:
    """How much a margin nobody asked for grows with its real value: one if in proportion."""
    label = Partition.margin(UNIVERSE, axes).block_of(KEYS)
    real, got = np.bincount(label, values), np.bincount(label, counts)
    return float(np.polyfit(real, got, 1)[0])


@pytest.mark.parametrize("trips", [250, 2_500])
@pytest.mark.parametrize("axes", ["o", "d"])
def test_places_get_their_share(trips: int, axes: str) -> None:
    """Places are in no feature, and rounding every cell to what is nearest would favour the busy ones."""
    slopes = list[float]()
    for seed in range(4):
        values = uneven(trips, seed)
        counts = Table(KEYS, values, FEATURES).rounded().counts
        slopes.append(slope(axes, values, counts))
        largest = np.lexsort((-values, FEATURES[2][1].block_of(KEYS)))
        assert slope(axes, values, _largest(values, largest)) > 1.4  # what the nearest integers would do
    assert np.mean(slopes) == pytest.approx(1.0, abs=0.12)


def _largest(values: Floats, order: np.ndarray) -> Floats:
    """Each zone pair's trips in its largest cells."""
    label = FEATURES[2][1].block_of(KEYS)[order]
    start = np.searchsorted(label, label)
    counts = np.zeros(values.size)
    counts[order] = np.arange(values.size) - start < np.rint(np.bincount(label, values[order]))[label]
    return counts


@pytest.mark.parametrize("value", [0.003, 0.03, 0.3, 0.5, 0.7])
def test_equal_cells_are_rounded_evenly(value: float) -> None:
    """Integers do not pile up in the first cells: every tenth of the origins, of the keys and of the classes has its share."""
    counts = Table(KEYS, np.full(KEYS.size, value), FEATURES).rounded().counts
    share = counts.sum() / 10
    for place in (KEYS, KEYS[::-1], KEYS // 48 % 40 * 48 * 40):
        tenth = np.bincount(place * 10 // KEYS.size, counts, minlength=10)
        assert np.abs(tenth - share).max() < 5 * np.sqrt(share * (1 - value)) + 1


def test_runs_of_a_class_keep_their_sums() -> None:
    """Within a class, every run of light cells in order has the floor or the ceiling of its sum."""
    values = np.minimum(uneven(2_500), 0.49)
    table = Table(KEYS, values, FEATURES)
    counts, label = table.rounded().counts, table.labels()[-1]
    order = np.lexsort((KEYS, label))
    gap = np.cumsum((counts - values)[order])
    first = np.flatnonzero(np.r_[True, np.diff(label[order]) > 0])
    before = np.r_[0.0, gap][first]
    highest, lowest = np.maximum.reduceat(gap, first), np.minimum.reduceat(gap, first)
    spread = np.maximum(highest, before) - np.minimum(lowest, before)
    assert spread.max() < 1 + 1e-9
    assert counts.sum() == np.rint(values.sum())
