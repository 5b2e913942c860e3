"""The true tables that methods are compared on: an example city, taxi trips in New York, a model of Chicago.

The real tables are read from the folder that QUIETWAY_DATA names, or from
../shared/data beside the project. They are not part of the project. (This file
is not called tables.py, which would hide the package that reads HDF5.)
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from math import cos, radians
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quietway.city import DayName, build_city, write_example
from quietway.counts import Counts
from quietway.errors import InputError
from quietway.pipeline import count
from quietway.reproduce.od import taxi
from quietway.reproduce.transport import kilometres
from quietway.spec import load_spec
from quietway.universe import Axis, Partition, PrivacyUnit, Rule, Universe, each, grouped

Named = tuple[tuple[str, Partition], ...]
Floats = NDArray[np.float64]
Index = NDArray[np.int64]

PROJECT = Path(__file__).resolve().parent.parent
CHICAGO_ZONES = 387
BANDS_KM = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """A true table, and what is public about it.

    The total is a feature of every table and not listed. `places` has one row,
    longitude and latitude, for each place, be it origin or destination;
    `ends` are trip ends by place (and period); `zones` is the grouping whose
    random ranges are asked: zones of origin and of destination (and period).
    """

    name: str
    counts: Counts
    features: Named
    places: Floats
    ends: Named
    zones: Partition

    @property
    def universe(self) -> Universe:
        """What could have been counted."""
        return self.counts.universe

    @property
    def total(self) -> int:
        """How many trips there truly are."""
        return int(self.counts.values.sum())


def example_city(day: DayName) -> Table:
    """One day of the example city, as its release file describes it, but one trip the unit."""
    with tempfile.TemporaryDirectory() as folder:
        write_example(folder, day)
        spec = load_spec(Path(folder) / "release.toml")
        unit = spec.file.unit.model_copy(update={"user": None})
        spec = replace(spec, unit=PrivacyUnit(), file=spec.file.model_copy(update={"unit": unit}))
        counts = count(spec)
    return Table(
        name=f"example city, {day}",
        counts=counts,
        features=spec.features,
        places=build_city().places,
        ends=_ends(spec.universe),
        zones=dict(spec.features)["zone pair by period"],
    )


def new_york() -> Table:
    """120,000 sampled yellow taxi trips of 2019, by hour of day; taxi zones 1 to 263, unknown ones dropped."""
    folder = data_folder("nyc_tlc_2019")
    universe = _universe(taxi.ZONES, 24)
    places = taxi.zone_points(folder)
    borough_names, borough = np.unique(taxi.boroughs(folder), return_inverse=True)
    origins, destinations, hours = taxi.trips(folder).T
    period = each(universe, "period")
    pair = _zone_rules(universe, borough, tuple(borough_names.tolist()), "borough")
    band = _distance_bands(universe, places)
    return Table(
        name="New York taxis",
        counts=_counts(universe, universe.keys((origins, destinations, hours))),
        features=(
            ("period", Partition.by(universe, [period])),
            ("borough pair by period", Partition.by(universe, [*pair, period])),
            ("distance by period", Partition.by(universe, [band, period])),
        ),
        places=places,
        ends=_ends(universe),
        zones=Partition.by(universe, [*pair, period]),
    )


def chicago() -> Table:
    """The Chicago sketch's daily trips between 387 zones, rounded to whole trips; no periods.

    Districts are the cells of a grid of 4 x 4 over the zones' box that hold a
    zone: 14 of them.
    """
    folder = data_folder("tntp_chicago_sketch")
    universe = _universe(CHICAGO_ZONES, None)
    places = _chicago_places(folder / "ChicagoSketch_node.tntp")
    trips = np.rint(_chicago_trips(folder / "ChicagoSketch_trips.tntp")).astype(np.int64).ravel()
    step = np.minimum(3, (places - places.min(axis=0)) / np.ptp(places, axis=0) * 4).astype(np.int64)
    cells, district = np.unique(step[:, 0] * 4 + step[:, 1], return_inverse=True)
    pair = _zone_rules(universe, district, tuple(f"D{cell}" for cell in cells), "district")
    keys = np.flatnonzero(trips)
    return Table(
        name="Chicago sketch",
        counts=Counts(universe, keys, trips[keys], PrivacyUnit()),
        features=(
            ("district pair", Partition.by(universe, pair)),
            ("distance", Partition.by(universe, [_distance_bands(universe, places)])),
        ),
        places=places,
        ends=_ends(universe),
        zones=Partition.by(universe, pair),
    )


LOADERS: dict[str, Callable[[], Table]] = {
    "weekday": cache(lambda: example_city("weekday")),
    "weekend": cache(lambda: example_city("weekend")),
    "new-york": cache(new_york),
    "chicago": cache(chicago),
}


def data_folder(name: str) -> Path:
    """Where one of the real data sets lies, or an error that says where it was looked for."""
    parent = Path(os.environ.get("QUIETWAY_DATA", PROJECT.parent / "shared" / "data"))
    if not (parent / name).is_dir():
        raise InputError(
            f"there is no folder '{name}' in {parent}; set QUIETWAY_DATA to the folder that holds the real "
            f"tables, of which {name} is one"
        )
    return parent / name


def _universe(zones: int, periods: int | None) -> Universe:
    labels = tuple(str(zone + 1) for zone in range(zones))
    ends = [Axis(name=name, size=zones, labels=labels) for name in ("origin", "destination")]
    if periods is None:
        return Universe(tuple(ends))
    return Universe((*ends, Axis(name="period", size=periods, ordered=True)))


def _ends(universe: Universe) -> Named:
    """How many trips start, and how many end, at each place in each period."""
    rest = universe.names[2:]
    return tuple(
        (f"{end} ends", Partition.margin(universe, [end, *rest])) for end in ("origin", "destination")
    )


def _zone_rules(universe: Universe, zone: Index, names: tuple[str, ...], name: str) -> list[Rule]:
    """Zones of origin, and zones of destination."""
    return [
        grouped(universe, [end], zone, name=f"{end}:{name}", block_names=names)
        for end in ("origin", "destination")
    ]


def _distance_bands(universe: Universe, places: Floats) -> Rule:
    """Pairs of places by how far apart they are, in a straight line."""
    flat = kilometres(places)
    band = np.digitize(np.linalg.norm(flat[:, None] - flat, axis=2), BANDS_KM) - 1
    kept, number = np.unique(band, return_inverse=True)
    names = tuple(f"from {BANDS_KM[i]:g} km" for i in kept)
    return grouped(
        universe, ["origin", "destination"], number.reshape(band.shape), name="distance", block_names=names
    )


def _counts(universe: Universe, keys: Index) -> Counts:
    """Of one key per trip."""
    cells, trips = np.unique(keys, return_counts=True)
    return Counts(universe, cells, trips.astype(np.int64), PrivacyUnit())


def _chicago_places(path: Path) -> Floats:
    """Of the zones, from Illinois State Plane East (NAD27) feet, as if the plane were flat around its origin."""
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()[1 : CHICAGO_ZONES + 1]]
    feet = np.array([(float(row[1]) - 500_000, float(row[2])) for row in rows])
    lat = 36 + 2 / 3 + feet[:, 1] * 0.0003048 / 111.05
    lon = -88 - 1 / 3 + feet[:, 0] * 0.0003048 / (111.32 * cos(radians(float(lat.mean()))))
    return np.column_stack((lon, lat))


def _chicago_trips(path: Path) -> Floats:
    """One real number for each pair of zones."""
    trips, origin = np.zeros((CHICAGO_ZONES, CHICAGO_ZONES)), 0
    for line in path.read_text(encoding="utf-8").partition("<END OF METADATA>")[2].splitlines():
        if line.startswith("Origin"):
            origin = int(line.split()[1])
        elif ":" in line and not line.startswith("~"):
            for entry in line.rstrip("; ").split(";"):
                destination, _, flow = entry.partition(":")
                trips[origin - 1, int(destination) - 1] = float(flow)
    return trips
