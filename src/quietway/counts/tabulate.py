"""From trips to counts, in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from quietway.counts.counts import Counts
from quietway.errors import DataError, UniverseError
from quietway.records.axes import TripAxis
from quietway.records.bound import bound
from quietway.records.trips import SOUND, TripTable
from quietway.universe import Universe

if TYPE_CHECKING:
    import ibis.expr.types as ir

KEY = "quietway_key"
OUTSIDE, DOUBTFUL = -1, -2


def tabulate(
    trips: TripTable,
    universe: Universe,
    axes: Sequence[TripAxis],
    *,
    outside: Literal["drop", "refuse"] = "refuse",
    seed: int | None = None,
) -> Counts:
    """How many trips each cell holds, once every contributor has been bounded.

    Trips outside the universe count towards their contributor's limit: which
    rows are drawn never depends on what the universe is. They are then left
    out ("drop"), or stop the work ("refuse"); no message says how many.
    """
    universe.require_keys()
    located, positions = _locate(trips.table, _matched(universe, axes))
    keyed = trips.with_table(_keyed(trips, located, universe, positions))
    kept = bound(keyed, seed=seed, besides=lambda rows: rows[KEY] < 0)
    keys, values = _collected(trips, kept.group_by(KEY).aggregate(trips=lambda cell: cell.count()))
    if not keys.size or DOUBTFUL in keys[:2]:
        trips.soundness.require()
    inside = int(np.searchsorted(keys, 0))
    if inside and outside == "refuse":
        _refuse_outside(trips.with_table(located), universe, axes, positions)
    return Counts(universe, keys[inside:], values[inside:], trips.unit, seeded=seed is not None)


def _collected(trips: TripTable, query: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The keys found, in order, and how many trips each holds."""
    cells = trips.collect(query)
    # Arrow's own `to_numpy` imports pandas.
    columns: Any = (np.from_dlpack(cells[name].combine_chunks()) for name in (KEY, "trips"))
    keys, values = columns
    order = np.argsort(keys)
    return keys[order], values[order]


def _matched(universe: Universe, axes: Sequence[TripAxis]) -> list[TripAxis]:
    """The descriptions in the universe's order."""
    described = {axis.name: axis for axis in axes}
    if len(described) != len(axes) or set(described) != set(universe.names):
        raise UniverseError(
            f"the axes described ({', '.join(axis.name for axis in axes)}) are not those of the universe "
            f"({', '.join(universe.names)})"
        )
    for axis in universe.axes:
        if described[axis.name].axis() != axis:
            raise UniverseError(
                f"axis '{axis.name}' of the universe is not the one described for the records"
            )
    return [described[name] for name in universe.names]


def _locate(table: ir.Table, axes: Sequence[TripAxis]) -> tuple[ir.Table, list[str]]:
    positions = [f"quietway_at_{i}" for i in range(len(axes))]
    for axis, position in zip(axes, positions, strict=True):
        table = axis.locate(table, position)
    return table, positions


def _keyed(trips: TripTable, located: ir.Table, universe: Universe, positions: Sequence[str]) -> ir.Table:
    """Only what bounding needs, and the key: of the cell, or of what is the matter with the row.

    Labelling a row before the draw drops nothing and looks at that row
    alone, and it leaves the engine one integer to carry through the sort.
    """
    import ibis

    key: Any = ibis.literal(0, "int64")
    for axis, position in zip(universe.axes, positions, strict=True):
        key = key * axis.size + located[position]
    key = ibis.ifelse(located[SOUND], key.fill_null(OUTSIDE), DOUBTFUL)
    return located.select(*trips.identity, **{KEY: key})


def _refuse_outside(
    trips: TripTable, universe: Universe, axes: Sequence[TripAxis], positions: Sequence[str]
) -> None:
    described = {axis.name: axis for axis in axes}
    outside: dict[str, Any] = {name: trips.table[name].isnull() for name in positions}
    sums: dict[str, Any] = {name: trips.table.count(where=rows) for name, rows in outside.items()}
    query: Any = trips.table.aggregate(rows=trips.table.count(), **sums)
    (found,) = trips.collect(query).to_pylist()
    for name, position in zip(universe.names, positions, strict=True):
        if found[position]:
            columns = [column.name for column in described[name].needs]
            rows = trips.collect(trips.table.filter(outside[position]).select(*columns).limit(3)).to_pylist()
            examples = "; ".join(
                " and ".join(f"{key} {value!r}" for key, value in row.items()) for row in rows
            )
            raise DataError(
                f"{trips.source.name}: {_columns(columns)} values outside axis '{name}'; "
                'extend the axis to hold them, or set records.outside = "drop" to leave such trips out',
                sensitive=f"{found[position]} of {found['rows']} rows, for instance {examples}",
            )


def _columns(names: Sequence[str]) -> str:
    quoted = " and ".join(f"'{name}'" for name in names)
    return f"column {quoted} has" if len(names) == 1 else f"columns {quoted} have"
