"""Paths made of sightings: where a user was in each part of a day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, Literal

from quietway.records.clock import DAY as MICROS_A_DAY
from quietway.records.clock import Clock
from quietway.records.column import Column, Kind
from quietway.records.engine import ROW
from quietway.records.paths.frames import StopPlaces
from quietway.records.paths.located import located
from quietway.records.paths.state import STATE, Fewer, State, at
from quietway.records.period import MINUTE
from quietway.records.trips import DAY, SOUND, USER, TripTable

if TYPE_CHECKING:
    import ibis.expr.types as ir

Pick = Literal["first", "last", "most"]
FRAME, PLACE, TIME = "quietway_frame", "quietway_place", "quietway_time"
KEY = [USER, DAY]
PLACES = 2**24  # more than a frame can hold; a day has fewer than 2**37 microseconds


@dataclass(frozen=True, kw_only=True)
class FramePaths:
    """One path a user and local day, one stop a frame of the day; `spans` gives the frames in minutes.

    Of the sightings in a frame by the wall clock, `pick` takes the place of
    the first, of the last, or the place seen most often (of those seen as
    often, the one seen first). Of places seen at one moment the one numbered
    lowest counts, so that the order of the rows never does.
    """

    clock: Clock
    spans: tuple[tuple[int, int], ...]
    pick: Pick = "first"
    fewer: Fewer = "refuse"

    @property
    def columns(self) -> tuple[Column, ...]:
        """What it reads beside the places and the contributor."""
        return (Column(name=self.clock.column, kind=Kind.TIME),)

    def paths(self, rows: TripTable, places: Sequence[StopPlaces]) -> ir.Table:
        """The place of each frame, for every user and day."""
        import ibis

        seen = self._framed(rows.table, places)
        if self.pick == "most":
            seen = _most_seen(seen)
        packed = seen.mutate(**{PLACE: self._packed(seen)})
        frames = [f"{FRAME}_{i}" for i in range(len(self.spans))]
        found = {name: self._chosen(packed, i) for i, name in enumerate(frames)}
        paths: Any = packed.group_by(KEY).aggregate(**found, **_kept(packed))
        missing: Any = reduce(or_, [paths[name].isnull() for name in frames])
        incomplete = State.LEFT_OUT if self.fewer == "drop" else State.FEWER
        state = ibis.ifelse(missing, incomplete.value, State.COUNTED.value).cast("int8")
        stops = {at(i): self._unpacked(paths[name]) for i, name in enumerate(frames)}
        return paths.select(*rows.identity, SOUND, **stops, **{STATE: state})

    def _framed(self, table: Any, places: Sequence[StopPlaces]) -> Any:
        """Each sighting's frame (null: between them), its place there (null: outside), and its time of day."""
        import ibis

        table, columns = located(self.clock.tell(table, TIME), places)
        table = table.mutate(**{TIME: table[TIME] % MICROS_A_DAY})
        inside = [table[TIME].between(first * MINUTE, last * MINUTE - 1) for first, last in self.spans]
        nothing = ibis.null("int64")
        frame: Any = ibis.cases(*((rows, i) for i, rows in enumerate(inside)), else_=nothing)
        place: Any = ibis.cases(
            *((rows, table[column]) for rows, column in zip(inside, columns, strict=True)), else_=nothing
        )
        return table.select(*KEY, ROW, SOUND, TIME, **{FRAME: frame.cast("int64"), PLACE: place})

    def _packed(self, seen: Any) -> Any:
        """Time of day and place in one number, whose least (or greatest) is the sighting to take."""
        place = seen[PLACE].fill_null(-1) + 1
        return seen[TIME] * PLACES + (PLACES - 1 - place if self.pick == "last" else place)

    def _chosen(self, packed: Any, frame: int) -> Any:
        within = packed[FRAME] == frame
        return packed[PLACE].max(where=within) if self.pick == "last" else packed[PLACE].min(where=within)

    def _unpacked(self, packed: Any) -> Any:
        place = packed % PLACES
        return ((PLACES - 1 - place if self.pick == "last" else place) - 1).nullif(-1)


def _most_seen(seen: Any) -> Any:
    """The places seen in each frame, all but the one seen most often taken out of it."""
    import ibis

    times = "quietway_times"
    visited: Any = seen.group_by([*KEY, FRAME, PLACE]).aggregate(
        **{times: seen.count(), TIME: seen[TIME].min()}, **_kept(seen)
    )
    order = [visited[times].desc(), visited[TIME], visited[PLACE].fill_null(-1)]
    rank: Any = ibis.row_number().over(ibis.window(group_by=[*KEY, FRAME], order_by=order))
    ranked = visited.mutate(**{times: rank})
    return ranked.mutate(**{FRAME: ibis.ifelse(ranked[times] == 0, ranked[FRAME], ibis.null("int64"))})


def _kept(seen: Any) -> dict[str, Any]:
    return {SOUND: seen[SOUND].fill_null(False).all(), ROW: seen[ROW].min()}
