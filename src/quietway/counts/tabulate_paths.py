"""From paths to points, in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from quietway.counts.paths import Paths
from quietway.records.bound import RANK, ranked
from quietway.records.paths.complaints import require_acceptable
from quietway.records.paths.frames import cells
from quietway.records.paths.paths import PathTable
from quietway.records.paths.state import STATE, State, at
from quietway.records.trips import SOUND

if TYPE_CHECKING:
    import ibis.expr.types as ir

Ints = NDArray[np.int32]


def tabulate_paths(
    paths: PathTable, *, outside: Literal["drop", "refuse"] = "refuse", seed: int | None = None
) -> Paths:
    """An index on every axis for each path, once every contributor has been bounded.

    Paths with a stop outside its places count towards their contributor's
    limit: which paths are drawn never depends on where they are. They are then
    left out ("drop"), or stop the work ("refuse"); no message says how many.
    """
    trips = paths.trips
    columns = _arrays(trips.collect(_judged(paths, outside=outside, seed=seed)))
    if not columns[STATE].size or not columns[SOUND].all():
        trips.soundness.require()
    require_acceptable(paths, columns)
    counted = columns[STATE] == State.COUNTED
    places = [columns[at(stop)][counted].astype(np.int32) for stop in range(len(paths.space.stops))]
    return Paths(paths.space, _points(paths, places), trips.unit, seeded=seed is not None)


def _judged(paths: PathTable, *, outside: str, seed: int | None) -> ir.Table:
    """The paths that are counted, and whatever must be looked at; nothing that tells whose they are."""
    import ibis

    trips, stops = paths.trips, [at(stop) for stop in range(len(paths.space.stops))]
    table: Any = trips.table
    drawn: Any = ibis.literal(True)
    if trips.contributor:
        left_out = "quietway_left_out"
        table = table.mutate(**{left_out: table[STATE] == State.LEFT_OUT.value})
        table = ranked(trips.with_table(table), seed=seed, apart=[left_out])
        drawn = table[RANK] < trips.unit.bound
    beyond = State.OUTSIDE if outside == "refuse" else State.LEFT_OUT
    state = ibis.cases(
        (table[STATE] != State.COUNTED.value, table[STATE]),
        (_any_null(table, stops), beyond.value),
        (~drawn, State.LEFT_OUT.value),
        else_=State.COUNTED.value,
    )
    judged: Any = table.select(
        **{name: table[name].fill_null(-1).cast("int32") for name in stops},
        **{SOUND: table[SOUND].cast("int8"), STATE: state.cast("int8")},
    )
    return judged.filter((judged[STATE] != State.LEFT_OUT.value) | (judged[SOUND] == 0))


def _any_null(table: Any, names: list[str]) -> Any:
    missing: Any = table[names[0]].isnull()
    for name in names[1:]:
        missing = missing | table[name].isnull()
    return missing


def _arrays(table: Any) -> dict[str, NDArray[Any]]:
    """Arrow's own `to_numpy` imports pandas."""
    return {name: np.from_dlpack(table[name].combine_chunks()) for name in table.column_names}


def _points(paths: PathTable, places: list[Ints]) -> Ints:
    """Rows and columns of every stop, in an order that tells nothing of the records'."""
    order = np.lexsort(places[::-1])
    parts = [cells(frame, place[order]) for frame, place in zip(paths.space.frames, places, strict=True)]
    return np.ascontiguousarray(np.concatenate(parts, axis=1))
