"""Paths that stop the work, and what to change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quietway.errors import DataError
from quietway.records.paths.paths import PathTable
from quietway.records.paths.state import STATE, State, at

SENTENCES = {
    State.TWICE: "two stops of a path have the same number or time, so their order cannot be told; correct the records, or set "
    'paths.twice = "drop" to leave such paths out',
    State.FEWER: "a path has fewer stops than the {stops} that are asked for; ask for fewer, or set "
    'paths.fewer = "drop" to leave such paths out',
    State.MORE: "a path has more stops than the {stops} that are asked for; ask for more, or set paths.more to "
    '"first", "last" or "ends" to choose among them, or to "drop" to leave such paths out',
}


def require_acceptable(paths: PathTable, columns: Mapping[str, NDArray[Any]]) -> None:
    """Refuse paths that the rules neither count nor leave out; the message says no number of them."""
    state, name = columns[STATE], paths.trips.source.name
    for kind, sentence in SENTENCES.items():
        if (found := int((state == kind).sum())) > 0:
            stops = len(paths.space.stops)
            raise DataError(
                f"{name}: {sentence.format(stops=stops)}", sensitive=f"paths of this kind: {found}"
            )
    outside = state == State.OUTSIDE
    if outside.any():
        raise _outside(paths, [columns[at(stop)][outside] < 0 for stop in range(len(paths.space.stops))])


def _outside(paths: PathTable, outside: list[NDArray[np.bool_]]) -> DataError:
    stop = next(i for i, rows in enumerate(outside) if rows.any())
    names = " and ".join(f"'{column.name}'" for column in paths.places[stop].needs)
    columns = "column {} places" if len(paths.places[stop].needs) == 1 else "columns {} place"
    return DataError(
        f"{paths.trips.source.name}: {columns.format(names)} a path's stop '{paths.space.stops[stop]}' outside of where "
        'it can be; extend the places to hold it, or set records.outside = "drop" to leave such paths out',
        sensitive=f"paths with this stop outside: {int(outside[stop].sum())}",
    )
