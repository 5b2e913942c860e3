"""Paths that are many rows: a stop each, in any order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quietway.records.clock import Clock
from quietway.records.column import Column, Kind
from quietway.records.paths.choice import AGAIN, MANY, NUMBER, StopRules, gathered, owner
from quietway.records.paths.frames import StopPlaces
from quietway.records.paths.located import located
from quietway.records.trips import TripTable

if TYPE_CHECKING:
    import ibis.expr.types as ir


@dataclass(frozen=True, kw_only=True)
class StopRows:
    """One row a stop: a column tells paths apart, another orders their stops.

    Where the user is known, paths of two users are two paths, whatever they
    are called. A path belongs to the day of its first row in time.
    """

    path: str
    order: Column
    rules: StopRules
    user: str | None = None
    clock: Clock | None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        """What it reads beside the places and the contributor."""
        user = (Column(name=self.user, kind=Kind.PERSON),) if self.user else ()
        return (Column(name=self.path, kind=Kind.PATH), self.order, *user)

    def paths(self, rows: TripTable, places: Sequence[StopPlaces]) -> ir.Table:
        """The stops of each path in order, and those that stand for it."""
        import ibis

        table, columns = located(rows.table, places)
        key = [*owner(rows, self.user), self.path]
        order: Any = table[self.order.name]
        ordered = ibis.window(group_by=key, order_by=order)
        many: Any = table.count()
        numbered = table.mutate(
            **{
                NUMBER: ibis.row_number().over(ordered),
                MANY: many.over(ibis.window(group_by=key)),
                AGAIN: order == order.lag().over(ordered),
            }
        )
        return gathered(numbered, rows, key=key, places=columns, rules=self.rules)
