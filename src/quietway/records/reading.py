"""Columns turned into the kind of values they are needed as."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quietway.records.column import Column, Kind
from quietway.records.engine import fetched

if TYPE_CHECKING:
    import ibis.expr.types as ir

DATE = r"\d{4}-\d{2}-\d{2}"
TIME = r"[ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?"
ZONE = r"(Z|[+-]\d{2}(:?\d{2})?)$"


def accepts(column: Column, dtype: Any, *, text: bool) -> bool:
    """Whether a column of this type can hold the kind; in text formats every kind arrives as text."""
    if dtype.is_string():
        return text or column.kind not in (Kind.NUMBER, Kind.ORDER)
    match column.kind:
        case Kind.PERSON | Kind.PATH:
            return dtype.is_integer() or dtype.is_uuid()
        case Kind.LABEL:
            return dtype.is_integer() or dtype.is_uuid() or dtype.is_boolean()
        case Kind.NUMBER | Kind.ORDER:
            return dtype.is_numeric() and not dtype.is_boolean()
        case Kind.TIME:
            return dtype.is_timestamp()
        case Kind.DAY:
            return dtype.is_timestamp() or dtype.is_date()


def has_zone(raw: ir.Table, column: Column) -> bool:
    """Whether times written as text say their zone: the first one tells, and the checks hold the others to it."""
    if column.kind not in (Kind.TIME, Kind.DAY) or not raw[column.name].type().is_string():
        return False
    values: Any = raw[column.name]
    first = raw.filter(values.notnull()).select(zoned=values.re_search(TIME + ZONE)).limit(1)
    return fetched(first)["zoned"].to_pylist() == [True]


def read(value: Any, kind: Kind, *, zoned: bool) -> Any:
    """The typed value of a raw column; null where text cannot be read."""
    text = value.type().is_string()
    match kind:
        case Kind.PERSON | Kind.PATH:
            return value
        case Kind.ORDER if value.type().is_integer():
            return value
        case Kind.LABEL:
            return value if text else value.cast("string")
        case Kind.NUMBER | Kind.ORDER:
            return value.try_cast("float64") if text else value.cast("float64")
        case Kind.TIME | Kind.DAY:
            if text:
                return _as_time(value, kind, zoned)
            return value.cast("timestamp") if value.type().is_date() else value


def _as_time(value: Any, kind: Kind, zoned: bool) -> Any:
    """The pattern comes first: without it the engine would skip over a zone in silence."""
    import ibis

    time = value.try_cast("timestamp('UTC')" if zoned else "timestamp")
    return ibis.ifelse(value.re_search(_written_as(kind, zoned=zoned)), time, ibis.null(time.type()))


def _written_as(kind: Kind, *, zoned: bool) -> str:
    time = TIME if kind is Kind.TIME or zoned else f"({TIME})?"
    return f"^{DATE}{time}" + (ZONE if zoned else "$")
