"""Rows located wherever a stop of theirs could be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quietway.records.paths.frames import StopPlaces


def located(table: Any, places: Sequence[StopPlaces]) -> tuple[Any, list[str]]:
    """The table with every row's place as each stop would have it, and the column of each stop."""
    distinct = {axis: f"quietway_place_{i}" for i, axis in enumerate(dict.fromkeys(places))}
    for axis, column in distinct.items():
        table = axis.locate(table, column)
    return table, [distinct[axis] for axis in places]
