"""The case study that the paper's methods are tried on."""

from __future__ import annotations

import numpy as np
import pytest

from quietway.city import DAYS, DayName, build_city, trips
from quietway.reproduce.case_study import CELLS, MODES, NESTED, PERIOD, TOTAL, ZONES, CaseStudy, case_study


@pytest.mark.parametrize("day", DAYS)
def test_the_counts_are_those_of_the_trip_table(day: DayName) -> None:
    """Counted from the table's rows one by one, every cell agrees."""
    study, city = case_study(day), build_city()
    stop = {name: i for i, name in enumerate(city.stops.ids)}
    rows = trips(city, day).to_pydict()
    counted = np.zeros(study.universe.size)
    for origin, destination, at in zip(rows["origin"], rows["destination"], rows["departed_at"], strict=True):
        counted[(stop[origin] * 130 + stop[destination]) * 48 + at.hour * 2 + at.minute // 30] += 1
    assert (study.truth == counted).all()


def test_features_have_the_sizes_of_the_paper(weekday: CaseStudy) -> None:
    """One total, 48 half hours, 16 zone pairs and 12 modes in each, and 16,900 pairs of stops."""
    blocks = {name: partition.blocks for name, partition in weekday.partitions.items()}
    assert [blocks[name] for name in (TOTAL, PERIOD, ZONES, MODES, CELLS)] == [
        1,
        48,
        16 * 48,
        12 * 48,
        16_900 * 48,
    ]


def test_zone_pairs_and_modes_cross_but_nest_when_refined(weekday: CaseStudy) -> None:
    """Neither of the crossing features refines the other; the hierarchy's level refines both."""
    zones, modes, nested = (weekday.partitions[name] for name in (ZONES, MODES, NESTED))
    assert not zones.refines(modes) and not modes.refines(zones)
    assert nested.refines(zones) and nested.refines(modes)


def test_the_peak_is_from_eight_to_ten(weekday: CaseStudy) -> None:
    """As many trips and cells as the paper counts there."""
    inside = weekday.in_peak(weekday.counts.keys)
    assert (int(weekday.counts.values[inside].sum()), int(inside.sum())) == (4_878, 591)
