"""The case study of the paper on constraint-based privacy, on a day of the example city: the truth, and its features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quietway.city import DAYS, City, DayName, build_city
from quietway.city.days import PEAK, PERIODS
from quietway.city.demand import draw_demand
from quietway.counts import Counts
from quietway.universe import Axis, Partition, PrivacyUnit, Universe, each, grouped

Floats = NDArray[np.float64]
Index = NDArray[np.int64]

TOTAL, PERIOD, ZONES, MODES, NESTED, CELLS = (
    "total",
    "period",
    "zone pair by period",
    "mode by period",
    "mode by zone pair by period",
    "cells",
)
FEATURES = (TOTAL, PERIOD, ZONES, MODES)


@dataclass(frozen=True, kw_only=True, eq=False)
class CaseStudy:
    """A day's trips by origin, destination and half hour, one trip the unit; nobody's, so they may be shown.

    `partitions` holds the paper's features F2 (total), F3, F4, F5, the cells F1, and the modes nested in
    zone pairs that a hierarchy needs in place of F5.
    """

    day: DayName
    counts: Counts
    partitions: dict[str, Partition]

    @property
    def universe(self) -> Universe:
        """130 x 130 stops x 48 half hours."""
        return self.counts.universe

    @cached_property
    def truth(self) -> Floats:
        """Every cell."""
        return self.counts.dense().astype(np.float64)

    @cached_property
    def squared(self) -> Floats:
        """The square of every cell."""
        return self.truth**2

    @cached_property
    def labels(self) -> dict[str, Index]:
        """The block of every cell in each feature, and in what is nested."""
        return {name: self.partitions[name].labels().astype(np.int64) for name in (*FEATURES, NESTED)}

    @cached_property
    def totals(self) -> dict[str, Floats]:
        """What each block of each feature truly holds."""
        return {
            name: self.partitions[name].totals(self.counts.keys, self.counts.values).astype(np.float64)
            for name in (*FEATURES, NESTED)
        }

    def in_peak(self, keys: Index) -> NDArray[np.bool_]:
        """Whether cells lie between 8 and 10, the hours for which the paper counts some of its trips."""
        period = self.universe.index(keys, self.universe.position("period"))
        return (period >= PEAK.start) & (period < PEAK.stop)

    def named(self, *names: str) -> tuple[tuple[str, Partition], ...]:
        """Partitions with their names, as mechanisms take them."""
        return tuple((name, self.partitions[name]) for name in names)


def case_study(day: DayName) -> CaseStudy:
    """The example city's day, straight from the demand that its trip table is made of."""
    city = build_city()
    universe = _universe(city)
    demand = draw_demand(city, DAYS[day])
    ends = tuple(column.astype(np.int64) for column in (demand.origin, demand.destination, demand.period))
    keys = universe.keys(ends)
    order = np.argsort(keys)
    counts = Counts(universe, keys[order], demand.trips[order].astype(np.int64), PrivacyUnit())
    return CaseStudy(day=day, counts=counts, partitions=_partitions(universe, city))


def _universe(city: City) -> Universe:
    hours = tuple(f"{half // 2:02d}:{half % 2 * 30:02d}" for half in range(PERIODS))
    return Universe(
        (
            Axis(name="origin", size=city.stops.size, labels=city.stops.ids),
            Axis(name="destination", size=city.stops.size, labels=city.stops.ids),
            Axis(name="period", size=PERIODS, labels=hours, ordered=True),
        )
    )


def _partitions(universe: Universe, city: City) -> dict[str, Partition]:
    period = each(universe, "period")
    zone = city.stops.zone.astype(np.int64)
    pair = [grouped(universe, [end], zone, name=f"{end}:zone") for end in ("origin", "destination")]
    mode = grouped(universe, ["origin", "destination"], city.modes.astype(np.int64), name="mode")
    zones, modes = Partition.by(universe, [*pair, period]), Partition.by(universe, [mode, period])
    return {
        TOTAL: Partition.total(universe),
        PERIOD: Partition.by(universe, [period]),
        ZONES: zones,
        MODES: modes,
        NESTED: zones.refine(modes),
        CELLS: Partition.identity(universe),
    }
