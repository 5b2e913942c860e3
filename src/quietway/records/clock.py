"""Civil time, computed from public zone rules and never from an engine's session.

Notation: microseconds are counted from 1900-01-01 00:00, so that they are
positive for every time Quietway accepts and `%` needs no care about signs.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from quietway.errors import ConfigError

if TYPE_CHECKING:
    import ibis.expr.types as ir

SECOND = 1_000_000
DAY = 86_400 * SECOND
FIRST = datetime(1900, 1, 1, tzinfo=UTC)
LAST = datetime(2100, 1, 1, tzinfo=UTC)
FIRST_EPOCH = int(FIRST.timestamp()) * SECOND
LAST_MICROS = int(LAST.timestamp()) * SECOND - FIRST_EPOCH


class Offsets(NamedTuple):
    """A zone's distance from UTC: `micros[i]` holds from `since[i]` (UTC) on."""

    since: tuple[int, ...]
    micros: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Clock:
    """Which column tells the time, and how its wall clock is found.

    A column without a zone is already the wall clock ("local") or is UTC
    ("utc"). A column with a zone holds instants, whatever `clock` says.
    """

    column: str
    timezone: str
    clock: Literal["local", "utc"] = "local"

    def __post_init__(self) -> None:
        if self.clock not in ("local", "utc"):
            raise ConfigError(
                f"clock is '{self.clock}' for column '{self.column}'; it must be 'local' or 'utc'"
            )
        _require_zone(self.timezone)

    def tell(self, table: ir.Table, into: str) -> ir.Table:
        """The table with each row's wall clock: microseconds since 1900, in a column `into`.

        Two steps, so that a query names the instant rather than repeat how it is found at every comparison.
        """
        time: Any = table[self.column]
        table = table.mutate(**{into: since_first(time)})
        if time.type().timezone is None and self.clock == "local":
            return table
        return table.mutate(**{into: table[into] + _offset(table[into], offsets(self.timezone))})

    def date(self, table: ir.Table, into: str) -> ir.Table:
        """The table with each row's local date, as a day number."""
        table = self.tell(table, into)
        return table.mutate(**{into: whole_steps(table[into], DAY)})


def since_first(time: Any) -> ir.IntegerValue:
    """Microseconds since 1900 of a timestamp, its zone (if any) removed by the engine's own epoch."""
    import ibis

    @ibis.udf.scalar.builtin(name="epoch_us", signature=((time.type(),), "int64"))
    def epoch(value: Any) -> Any: ...

    micros: Any = epoch(time)
    return micros - FIRST_EPOCH


def whole_steps(micros: Any, step: int) -> ir.IntegerValue:
    """How many whole steps fit into a number that is not negative.

    The engine's own division of integers is named: Ibis writes `//` in floating point.
    """
    import ibis

    @ibis.udf.scalar.builtin(name="divide", signature=(("int64", "int64"), "int64"))
    def divide(number: Any, by: Any) -> Any: ...

    steps: Any = divide(micros, step)
    return steps


@lru_cache(maxsize=64)
def offsets(timezone: str) -> Offsets:
    """The piecewise constant offset of a zone, 1900 to 2100: a daily scan, then bisection to the second."""
    zone = ZoneInfo(timezone)
    days = [FIRST + timedelta(days=i) for i in range((LAST - FIRST).days + 1)]
    shifts = [day.astimezone(zone).utcoffset() for day in days]
    changes = [
        _change(zone, days[i], days[i + 1]) for i in range(len(days) - 1) if shifts[i] != shifts[i + 1]
    ]
    since = [FIRST, *changes]
    return Offsets(tuple(map(_micros_since_first, since)), tuple(_shift(zone, instant) for instant in since))


def _change(zone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    start = _shift(zone, before)
    seconds = range(int((after - before).total_seconds()) + 1)
    first = bisect_right(seconds, 0, key=lambda s: int(_shift(zone, before + timedelta(seconds=s)) != start))
    return before + timedelta(seconds=first)


def _shift(zone: ZoneInfo, instant: datetime) -> int:
    shift = instant.astimezone(zone).utcoffset()
    assert shift is not None
    return round(shift.total_seconds()) * SECOND


def _micros_since_first(instant: datetime) -> int:
    return round((instant - FIRST).total_seconds()) * SECOND


def _offset(micros: Any, table: Offsets) -> Any:
    """A balanced tree of comparisons: log2 of the number of transitions per row, no call into Python."""
    import ibis

    if len(table.since) == 1:
        return ibis.literal(table.micros[0], "int64")
    middle = len(table.since) // 2
    earlier = Offsets(table.since[:middle], table.micros[:middle])
    later = Offsets(table.since[middle:], table.micros[middle:])
    return ibis.ifelse(micros < table.since[middle], _offset(micros, earlier), _offset(micros, later))


def _require_zone(timezone: str) -> None:
    zones = available_timezones()
    if timezone in zones:
        return
    from difflib import get_close_matches

    close = get_close_matches(timezone, sorted(zones), n=3) or ["Europe/Paris"]
    raise ConfigError(f"timezone '{timezone}' is not in the IANA list; names look like {', '.join(close)}")
