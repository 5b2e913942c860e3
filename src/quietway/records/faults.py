"""What can be wrong with the rows: doubted as they are counted, and looked for where a doubt was left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

from quietway.errors import DataError
from quietway.records.clock import FIRST, LAST, LAST_MICROS, since_first
from quietway.records.column import Box, Column, Coordinates, Kind
from quietway.records.engine import fetched, guarded
from quietway.records.reading import read
from quietway.records.source import Source

if TYPE_CHECKING:
    import ibis.expr.types as ir

FEW, MOST = 0.1, 0.5


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Fault:
    """A sentence that says what to change, and the rows it is about."""

    column: str
    sentence: str
    rows: Any


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Exchange:
    """Rows that fit the expected box as they stand, and with longitude and latitude exchanged."""

    pair: Coordinates
    given: Any
    exchanged: Any


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Soundness:
    """What the rows must be. It is told of each row alone, so that the pass that counts them can see it too."""

    raw: ir.Table
    source: Source
    columns: Sequence[Column]
    zoned: frozenset[str]
    pairs: Sequence[Coordinates]

    def of_rows(self) -> ir.BooleanValue:
        """Whether no fault can lie in a row: certain of every sound one, null or false where a doubt is left."""
        unexchanged = [~_only_exchanged(self.raw, pair) for pair in self.pairs]
        plain = [_plain(self.raw, column, column.name in self.zoned) for column in self.columns]
        degrees = [within for pair in self.pairs for within in _on_the_globe(self.raw, pair)]
        return reduce(and_, [*plain, *degrees, *unexchanged])

    def require(self) -> None:
        """Refuse empty, unreadable and impossible values, and exchanged coordinates, by a scan that counts them."""
        faults = [
            fault
            for column in self.columns
            for fault in _column_faults(self.raw, column, column.name in self.zoned)
        ]
        faults += [fault for pair in self.pairs for fault in _coordinate_faults(self.raw, pair)]
        exchanges = [_exchange(self.raw, pair) for pair in self.pairs]
        found = _scan(self.raw, self.source, faults, exchanges)
        if not found["rows"]:
            raise DataError(f"{self.source.name} holds no trips; it must hold at least one")
        _refuse_exchanged(self.source, exchanges, found)
        for i, fault in enumerate(faults):
            if found[f"fault_{i}"]:
                raise _error(self.raw, self.source, fault, f"{found[f'fault_{i}']} of {found['rows']} rows")


def _plain(raw: ir.Table, column: Column, zoned: bool) -> Any:
    typed = read(raw[column.name], column.kind, zoned=zoned)
    if column.kind in (Kind.TIME, Kind.DAY):
        micros: Any = since_first(typed)
        return micros.between(0, LAST_MICROS - 1)
    # NaN is asked for by name: comparisons may be answered from statistics in the file, which leave it out.
    return ~typed.isnan() if typed.type().is_floating() else typed.notnull()


def _on_the_globe(raw: ir.Table, pair: Coordinates) -> Iterator[Any]:
    for name, limit in ((pair.lon, 180), (pair.lat, 90)):
        yield read(raw[name], Kind.NUMBER, zoned=False).between(-limit, limit)


def _only_exchanged(raw: ir.Table, pair: Coordinates) -> Any:
    exchange = _exchange(raw, pair)
    return exchange.exchanged & ~exchange.given


def _scan(
    raw: ir.Table, source: Source, faults: Iterable[Fault], exchanges: Iterable[Exchange]
) -> dict[str, int]:
    wanted = {f"fault_{i}": fault.rows for i, fault in enumerate(faults)}
    for i, exchange in enumerate(exchanges):
        wanted |= {f"given_{i}": exchange.given, f"exchanged_{i}": exchange.exchanged}
    sums: dict[str, Any] = {name: raw.count(where=rows) for name, rows in wanted.items()}
    query: Any = raw.aggregate(rows=raw.count(), **sums)
    return guarded(source, lambda: fetched(query)).to_pylist()[0]


def _column_faults(raw: ir.Table, column: Column, zoned: bool) -> Iterator[Fault]:
    value: Any = raw[column.name]
    typed = read(value, column.kind, zoned=zoned)
    timed = column.kind in (Kind.TIME, Kind.DAY)
    empty = value.isnull()
    if typed.type().is_floating():
        empty = empty | typed.isnan().fill_null(False)
    yield Fault(column=column.name, sentence="has empty values; fill them, or remove those rows", rows=empty)
    if value.type().is_string() and typed is not value:
        sentence = f"has values of the wrong type; it must hold {column.kind}"
        sentence += ", all with a zone or all without" if timed else ""
        yield Fault(column=column.name, sentence=sentence, rows=value.notnull() & typed.isnull())
    if timed:
        yield Fault(
            column=column.name,
            sentence="has times before 1900 or after 2099",
            rows=_out_of_time(typed),
        )


def _out_of_time(typed: Any) -> Any:
    import ibis

    zone = typed.type().timezone
    first, last = (ibis.literal(limit.replace(tzinfo=None), "timestamp") for limit in (FIRST, LAST))
    if zone is not None:
        first, last = (limit.cast(typed.type()) for limit in (first, last))
    return typed.notnull() & ~((typed >= first) & (typed < last))


def _coordinate_faults(raw: ir.Table, pair: Coordinates) -> Iterator[Fault]:
    for name, limit, other in ((pair.lon, 180, pair.lat), (pair.lat, 90, pair.lon)):
        typed = read(raw[name], Kind.NUMBER, zoned=False)
        sentence = f"has coordinates outside -{limit} to {limit} degrees; is it exchanged with '{other}'?"
        yield Fault(column=name, sentence=sentence, rows=(typed.abs() > limit) & ~typed.isnan())


def _exchange(raw: ir.Table, pair: Coordinates) -> Exchange:
    lon, lat = (read(raw[name], Kind.NUMBER, zoned=False) for name in (pair.lon, pair.lat))
    return Exchange(pair=pair, given=_within(pair.box, lon, lat), exchanged=_within(pair.box, lat, lon))


def _within(box: Box, lon: Any, lat: Any) -> Any:
    return lon.between(box.west, box.east) & lat.between(box.south, box.north)


def _refuse_exchanged(source: Source, exchanges: Iterable[Exchange], found: dict[str, int]) -> None:
    """Exchanged columns show: hardly any trip is where it should be, most would be the other way round."""
    for i, exchange in enumerate(exchanges):
        given, exchanged = found[f"given_{i}"], found[f"exchanged_{i}"]
        if given < FEW * found["rows"] and exchanged > MOST * found["rows"]:
            raise DataError(
                f"{source.name}: columns '{exchange.pair.lon}' and '{exchange.pair.lat}' seem exchanged; "
                "longitude (east-west) goes into lon, latitude (north-south) into lat",
                sensitive=f"of {found['rows']} rows, {given} fit as given and {exchanged} when exchanged",
            )


def _error(raw: ir.Table, source: Source, fault: Fault, rows: str) -> DataError:
    query: Any = raw.filter(fault.rows).select(fault.column).limit(3)
    examples = guarded(source, lambda: fetched(query))[fault.column].to_pylist()
    shown = ", ".join(repr(example) for example in examples if example is not None)
    return DataError(
        f"{source.name}: column '{fault.column}' {fault.sentence}",
        sensitive=f"{rows}, for instance {shown}" if shown else rows,
    )
