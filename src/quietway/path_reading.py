"""How the rows of a release become paths, as its file says."""

from __future__ import annotations

from quietway.config_paths import PathFile
from quietway.errors import ConfigError
from quietway.records.clock import Clock
from quietway.records.paths import PathReading, WidePaths
from quietway.universe import Protects


def path_reading(file: PathFile) -> PathReading:
    """The reading of the rows, once what the sections say of them agrees."""
    _require_stops(file)
    match file.paths.rows:
        case "paths":
            return WidePaths(clock=_day_clock(file))
        case "stops":
            raise NotImplementedError
        case "sightings":
            raise NotImplementedError


def _require_stops(file: PathFile) -> None:
    """Stops are named once: by paths.stops, or by the frames."""
    named, framed = file.paths.stops is not None, bool(file.frames)
    if framed and file.paths.rows != "sightings":
        raise ConfigError(
            f"frames: they go with rows = 'sightings' only; '{file.paths.rows}' would ignore them"
        )
    if named and framed:
        raise ConfigError("paths.stops: the frames name the stops already; leave it out")
    if not named and not framed:
        raise ConfigError('paths.stops: name the stops of a path in order, as in ["start", "museum", "end"]')


def _day_clock(file: PathFile) -> Clock | None:
    """The clock whose midnights part a user's days."""
    if file.unit.unit.protects is not Protects.USER_DAY:
        if file.paths.timezone is not None or file.paths.clock is not None:
            raise ConfigError(
                "paths.timezone and paths.clock say where a user's day begins; leave them out where no day is protected"
            )
        return None
    assert file.unit.time is not None
    if file.paths.timezone is None or file.paths.clock is None:
        raise ConfigError(
            "paths.timezone and paths.clock are missing: they say where a user's day begins, as in "
            'timezone = "America/Detroit" and clock = "local"'
        )
    return Clock(column=file.unit.time, timezone=file.paths.timezone, clock=file.paths.clock)
