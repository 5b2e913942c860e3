"""The one scan that finds sound records sound: how many values, between what limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from quietway.records.clock import LAST_MICROS, since_first
from quietway.records.column import Column, Coordinates, Kind
from quietway.records.engine import guarded
from quietway.records.reading import read, written_as
from quietway.records.source import Source

if TYPE_CHECKING:
    import ibis.expr.types as ir


class Limits(NamedTuple):
    """How many values can be read, the least of them with its sign turned, and the greatest."""

    present: int
    negated: float | None
    greatest: float | None

    def inside(self, first: float, last: float) -> bool:
        """Whether every value stands between two others; NaN compares with nothing, so it stands nowhere."""
        if self.negated is None or self.greatest is None:
            return False
        return first <= -self.negated and self.greatest <= last


class Summary:
    """What is known of the records after one look. SENSITIVE."""

    def __init__(self, rows: int, limits: dict[str, Limits]) -> None:
        self.rows = rows
        self._limits = limits

    def is_sound(self, column: Column) -> bool:
        """Whether no row can have a fault in this column alone."""
        limits = self._limits[column.name]
        if limits.present < self.rows:
            return False
        match column.kind:
            case Kind.TIME | Kind.DAY:
                return limits.inside(0, LAST_MICROS - 1)
            case Kind.NUMBER:
                return limits.inside(float("-inf"), float("inf"))
            case Kind.PERSON | Kind.LABEL:
                return True

    def is_within(self, pair: Coordinates) -> bool:
        """Whether every trip is where it is expected, so that no coordinate can be wrong."""
        box = pair.box
        return self._limits[pair.lon].inside(max(box.west, -180), min(box.east, 180)) and self._limits[
            pair.lat
        ].inside(max(box.south, -90), min(box.north, 90))


def summarise(raw: ir.Table, source: Source, columns: Sequence[Column], zoned: frozenset[str]) -> Summary:
    """Count, least and greatest of every column, in one scan."""
    asked = {
        f"{what}_{i}": expression
        for i, column in enumerate(columns)
        for what, expression in _asked(raw, column, column.name in zoned)
    }
    query: Any = raw.aggregate(rows=raw.count(), **asked)
    (found,) = guarded(source, query.to_pyarrow).to_pylist()
    limits = {
        column.name: Limits(found[f"present_{i}"], found.get(f"negated_{i}"), found.get(f"greatest_{i}"))
        for i, column in enumerate(columns)
    }
    return Summary(found["rows"], limits)


def _asked(raw: ir.Table, column: Column, zoned: bool) -> Iterator[tuple[str, Any]]:
    value: Any = raw[column.name]
    if column.kind in (Kind.PERSON, Kind.LABEL):
        yield "present", value.count()
        return
    number = _as_number(value, column.kind, zoned)
    yield "present", number.count()
    # The least is asked for as a greatest: NaN counts as greater than any number, and of plain columns an engine
    # may answer from statistics in the file, which leave NaN out.
    yield "negated", (-number).max()
    yield "greatest", number.max()


def _as_number(value: Any, kind: Kind, zoned: bool) -> Any:
    """Something to compare: microseconds for times, and null for what cannot be read."""
    import ibis

    typed = read(value, kind, zoned=zoned)
    if kind is Kind.NUMBER:
        return typed
    micros = since_first(typed)
    if not value.type().is_string():
        return micros
    return ibis.ifelse(value.re_search(written_as(kind, zoned=zoned)), micros, ibis.null("int64"))
