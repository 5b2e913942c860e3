"""Paths that are rows already: the stops of each in columns of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quietway.records.clock import Clock
from quietway.records.column import Column
from quietway.records.paths.frames import StopPlaces
from quietway.records.paths.state import STATE, State, at
from quietway.records.trips import SOUND, TripTable

if TYPE_CHECKING:
    import ibis.expr.types as ir


@dataclass(frozen=True, kw_only=True)
class WidePaths:
    """One row a path."""

    clock: Clock | None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        """Nothing but the places."""
        return ()

    def paths(self, rows: TripTable, places: Sequence[StopPlaces]) -> ir.Table:
        """Each row, located at every stop."""
        import ibis

        table: Any = rows.table
        for stop, axis in enumerate(places):
            table = axis.locate(table, at(stop))
        return table.select(
            *rows.identity,
            *(at(stop) for stop in range(len(places))),
            **{SOUND: table[SOUND].fill_null(False), STATE: ibis.literal(State.COUNTED.value, "int8")},
        )
