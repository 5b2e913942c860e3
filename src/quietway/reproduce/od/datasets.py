"""Real paths in place of the paper's, which were proprietary: read from a folder that the caller names.

The files are public; none is part of the project. One path is the unit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, radians
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pyarrow import csv

from quietway.counts import Paths
from quietway.errors import InputError
from quietway.reproduce.od import taxi
from quietway.reproduce.od.windows import first_windows, windows
from quietway.universe import Frame, PathSpace, PrivacyUnit

Floats = NDArray[np.float64]
Index = NDArray[np.int64]
STOPS = ("start", "stop", "end")
SIDE = 1_000
"""Cells along each side of a city, as in the paper."""
NEW_YORK = (40.7128, -74.0060)
HALF_KM = 35.0
KM_PER_DEGREE = 111.2
SECONDS = 86_400
WEST_OF_GREENWICH = 5 * 3_600
"""New York's standard time; a day of check-ins begins at its midnight."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset:
    """Public test paths, and how they came to be paths."""

    name: str
    paths: Paths
    note: str

    @property
    def dimensions(self) -> int:
        """How many axes have more than one element."""
        return self.paths.space.dimensions

    def __str__(self) -> str:
        return f"{self.name} {self.dimensions}-D"

    @property
    def size(self) -> int:
        """How many paths there are."""
        return len(self.paths.points)


def check_ins(folder: Path, stops: int) -> Dataset:
    """Gowalla in New York, on 1000 x 1000 cells of 70 m: single check-ins, or consecutive ones of a user's day."""
    user, time, places = _gowalla(folder / "gowalla_nyc")
    frame = Frame(rows=SIDE, columns=SIDE, bounds=_around(*NEW_YORK))
    cells, inside = _located(frame, places)
    user, time, cells = user[inside], time[inside], cells[inside]
    day = user * 100_000 + (time - WEST_OF_GREENWICH) // SECONDS
    rows = windows(day, time, stops)
    what = "each check-in" if stops == 1 else f"every {stops} consecutive check-ins of a user's day"
    return Dataset(
        name="Gowalla New York",
        paths=_paths([frame] * stops, cells[rows]),
        note=f"{what} within 35 km of the city's middle, on 1000 x 1000 cells",
    )


def photo_tours(folder: Path, city: str, stops: int) -> Dataset:
    """Flickr tours between points of interest, each run of consecutive stops a path."""
    places = csv.read_csv(folder / "flickr_tours" / f"poi-{city[:4]}.csv")
    label = places["poiID"].to_numpy().astype(np.int64)
    points = np.column_stack([places[name].to_numpy() for name in ("poiLon", "poiLat")])
    frame = Frame.zones(tuple(map(str, label)), points)
    visits = csv.read_csv(folder / "flickr_tours" / f"traj-{city[:4]}.csv")
    tour, where, time = (
        visits[name].to_numpy().astype(np.int64) for name in ("trajID", "poiID", "startTime")
    )
    by_label = np.argsort(label)
    rows = windows(tour, time, stops)
    return Dataset(
        name=f"Flickr {city}",
        paths=_paths([frame] * stops, _cells(frame)[by_label[np.searchsorted(label[by_label], where[rows])]]),
        note=f"every {stops} consecutive stops of a tour between {len(label)} points of interest",
    )


def taxi_trips(folder: Path) -> Dataset:
    """Yellow taxis of 2019: pick-up and drop-off zone of 10,000 trips a month."""
    frame = Frame.zones(
        tuple(str(zone + 1) for zone in range(taxi.ZONES)), taxi.zone_points(folder / "nyc_tlc_2019")
    )
    ends = taxi.trips(folder / "nyc_tlc_2019")[:, :2]
    return Dataset(
        name="New York taxis",
        paths=_paths([frame] * 2, _cells(frame)[ends]),
        note="pick-up and drop-off of sampled trips; 263 zones by the ranks of their centroids",
    )


def tours(folder: Path, stops: int) -> Dataset:
    """A model's tours in San Francisco: where they begin, and where their first trips lead.

    The 190 zones come without coordinates. They stand on a line in the order of
    their numbers, which the planners gave district by district.
    """
    table = csv.read_csv(folder / "activitysim_sf" / "survey_trips.csv")
    tour, trip, origin, destination = (
        table[name].to_numpy().astype(np.int64) for name in ("tour_id", "trip_id", "origin", "destination")
    )
    frame = Frame(rows=1, columns=int(max(origin.max(), destination.max())))
    rows = first_windows(tour, trip, stops)
    visited = np.column_stack((origin[rows[:, 0]], destination[rows[:, :-1]])) - 1
    return Dataset(
        name="ActivitySim San Francisco",
        paths=_paths([frame] * stops, np.stack((np.zeros_like(visited), visited), axis=2)),
        note=f"the first {stops} places of each tour of so many trips or more; zones on a line, in the order of their numbers",
    )


