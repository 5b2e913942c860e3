"""Origin-destination matrices in the Open Matrix format that transport models read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quietway.errors import OutputError
from quietway.publish.pairs import require_two_axes, summed
from quietway.publish.tables import distinct, metadata
from quietway.universe.axis import Axis
from quietway.universe.universe import Universe

if TYPE_CHECKING:
    from quietway.publish.release import Release

CELLS_AT_ONCE = 1 << 23
LARGEST_ZONE = 2**32 - 1
MOST_ZONES = 20_000  # 3 GB a matrix for whoever opens it whole


def write_omx(
    release: Release,
    path: Path,
    *,
    origin: str = "origin",
    destination: str = "destination",
    period: str | None = "period",
) -> None:
    """One matrix of trips per period, or a single matrix when `period` is None.

    Axes other than these three are summed over. Zones are found by the mapping
    `zone`: their labels where all are whole numbers, else 1, 2, ... with the
    labels beside them in the lookup `zone_label`. Zeros take no room.
    """
    import openmatrix

    require_zone_pairs(release.universe, origin, destination)
    with openmatrix.open_file(str(path), "w") as file:
        for name, label, pair, trips in _matrices(release, origin, destination, period):
            matrix = create_matrix(file, name, label, release.universe.axis(origin).size)
            fill_matrix(matrix, pair, trips)
        write_zones(file, release.universe.axis(origin))
        for key, value in metadata(release).items():
            file.root._v_attrs[key.replace(".", "_")] = value  # pyright: ignore[reportPrivateUsage]


def is_matrix(universe: Universe, origin: str = "origin", destination: str = "destination") -> bool:
    """Whether both axes exist and list the same places, so that square matrices can hold the trips."""
    if not {origin, destination} <= set(universe.names) or origin == destination:
        return False
    start, end = universe.axis(origin), universe.axis(destination)
    return (start.size, start.labels) == (end.size, end.labels)


def fits(universe: Universe, origin: str = "origin") -> bool:
    """Whether a model could hold the matrices: they are dense, so room grows with the square of the zones."""
    return universe.axis(origin).size <= MOST_ZONES


def require_zone_pairs(universe: Universe, origin: str, destination: str) -> None:
    """Refuse axes that are not two readings of the same places."""
    require_two_axes(universe, origin, destination)
    if not is_matrix(universe, origin, destination):
        raise OutputError(
            f"OMX matrices are square, but axes '{origin}' and '{destination}' list different places; "
            "give both the same labels in the same order, or publish Parquet and CSV only"
        )


def matrix_names(axis: Axis) -> list[str]:
    """A name per element that HDF5 and every matrix reader takes: `period_08_00`."""
    return distinct(_safe(f"{axis.name}_{axis.label(index)}") for index in range(axis.size))


def _safe(name: str) -> str:
    safe = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
    return safe if safe[:1].isalpha() else f"m_{safe}".rstrip("_")


def _matrices(release: Release, origin: str, destination: str, period: str | None) -> Any:
    """Each period's name, label, and its sorted pairs of zones with their trips."""
    universe = release.universe
    coordinates = universe.coordinates(release.keys)
    zones = universe.axis(origin).size
    pair = coordinates[universe.position(origin)] * zones + coordinates[universe.position(destination)]
    if period is None:
        yield "trips", "trips", *summed(pair, release.counts)
        return
    axis, when = universe.axis(period), coordinates[universe.position(period)]
    order = np.argsort(when, kind="stable")
    starts = np.searchsorted(when[order], np.arange(axis.size + 1))
    for i, name in enumerate(matrix_names(axis)):
        cells = order[starts[i] : starts[i + 1]]
        yield name, axis.label(i), *summed(pair[cells], release.counts[cells])


def create_matrix(file: Any, name: str, label: str, zones: int) -> Any:
    """An empty matrix; without its time of making, so that equal releases make equal files."""
    from tables import Float64Atom

    atom = Float64Atom()
    matrix = file.create_carray(file.root.data, name, atom, (zones, zones), title=label, track_times=False)
    file.root._v_attrs["SHAPE"] = np.array([zones, zones], dtype=np.int32)
    matrix.attrs["label"] = label
    return matrix


def fill_matrix(matrix: Any, pair: NDArray[np.int64], trips: NDArray[np.int64]) -> None:
    """Write the rows that hold something, a bounded slab at a time."""
    zones = int(matrix.shape[0])
    height = max(1, CELLS_AT_ONCE // zones)
    edges = [*range(0, zones, height), zones]
    cuts = np.searchsorted(pair, np.array(edges) * zones).tolist()
    for top, bottom, start, stop in zip(edges, edges[1:], cuts, cuts[1:], strict=False):
        if start < stop:
            slab = np.zeros((bottom - top, zones))
            slab.ravel()[pair[start:stop] - top * zones] = trips[start:stop]
            matrix[top:bottom] = slab


def write_zones(file: Any, axis: Axis) -> None:
    numbers = zone_numbers(axis)
    _lookup(file, "zone", np.arange(1, axis.size + 1, dtype=np.uint32) if numbers is None else numbers)
    if numbers is None:
        labels = np.array([axis.label(i).encode() for i in range(axis.size)])
        _lookup(file, "zone_label", labels)


def _lookup(file: Any, name: str, entries: NDArray[Any]) -> None:
    file.create_array(file.root.lookup, name, obj=entries, track_times=False)


def zone_numbers(axis: Axis) -> NDArray[np.uint32] | None:
    """The labels as numbers, when every one is written as a whole number that the format can hold."""
    labels = [axis.label(i) for i in range(axis.size)]
    if not all(label.isascii() and label.isdigit() and str(int(label)) == label for label in labels):
        return None
    numbers = np.array([min(int(label), LARGEST_ZONE + 1) for label in labels])
    return None if numbers.max() > LARGEST_ZONE else numbers.astype(np.uint32)
