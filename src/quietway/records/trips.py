"""A lazy table of trips with a checked schema. SENSITIVE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from quietway.errors import ConfigError, DataError, PrivacyError
from quietway.records.axes import PeriodAxis, TripAxis
from quietway.records.clock import Clock
from quietway.records.column import Column, Coordinates, Kind, merge_columns
from quietway.records.engine import ROW, attach, connect, fetched, guarded
from quietway.records.faults import Soundness
from quietway.records.reading import accepts, has_zone, read
from quietway.records.source import Format, Source, find_source
from quietway.universe import PrivacyUnit, Protects

if TYPE_CHECKING:
    import ibis.expr.types as ir

USER = "quietway_user"
DAY = "quietway_day"
SOUND = "quietway_sound"
CONTRIBUTOR: dict[Protects, tuple[str, ...]] = {
    Protects.TRIP: (),
    Protects.USER: (USER,),
    Protects.USER_DAY: (USER, DAY),
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TripTable:
    """Trips not yet read: an Ibis expression, where it comes from, and whose presence must be hidden.

    Beside the columns the axes need, the table holds SOUND (true of rows
    without a fault), and ROW (a stable number), USER and DAY where the unit
    calls for them. Nothing here prints a value.

    The schema has been checked. Rows are checked in the pass that counts
    them: whoever reads one that is not SOUND has `soundness` refuse it.
    """

    table: ir.Table
    source: Source
    unit: PrivacyUnit
    soundness: Soundness

    @property
    def contributor(self) -> tuple[str, ...]:
        """The columns that tell one contributor from another; none when a trip is its own."""
        return CONTRIBUTOR[self.unit.protects]

    @property
    def identity(self) -> tuple[str, ...]:
        """The columns that bounding needs."""
        return (ROW, *self.contributor) if self.contributor else ()

    def with_table(self, table: ir.Table) -> TripTable:
        """The same trips, described otherwise."""
        return replace(self, table=table)

    def collect(self, query: Any) -> Any:
        """Run a query over these trips, into Arrow; complaints of the engine are kept from view."""
        return guarded(self.source, lambda: fetched(query))

    def __repr__(self) -> str:
        return f"TripTable({self.source.name}, protecting each {self.unit.protects}, rows hidden)"

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("a table of trips cannot be pickled: publish a Release instead")


def open_trips(
    source: str | Path,
    *,
    axes: Sequence[TripAxis],
    unit: PrivacyUnit,
    user: str | None = None,
    time: str | None = None,
    format: str = "auto",
) -> TripTable:
    """The trips in a file, a glob or a partitioned folder, refused unless every column needed is there.

    `user` names the column of user ids; `time` the one whose local date makes
    a user-day, by the clock of the periods axis (the one that reads the same
    column, if there are several).
    """
    return open_records(
        source,
        columns=[column for axis in axes for column in axis.needs],
        pairs=[pair for axis in axes if (pair := axis.coordinates) is not None],
        unit=unit,
        user=user,
        clock=day_clock(unit, time, axes),
        placed=any(isinstance(axis, PeriodAxis) for axis in axes),
        format=format,
    )


def open_records(
    source: str | Path,
    *,
    columns: Sequence[Column],
    pairs: Sequence[Coordinates],
    unit: PrivacyUnit,
    user: str | None,
    clock: Clock | None,
    placed: bool,
    format: str = "auto",
) -> TripTable:
    """The rows of some files with the columns asked for, and those that tell contributors apart.

    `clock` dates each row; `placed` tells whether its zone was given, rather than supposed.
    """
    columns = _needed(columns, unit, user, clock)
    found = find_source(source, format)
    raw = attach(connect(), found, numbered=unit.protects is not Protects.TRIP)
    _require_schema(raw, found, columns)
    zoned = frozenset(column.name for column in columns if guarded(found, lambda c=column: has_zone(raw, c)))
    if clock is not None and not placed:
        _require_midnights(raw, zoned, clock)
    soundness = Soundness(raw=raw, source=found, columns=columns, zoned=zoned, pairs=pairs)
    typed = {
        column.name: read(raw[column.name], column.kind, zoned=column.name in zoned) for column in columns
    }
    table = raw.select(**typed, **{SOUND: soundness.of_rows()}, **_identity(raw, unit, user))
    if clock is not None:
        table = clock.date(table, DAY)
    return TripTable(table=table, source=found, unit=unit, soundness=soundness)


def _identity(raw: ir.Table, unit: PrivacyUnit, user: str | None) -> dict[str, Any]:
    """What tells rows and people apart, where people are what is protected."""
    if unit.protects is Protects.TRIP:
        return {}
    assert user is not None
    return {ROW: raw[ROW], USER: raw[user]}


def _require_midnights(raw: ir.Table, zoned: frozenset[str], clock: Clock) -> None:
    """Instants belong to no day until somebody says where; a wall clock does."""
    dtype: Any = raw[clock.column].type()
    instants = clock.column in zoned or (dtype.is_timestamp() and dtype.timezone is not None)
    if instants:
        raise ConfigError(
            f"column '{clock.column}' holds instants, and a user's day begins at local midnight: "
            "add a periods axis, whose timezone says where"
        )


def _needed(
    columns: Sequence[Column], unit: PrivacyUnit, user: str | None, clock: Clock | None
) -> tuple[Column, ...]:
    columns = list(columns)
    if unit.protects is not Protects.TRIP:
        if user is None:
            raise ConfigError(f"unit.user is missing: protecting each {unit.protects} needs a column of ids")
        columns = [column for column in columns if column.name != user]
        columns.append(Column(name=user, kind=Kind.PERSON))
    if clock is not None:
        columns.append(Column(name=clock.column, kind=Kind.DAY))
    return merge_columns(columns)


def day_clock(unit: PrivacyUnit, time: str | None, axes: Sequence[TripAxis]) -> Clock | None:
    """The clock whose midnights part a user's days: of the axis reading the same column, else of any."""
    if unit.protects is not Protects.USER_DAY:
        return None
    if time is None:
        raise ConfigError("unit.time is missing: protecting each user-day needs a column of times")
    periods = [axis for axis in axes if isinstance(axis, PeriodAxis)]
    for axis in sorted(periods, key=lambda axis: axis.column != time):
        return Clock(column=time, timezone=axis.timezone, clock=axis.clock)
    return Clock(column=time, timezone="UTC")


def _require_schema(raw: ir.Table, source: Source, columns: Sequence[Column]) -> None:
    types: dict[str, Any] = dict(raw.schema().items())
    for column in columns:
        if column.name not in types:
            raise _missing(source, column.name, list(types))
        if not accepts(column, types[column.name], text=source.is_text):
            raise DataError(
                f"{source.name}: column '{column.name}' is of the wrong type ({types[column.name]}); "
                f"it must hold {column.kind}"
            )


def _missing(source: Source, name: str, known: list[str]) -> DataError:
    """Near names are shown where a schema holds them: in CSV without a header they are somebody's values."""
    columns = [other for other in known if other != ROW]
    close = [f"'{other}'" for other in get_close_matches(name, columns, n=3, cutoff=0.6)]
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    shown = "; a CSV file must begin with a header that names it" if source.format is Format.CSV else hint
    return DataError(
        f"{source.name} has no column '{name}'{shown}",
        sensitive=f"the columns are {', '.join(columns)}{hint}",
    )
