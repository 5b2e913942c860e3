"""Where each stop of a path can be, as a release file says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from quietway.errors import ConfigError, DataError
from quietway.nearest import nearest
from quietway.paths.config import (
    GRID,
    GridPlacesSection,
    PathFile,
    PolygonPlacesSection,
    ZonePlacesSection,
)
from quietway.records.axes import GridAxis, PlacesAxis, PolygonAxis
from quietway.records.paths.frames import StopPlaces

PlacesTable = GridPlacesSection | ZonePlacesSection | PolygonPlacesSection


def stop_places(file: PathFile, folder: Path) -> tuple[StopPlaces, ...]:
    """The places of each stop, in the order of the stops."""
    sections = _of_each_stop(file)
    try:
        return tuple(_axis(file, section, stop, folder) for stop, section in sections.items())
    except DataError as error:
        raise ConfigError(error.message.replace("axis 'places'", "places")) from error


def _of_each_stop(file: PathFile) -> dict[str, PlacesTable]:
    stops = file.stops
    if len(file.places) == 1 and file.places[0].stop is None:
        return dict.fromkeys(stops, file.places[0])
    named = {section.stop: section for section in file.places}
    if None in named or len(named) < len(file.places):
        raise ConfigError('places: with several [[places]], each names its own stop, as in stop = "home"')
    _require_stops(named, stops, "places: stop")
    return {stop: named[stop] for stop in stops}


def _require_stops(named: Mapping[Any, object], stops: Sequence[str], key: str) -> None:
    for name in named:
        if name not in stops:
            raise ConfigError(f"{key}: there is no stop '{name}'{nearest(str(name), stops)}")
    for stop in stops:
        if stop not in named:
            raise ConfigError(f"{key}: nothing is said of the stop '{stop}'; say it for every stop")


def _axis(file: PathFile, section: PlacesTable, stop: str, folder: Path) -> StopPlaces:
    columns = _columns(file, section, stop)
    if isinstance(section, GridPlacesSection):
        lon, lat = columns
        return GridAxis(name="places", lon=lon, lat=lat, **section.model_dump(include=set(GRID)))
    path = folder / section.file
    if isinstance(section, ZonePlacesSection):
        (column,) = columns
        return PlacesAxis(
            name="places", file=path, id=section.id, column=column, lon=section.lon, lat=section.lat
        )
    lon, lat = columns
    return PolygonAxis(name="places", file=path, id=section.id, lon=lon, lat=lat)


def _columns(file: PathFile, section: PlacesTable, stop: str) -> tuple[str, ...]:
    """The columns of the records that tell where a stop is."""
    where = "places" if section.stop is None else f"places.{section.stop}"
    alone, keys = _alone(section)
    if section.at is None:
        if None in alone:
            several = file.paths.rows == "paths" and section.stop is None
            wanted = "at, the columns of each stop" if several else " and ".join(keys)
            raise ConfigError(f"{where}: name the columns of the records that hold the places: {wanted}")
        if file.paths.rows == "paths" and section.stop is None and len(file.stops) > 1:
            raise ConfigError(
                f"{where}: where a row is a path each stop has columns of its own; give them by stop, in `at`"
            )
        return tuple(str(column) for column in alone)
    if file.paths.rows != "paths" or section.stop is not None:
        raise ConfigError(
            f"{where}.at: only one [places] for the stops of rows = 'paths' needs it; use {' and '.join(keys)}"
        )
    if alone != (None,) * len(alone):
        raise ConfigError(f"{where}: give {' and '.join(keys)}, or at, not both")
    _require_stops(section.at, file.stops, f"{where}.at")
    found = section.at[stop]
    return (found,) if isinstance(found, str) else found


def _alone(section: PlacesTable) -> tuple[tuple[str | None, ...], tuple[str, ...]]:
    """The columns given without `at`, and the keys that give them."""
    if isinstance(section, ZonePlacesSection):
        return (section.column,), ("column",)
    return (section.lon, section.lat), ("lon", "lat")
