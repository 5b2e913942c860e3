"""Paths of two stops as an origin-destination matrix, for transport models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quietway.errors import OutputError
from quietway.publish.omx import create_matrix, fill_matrix, write_zones
from quietway.publish.tables import metadata
from quietway.universe.axis import Axis
from quietway.universe.frame import Frame
from quietway.universe.paths import PathSpace

if TYPE_CHECKING:
    from quietway.publish.paths.release import PathRelease

Ints = NDArray[np.int64]
MOST_ZONES = 4_000
VALUES_AT_ONCE = 1 << 21


def is_matrix(space: PathSpace) -> bool:
    """Whether paths go from one of a list of zones to another of the same list, and a model can hold all pairs."""
    if len(space.stops) != 2 or space.frames[0] != space.frames[1]:
        return False
    return 0 < len(space.frames[0].labels) <= MOST_ZONES


def write_matrix(release: PathRelease, path: Path) -> None:
    """One matrix of paths by zone of the first stop and of the second, in whole numbers that add up.

    The paths of a published box are shared out among the pairs of zones that
    it holds, in proportion to what is estimated of each. Zones are found by
    the mapping `zone`, as in the matrices of trips.
    """
    import openmatrix

    if not is_matrix(release.space):
        raise OutputError(
            f"OMX needs paths of two stops over the same zones, at most {MOST_ZONES:,}; use boxes.parquet instead"
        )
    zones = release.space.frames[0].labels
    axis = Axis(name=release.space.stops[0], size=len(zones), labels=zones)
    pairs = zone_pairs(release)
    filled = np.flatnonzero(pairs)
    with openmatrix.open_file(str(path), "w") as file:
        matrix = create_matrix(file, "paths", "paths", len(zones))
        fill_matrix(matrix, filled, pairs[filled])
        write_zones(file, axis)
        for key, value in metadata(release).items():
            file.root._v_attrs[key.replace(".", "_")] = value  # pyright: ignore[reportPrivateUsage]


def zone_pairs(release: PathRelease) -> Ints:
    """Paths of every pair of zones, row by row: the boxes' whole counts, shared out as their estimates stand."""
    zones = len(release.space.frames[0].labels)
    estimates, paths = _estimates(release, zones), np.zeros(zones * zones, dtype=np.int64)
    for boxes in _slices(len(release.boxes.count), zones):
        low, high, count = release.boxes.low[boxes], release.boxes.high[boxes], release.boxes.count[boxes]
        starts, ends = (_held(release.space.frames[i], low[:, 2 * i :], high[:, 2 * i :]) for i in (0, 1))
        for held, heads, tails in zip(count.tolist(), starts, ends, strict=True):
            pair = (np.flatnonzero(heads)[:, None] * zones + np.flatnonzero(tails)).ravel()
            paths[pair] += shared_out(held, estimates[pair])
    return paths


def _slices(many: int, each: int) -> Iterator[slice]:
    """Runs of rows that hold a bounded number of values."""
    step = max(1, VALUES_AT_ONCE // each)
    return (slice(start, start + step) for start in range(0, many, step))


def _estimates(release: PathRelease, zones: int) -> NDArray[np.float64]:
    """What is estimated of every pair's cells; zones that share a cell are alike."""
    cell = release.space.frames[0].cell
    assert cell is not None
    found = np.empty((zones, zones))
    for rows in _slices(zones, zones):
        starts = np.repeat(cell[rows], zones, axis=0)
        low = np.hstack([starts, np.tile(cell, (len(starts) // zones, 1))])
        found[rows] = release.answers(low, low + 1).estimate.reshape(-1, zones)
    return found.ravel()


def _held(frame: Frame, low: NDArray[np.int32], high: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which zones each box holds at a stop: boxes x zones."""
    assert frame.cell is not None
    row, column = frame.cell.T
    return (low[:, :1] <= row) & (row < high[:, :1]) & (low[:, 1:2] <= column) & (column < high[:, 1:2])


def shared_out(count: int, weights: NDArray[np.float64]) -> Ints:
    """A whole number as whole numbers in proportion to weights, no running sum off by more than a half."""
    if not weights.sum() > 0:
        weights = np.ones(len(weights))
    sums = np.cumsum(weights)
    return np.diff(np.rint(count * (sums / sums[-1:])).astype(np.int64), prepend=0)
