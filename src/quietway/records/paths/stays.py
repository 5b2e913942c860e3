"""Paths made of stays: the places where a user lingered in the course of a day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quietway.records.clock import Clock, since_first
from quietway.records.column import Column, Kind
from quietway.records.engine import ROW
from quietway.records.paths.choice import AGAIN, MANY, NUMBER, StopRules, gathered
from quietway.records.paths.frames import StopPlaces
from quietway.records.paths.located import located
from quietway.records.period import MINUTE
from quietway.records.trips import DAY, SOUND, USER, TripTable

if TYPE_CHECKING:
    import ibis.expr.types as ir

METRES_A_DEGREE = 111_320
KEY = [USER, DAY]
TIME, REACH, STAY, START = "quietway_time", "quietway_reach", "quietway_stay", "quietway_start"


@dataclass(frozen=True, kw_only=True)
class StayPaths:
    """One path a user and local day; its stops are stays of at least `minutes`, in order.

    A sighting is quiet if it and all that follow within `minutes` lie in a
    box with sides of twice the `radius` (metres). A stay is an unbroken chain
    of quiet sightings, each within the reach of an earlier one: as far as its
    box lasts, and up to the sighting after it, however late, if that lies in
    the box too. It is as long as what was seen of it, and its place is the
    median of its coordinates. Midnight ends it.
    """

    clock: Clock
    lon: str
    lat: str
    radius: float
    minutes: int
    rules: StopRules

    @property
    def columns(self) -> tuple[Column, ...]:
        """What it reads beside the places and the contributor."""
        return (Column(name=self.clock.column, kind=Kind.TIME),)

    def paths(self, rows: TripTable, places: Sequence[StopPlaces]) -> ir.Table:
        """The stays of every user and day, and those that stand for the stops."""
        import ibis

        stays, columns = located(self._stays(rows.table), places)
        lasting = ibis.window(group_by=[*KEY, STAY])
        number: Any = ibis.row_number().over(lasting.order_by(stays[START]))
        many: Any = stays.count().over(lasting)
        numbered = stays.mutate(
            **{
                NUMBER: ibis.ifelse(stays[STAY], number, ibis.null("int64")),
                MANY: ibis.ifelse(stays[STAY], many, 0),
                AGAIN: ibis.literal(False),
            }
        )
        return gathered(numbered, rows, key=KEY, places=columns, rules=self.rules)

    def _stays(self, table: Any) -> Any:
        """One row for every chain of sightings, and whether it lasted (STAY)."""
        timed = table.select(
            *KEY, ROW, SOUND, self.lon, self.lat, **{TIME: since_first(table[self.clock.column])}
        )
        chained = self._chained(timed)
        ends = {START: chained[TIME].min(), TIME: chained[TIME].max()}
        middle = {name: chained[name].median() for name in (self.lon, self.lat)}
        kept = {SOUND: chained[SOUND].fill_null(False).all(), ROW: chained[ROW].min()}
        chains: Any = chained.group_by([*KEY, STAY]).aggregate(**ends, **middle, **kept)
        return chains.mutate(**{STAY: chains[TIME] - chains[START] >= self.minutes * MINUTE})

    def _chained(self, timed: Any) -> Any:
        """Every sighting with the number of its chain."""
        import ibis

        reaching = self._reaching(timed)
        order: dict[str, Any] = {"group_by": KEY, "order_by": self._order}
        earlier: Any = reaching[REACH].max().over(ibis.rows_window(preceding=(None, 1), **order))
        broken = reaching.mutate(**{STAY: (earlier.isnull() | (reaching[TIME] > earlier)).cast("int64")})
        return broken.mutate(**{STAY: broken[STAY].sum().over(ibis.cumulative_window(**order))})

    def _reaching(self, timed: Any) -> Any:
        """Every sighting with the time of the last one that is certainly of its chain."""
        import ibis

        soon = ibis.range_window(preceding=0, following=self.minutes * MINUTE, group_by=KEY, order_by=TIME)
        onward = ibis.window(group_by=KEY, order_by=self._order)
        limits: dict[str, Any] = {"quietway_last": timed[TIME].max().over(soon)}
        for name in (TIME, self.lon, self.lat):
            limits[f"quietway_next_{name}"] = timed[name].lead().over(onward)
        for name in (self.lon, self.lat):
            limits[f"quietway_least_{name}"] = timed[name].min().over(soon)
            limits[f"quietway_most_{name}"] = timed[name].max().over(soon)
        known = timed.mutate(**limits)
        last: Any = known["quietway_last"]
        reach = ibis.cases(
            (self._quiet(known, onward=True), ibis.greatest(last, known[f"quietway_next_{TIME}"])),
            (self._quiet(known, onward=False), last),
            else_=known[TIME],
        )
        return known.mutate(**{REACH: reach}).select(*timed.columns, REACH)

    def _quiet(self, known: Any, *, onward: bool) -> Any:
        """Whether what follows fits into the box; with the sighting after it, or without (null: there is none)."""
        import ibis

        def spread(name: str) -> Any:
            least: Any = known[f"quietway_least_{name}"]
            most: Any = known[f"quietway_most_{name}"]
            if not onward:
                return most - least
            after: Any = known[f"quietway_next_{name}"]
            greatest: Any = ibis.greatest(most, after)
            return ibis.ifelse(after.notnull(), greatest - ibis.least(least, after), after)

        degree = METRES_A_DEGREE / (2 * self.radius)
        east = spread(self.lon) * known[self.lat].radians().cos() * degree
        return (spread(self.lat) * degree <= 1) & (east <= 1)

    @property
    def _order(self) -> list[str]:
        """Sightings of one moment in an order that is not the rows'."""
        return [TIME, self.lon, self.lat]
