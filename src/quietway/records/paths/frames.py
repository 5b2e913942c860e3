"""The frame that each description of places gives, and the cell of each of its places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quietway.errors import ConfigError
from quietway.records.axes import GridAxis, PlacesAxis, PolygonAxis
from quietway.universe import Frame, PathSpace

StopPlaces = GridAxis | PlacesAxis | PolygonAxis


def path_space(stops: Sequence[str], places: Sequence[StopPlaces]) -> PathSpace:
    """The stops, each with the frame of its places; equal descriptions share a frame."""
    frames = {axis: _frame(axis) for axis in dict.fromkeys(places)}
    return PathSpace(stops=tuple(stops), frames=tuple(frames[axis] for axis in places))


def cells(frame: Frame, place: NDArray[np.int32]) -> NDArray[np.int32]:
    """Row and column of each place, as `locate` numbers them: zones in their order, else cells row by row."""
    if frame.cell is not None:
        return frame.cell.astype(np.int32)[place]
    return np.column_stack(np.divmod(place, np.int32(frame.columns)))


def _frame(axis: StopPlaces) -> Frame:
    if isinstance(axis, GridAxis):
        west, south, east, north = axis.box
        return Frame(rows=axis.rows, columns=axis.columns, bounds=(west, south, east, north))
    points, labels = axis.places(), axis.axis().labels
    if points is None or labels is None:
        raise ConfigError(
            f"zones of {axis.file} are kept near their neighbours: name the columns with a longitude and latitude of each (lon, lat)"
        )
    return Frame.zones(labels, points)