def histogram(folder: Path, name: str, what: str) -> Dataset:
    """A histogram of DPBench, 256 x 256, as one point per count."""
    with np.load(folder / "dpbench" / f"{name}.npz") as file:
        counts = file["hist"].astype(np.int64)
    filled = np.argwhere(counts)
    cells = np.repeat(filled, counts[filled[:, 0], filled[:, 1]], axis=0)
    frame = Frame(rows=counts.shape[0], columns=counts.shape[1])
    return Dataset(name=what, paths=_paths([frame], cells[:, None]), note=f"DPBench's {name}, 256 x 256")


REAL: dict[str, Callable[[Path], Dataset]] = {
    "gowalla-2d": lambda folder: check_ins(folder, 1),
    "beijing-starts": lambda folder: histogram(folder, "BEIJING-CABS-S", "Beijing cabs, starts"),
    "beijing-ends": lambda folder: histogram(folder, "BEIJING-CABS-E", "Beijing cabs, ends"),
    "sf-starts": lambda folder: histogram(folder, "SF-CABS-S", "San Francisco cabs, starts"),
    "sf-ends": lambda folder: histogram(folder, "SF-CABS-E", "San Francisco cabs, ends"),
    "tours-2d": lambda folder: tours(folder, 2),
    "tours-3d": lambda folder: tours(folder, 3),
    "gowalla-4d": lambda folder: check_ins(folder, 2),
    "taxis-4d": taxi_trips,
    "melbourne-4d": lambda folder: photo_tours(folder, "Melbourne", 2),
    "toronto-4d": lambda folder: photo_tours(folder, "Toronto", 2),
    "gowalla-6d": lambda folder: check_ins(folder, 3),
    "melbourne-6d": lambda folder: photo_tours(folder, "Melbourne", 3),
    "toronto-6d": lambda folder: photo_tours(folder, "Toronto", 3),
}
"""Two places a path for a start and an end; the 2-D ones of cabs and check-ins are single places."""


def load(folder: Path | None, name: str) -> Dataset:
    """One of them, or an error that says what is missing."""
    if folder is None:
        raise InputError("no folder of real data is named; give --data FOLDER or set QUIETWAY_DATA")
    try:
        return REAL[name](folder)
    except FileNotFoundError as missing:
        raise InputError(
            f"the real paths '{name}' need {missing.filename}, which is not there; give the folder that holds "
            "gowalla_nyc, flickr_tours, nyc_tlc_2019, activitysim_sf and dpbench as --data FOLDER or QUIETWAY_DATA"
        ) from missing


def _gowalla(folder: Path) -> tuple[Index, Index, Floats]:
    """User, second and place (longitude, latitude) of every check-in."""
    columns = ["user", "time", "lat", "lon", "venue"]
    table = csv.read_csv(
        folder / "gowalla_events.csv.gz",
        read_options=csv.ReadOptions(column_names=columns),
        parse_options=csv.ParseOptions(delimiter="\t"),
    )
    time = table["time"].to_numpy().astype("datetime64[s]").astype(np.int64)
    places = np.column_stack([table[name].to_numpy() for name in ("lon", "lat")])
    return table["user"].to_numpy().astype(np.int64), time, places


def _around(lat: float, lon: float) -> tuple[float, float, float, float]:
    """West, south, east and north of a square of 70 x 70 km."""
    north = HALF_KM / KM_PER_DEGREE
    east = north / cos(radians(lat))
    return lon - east, lat - north, lon + east, lat + north


def _located(frame: Frame, places: Floats) -> tuple[Index, NDArray[np.bool_]]:
    """Row and column of each place, and whether it lies on the grid."""
    assert frame.bounds is not None
    west, south, east, north = frame.bounds
    share = (places[:, ::-1] - (south, west)) / (north - south, east - west)
    cell = np.floor(share * frame.shape).astype(np.int64)
    return cell, np.all((cell >= 0) & (cell < frame.shape), axis=1)


def _cells(frame: Frame) -> Index:
    assert frame.cell is not None
    return frame.cell


def _paths(frames: list[Frame], cells: Index) -> Paths:
    """Of a row and a column for every stop of every path."""
    names = STOPS[:1] if len(frames) == 1 else (*STOPS[: len(frames) - 1], STOPS[-1])
    space = PathSpace(stops=names, frames=tuple(frames))
    return Paths(space, cells.reshape(len(cells), space.axes).astype(np.int32), PrivacyUnit(), seeded=True)
