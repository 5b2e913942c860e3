"""Tables of many light cells: integers land where the values are, in proportion, and nowhere more than that."""

from __future__ import annotations

import numpy as np
import pytest

from quietway.universe import Partition
from tests.estimate.rounding.tables import Floats, Index, Table, city, third_family

UNIVERSE, FEATURES = city(48, 40, 4, 12)
KEYS = np.arange(UNIVERSE.size)


def uneven(trips: int, seed: int = 0) -> Floats:
    """Cells that differ by origin, by destination and by pair, as trips do."""
    draw, (stops, _, periods) = np.random.default_rng(seed), UNIVERSE.shape
    weight = (
        draw.normal(0, 1, (stops, 1, 1))
        + draw.normal(0, 1, (1, stops, 1))
        + draw.normal(0, 0.3, (stops, stops, 1))
    )
    cells = np.exp(weight + draw.normal(0, 0.2, periods)).ravel()
    return cells * (trips / cells.sum())


def slope(axes: str, values: Floats, counts: Index) -> float:
    """How much a margin nobody asked for grows with its real value: one if in proportion."""
    label = Partition.margin(UNIVERSE, axes).block_of(KEYS)
    real, got = np.bincount(label, values), np.bincount(label, counts)
    return float(np.polyfit(real, got, 1)[0])


@pytest.mark.parametrize("trips", [250, 2_500])
@pytest.mark.parametrize("axes", ["o", "d", "od"])
def test_places_get_their_share(trips: int, axes: str) -> None:
    """Places are in no feature; what they get grows with what they have, neither faster nor slower."""
    slopes = list[float]()
    for seed in range(4):
        values = uneven(trips, seed)
        slopes.append(slope(axes, values, Table(KEYS, values, FEATURES).rounded().counts))
    assert np.mean(slopes) == pytest.approx(1.0, abs=0.1)


def test_the_nearest_integers_would_favour_busy_places() -> None:
    """The same measure, where every zone pair's trips go to its largest cells."""
    values, block = uneven(2_500), FEATURES[2][1].block_of(KEYS)
    order = np.lexsort((-values, block))
    rank = np.empty(KEYS.size, dtype=np.int64)
    rank[order] = np.arange(KEYS.size) - np.searchsorted(block[order], block[order])
    largest = rank < np.rint(np.bincount(block, values))[block]
    assert slope("o", values, largest.astype(np.int64)) > 1.3
    assert slope("od", values, largest.astype(np.int64)) > 1.3


@pytest.mark.parametrize("value", [0.003, 0.03, 0.3, 0.5, 0.7])
@pytest.mark.parametrize("axes", ["o", "d", "t", "od"])
def test_equal_cells_are_rounded_evenly(axes: str, value: float) -> None:
    """Integers do not pile up in the first cells: places differ by less than independent draws would."""
    counts = Table(KEYS, np.full(KEYS.size, value), FEATURES).rounded().counts
    label = Partition.margin(UNIVERSE, axes).block_of(KEYS)
    got = np.bincount(label, counts)
    cells = KEYS.size / got.size
    assert np.mean((got - cells * value) ** 2) < 1.2 * cells * value * (1 - value)


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


@pytest.mark.parametrize("trips", [2_500, 25_000])
def test_features_that_no_flow_keeps_stay_near(trips: int) -> None:
    """Light items make up for what is rounded around them, however many families cross."""
    ends = [(axes, Partition.margin(UNIVERSE, axes)) for axes in ("o", "d", "t")]
    table = Table(KEYS, uneven(trips), (*ends, third_family(UNIVERSE)))
    off = table.rounded().off
    assert (
        sum(feature < 1 for feature in off.values()) == 3
    )  # bands with their periods, and one end of the trips
    assert max(off.values()) < 8
