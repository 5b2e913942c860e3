"""Paths of too few or too many stops, and which stops stand for a path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quietway.records.clock import whole_steps
from quietway.records.engine import ROW
from quietway.records.paths.state import STATE, Fewer, More, State, Twice, at
from quietway.records.trips import DAY, SOUND, USER, TripTable
from quietway.universe import Protects

if TYPE_CHECKING:
    import ibis.expr.types as ir

NUMBER = "quietway_number"
MANY = "quietway_many"
AGAIN = "quietway_again"


@dataclass(frozen=True, kw_only=True)
class StopRules:
    """What is done with paths that have another number of stops than is asked for, or no order."""

    fewer: Fewer = "refuse"
    more: More = "refuse"
    twice: Twice = "refuse"

    def chosen(self, stop: int, stops: int, many: Any) -> Any:
        """The number, from 0 on, of the stop of a path of `many` that stands for one of the `stops`."""
        if self.more == "last":
            return many - stops + stop
        if self.more == "ends" and stops > 1:
            return whole_steps(stop * (many - 1), stops - 1)
        return stop

    def state(self, stops: int, many: Any, again: Any) -> Any:
        """What becomes of a path, from its number of stops and whether two have one place in its order."""
        import ibis

        return ibis.cases(
            (again, _state(State.TWICE, self.twice)),
            (many < stops, _state(State.FEWER, self.fewer)),
            (many > stops, _state(State.MORE, self.more)),
            else_=_state(State.COUNTED, ""),
        )


def gathered(
    table: Any, rows: TripTable, *, key: Sequence[str], places: Sequence[str], rules: StopRules
) -> ir.Table:
    """One row per path: the stops that stand for it, and its state.

    Each row of the table is a stop, NUMBER counts them within the path (null:
    no stop), MANY says how many the path has, AGAIN that it stands where another does.
    """
    many: Any = table[MANY]
    stops = {
        at(stop): table[place].max(where=table[NUMBER] == rules.chosen(stop, len(places), many))
        for stop, place in enumerate(places)
    }
    sums = {SOUND: table[SOUND].fill_null(False).all(), MANY: many.max(), AGAIN: table[AGAIN].any()}
    paths: Any = table.group_by(list(key)).aggregate(**stops, **sums, **_identified(table, rows, key))
    state = rules.state(len(places), paths[MANY].fill_null(0), paths[AGAIN].fill_null(False))
    return paths.select(*rows.identity, *stops, SOUND, **{STATE: state})


def _identified(table: Any, rows: TripTable, key: Sequence[str]) -> dict[str, Any]:
    """What numbers a path, and dates it by its first row, where the unit calls for them and the key does not tell."""
    wanted = {ROW: table[ROW].min()} if rows.contributor else {}
    if rows.unit.protects is Protects.USER_DAY and DAY not in key:
        wanted[DAY] = table[DAY].min()
    return wanted


def owner(rows: TripTable, user: str | None) -> list[str]:
    """The column that keeps the rows of two users apart."""
    return [USER] if rows.contributor else [user] if user else []


def _state(state: State, rule: str) -> Any:
    import ibis

    kept = {"drop": State.LEFT_OUT, "refuse": state}.get(rule, State.COUNTED)
    return ibis.literal(kept.value, "int8")
