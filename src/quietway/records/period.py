"""An axis of periods of the day."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from quietway.errors import ConfigError
from quietway.records.clock import DAY, SECOND, Clock, whole_steps
from quietway.records.column import Column, Kind
from quietway.records.day import MINUTES_A_DAY, minute_of
from quietway.universe import Axis

if TYPE_CHECKING:
    import ibis.expr.types as ir

MINUTE = 60 * SECOND


@dataclass(frozen=True, kw_only=True)
class PeriodAxis:
    """The wall clock cut into periods of equal length, from `start` up to `end`.

    On the day the clocks go back, both passes through an hour fall into the
    same period; on the day they go forward, the skipped hour stays empty.
    """

    name: str
    column: str
    minutes: int
    timezone: str
    clock: Literal["local", "utc"] = "local"
    start: str = "00:00"
    end: str = "24:00"

    def __post_init__(self) -> None:
        first, last = self._window
        if self.minutes < 1 or MINUTES_A_DAY % self.minutes:
            raise ConfigError(f"axis '{self.name}': minutes is {self.minutes}; it must divide 1440, a day")
        if last <= first:
            raise ConfigError(f"axis '{self.name}': end {self.end} must come after start {self.start}")
        if (last - first) % self.minutes:
            raise ConfigError(
                f"axis '{self.name}': minutes is {self.minutes}, which does not divide the window "
                f"from {self.start} to {self.end}"
            )
        _ = self.time

    @cached_property
    def time(self) -> Clock:
        """Where the wall clock is read."""
        return Clock(column=self.column, timezone=self.timezone, clock=self.clock)

    @property
    def needs(self) -> tuple[Column, ...]:
        """The columns of the records that this axis reads."""
        return (Column(name=self.column, kind=Kind.TIME),)

    @property
    def coordinates(self) -> None:
        """A period has no place."""

    def axis(self) -> Axis:
        """The public dimension."""
        labels = tuple(_clock_face(minute) for minute in range(*self._window, self.minutes))
        return Axis(name=self.name, size=len(labels), labels=labels, ordered=True)

    def places(self) -> None:
        """A period has no place."""

    def locate(self, table: ir.Table, into: str) -> ir.Table:
        """The table with each row's position on this axis, null when outside."""
        import ibis

        first, last = self._window
        moment = f"{into}_moment"
        table = self.time.tell(table, moment)
        wall: Any = table[moment]
        table = table.mutate(**{moment: wall % DAY - first * MINUTE})
        since: Any = table[moment]
        inside = since.between(0, (last - first) * MINUTE - 1)
        period = whole_steps(since, self.minutes * MINUTE)
        return table.mutate(**{into: ibis.ifelse(inside, period, ibis.null("int64"))}).drop(moment)

    @property
    def _window(self) -> tuple[int, int]:
        return self._minute("start", self.start), self._minute("end", self.end)

    def _minute(self, key: str, text: str) -> int:
        if (minute := minute_of(text)) is not None:
            return minute
        raise ConfigError(f"axis '{self.name}': {key} is '{text}'; write a time up to 24:00, such as 08:30")


def _clock_face(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"
