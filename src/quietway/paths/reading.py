"""How the rows of a release become paths, as its file says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quietway.errors import ConfigError
from quietway.paths.config import PathFile
from quietway.records.clock import Clock
from quietway.records.column import Column, Kind
from quietway.records.paths import FramePaths, PathReading, StayPaths, StopRows, StopRules, WidePaths
from quietway.records.paths.frames import StopPlaces
from quietway.universe import Protects


def path_reading(file: PathFile, places: Sequence[StopPlaces]) -> PathReading:
    """The reading of the rows, once what the sections say of them agrees."""
    match file.paths.rows:
        case "paths":
            return WidePaths(clock=_day_clock(file))
        case "stops":
            return _stop_rows(file)
        case "sightings":
            _require_person(file)
            return _stay_paths(file, places) if file.paths.dwelling else _frame_paths(file)


def require_named_stops(file: PathFile) -> None:
    """Stops are named once: by paths.stops, or by the frames."""
    named, framed = file.paths.stops is not None, bool(file.frames)
    if framed and file.paths.rows != "sightings":
        raise ConfigError(
            f"frames: they go with rows = 'sightings' only; '{file.paths.rows}' would ignore them"
        )
    if framed and file.paths.dwelling:
        raise ConfigError(
            "frames: stops are either frames of the day or stays (paths.radius and paths.minutes); leave one out"
        )
    if framed and named:
        raise ConfigError("paths.stops: the frames name the stops already; leave it out")
    if file.paths.rows == "sightings" and not framed and not file.paths.dwelling:
        raise ConfigError(
            "frames: nothing says which sightings are stops; add [[frames]] of the day, or paths.radius and "
            "paths.minutes for stays"
        )
    if not named and not framed:
        raise ConfigError('paths.stops: name the stops of a path in order, as in ["start", "museum", "end"]')


def _stop_rows(file: PathFile) -> StopRows:
    paths = file.paths
    assert paths.path is not None
    sequence, time = paths.sequence, paths.time
    order = Column(name=sequence, kind=Kind.ORDER) if sequence else Column(name=str(time), kind=Kind.TIME)
    user = file.unit.user if file.unit.unit.protects is Protects.TRIP else None
    return StopRows(path=paths.path, order=order, rules=_rules(file), user=user, clock=_day_clock(file))


def _frame_paths(file: PathFile) -> FramePaths:
    if file.paths.more is not None:
        raise ConfigError("paths.more goes with stays only: of each frame, paths.pick takes one sighting")
    return FramePaths(
        clock=_clock(file),
        spans=tuple(frame.span for frame in file.frames),
        pick=file.paths.pick or "first",
        fewer=file.paths.fewer or "refuse",
    )


def _stay_paths(file: PathFile, places: Sequence[StopPlaces]) -> StayPaths:
    if file.paths.pick is not None:
        raise ConfigError("paths.pick goes with frames only: of a user's stays, paths.more chooses")
    pairs = {(pair.lon, pair.lat) for axis in places if (pair := axis.coordinates) is not None}
    if len(pairs) != 1 or any(axis.coordinates is None for axis in places):
        raise ConfigError(
            "places: stays are found from coordinates; give a grid or polygons, with the same lon and lat for every stop"
        )
    assert file.paths.radius is not None and file.paths.minutes is not None
    (pair,) = pairs
    return StayPaths(
        clock=_clock(file),
        lon=pair[0],
        lat=pair[1],
        radius=file.paths.radius,
        minutes=file.paths.minutes,
        rules=_rules(file),
    )


def _rules(file: PathFile) -> StopRules:
    given: dict[str, Any] = file.paths.model_dump(include={"fewer", "more", "twice"}, exclude_none=True)
    return StopRules(**given)


def _require_person(file: PathFile) -> None:
    """A path of sightings is a user's day: nothing less of the user can be what is protected."""
    unit, time = file.unit.unit, file.unit.time
    if unit.protects is Protects.TRIP:
        raise ConfigError(
            "unit.protects: a path of sightings is all that is seen of a user in a day, so 'trip' would protect "
            "nothing that can be told from it; protect 'user-day' or 'user', and name unit.user"
        )
    if unit.protects is Protects.USER_DAY and unit.bound > 1:
        raise ConfigError("unit.max_trips: a user's day of sightings is one path; set max_trips = 1")
    if unit.protects is Protects.USER_DAY and time != file.paths.time:
        raise ConfigError(
            "unit.time: the days are those of the sightings; give the column of paths.time here too"
        )


def _day_clock(file: PathFile) -> Clock | None:
    """The clock whose midnights part a user's days, where days are what is protected."""
    zone, clock = file.paths.timezone, file.paths.clock
    if file.unit.unit.protects is not Protects.USER_DAY:
        if zone is not None or clock is not None:
            raise ConfigError(
                "paths.timezone and paths.clock say where a user's day begins; leave them out where no day is protected"
            )
        return None
    if zone is None or clock is None:
        raise ConfigError(
            "paths.timezone and paths.clock are missing: they say where a user's day begins, as in "
            'timezone = "America/Detroit" and clock = "local"'
        )
    return Clock(column=str(file.unit.time), timezone=zone, clock=clock)


def _clock(file: PathFile) -> Clock:
    paths = file.paths
    assert paths.time is not None and paths.timezone is not None and paths.clock is not None
    return Clock(column=paths.time, timezone=paths.timezone, clock=paths.clock)
