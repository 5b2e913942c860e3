"""A release of paths with stops, resolved: public structure, mechanism and cost, before any data are touched."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from quietway.budget import parse_epsilon
from quietway.config import read_toml
from quietway.described import Described, spec_hash
from quietway.errors import ConfigError, UniverseError
from quietway.mechanisms.od.mechanism import PathMechanism
from quietway.mechanisms.od.registry import PATH_METHODS, PathRequest, fits_of
from quietway.nearest import nearest
from quietway.paths.config import PathFile, PathMethodSection, read_path_file
from quietway.paths.places import stop_places
from quietway.paths.reading import path_reading, require_named_stops
from quietway.records.paths import PathReading
from quietway.records.paths.frames import StopPlaces, path_space
from quietway.spec import ReleaseSpec, load_spec
from quietway.universe import PathSpace, PrivacyUnit, Protects


@dataclass(frozen=True, kw_only=True, eq=False)
class PathSpec(Described):
    """Everything a release of paths needs but the records."""

    file: PathFile
    places: tuple[StopPlaces, ...]
    space: PathSpace
    reading: PathReading
    unit: PrivacyUnit
    epsilon: Fraction
    mechanism: PathMechanism
    settings: dict[str, Any]
    hash: str


def load_any_spec(path: str | Path) -> ReleaseSpec | PathSpec:
    """What a release file describes: a table of trips by [[axes]], or paths with stops by [paths]."""
    record = read_toml(path)
    if "axes" in record and "paths" in record:
        raise ConfigError(
            f"{path} has [[axes]], which describe a table of trips, and [paths], which describe paths with stops; "
            "keep one of them"
        )
    return _resolved(path, read_path_file(path, record)) if "paths" in record else load_spec(path)


def load_path_spec(path: str | Path) -> PathSpec:
    """Read a release file of paths and the public files it names. Records are not touched."""
    return _resolved(path, read_path_file(path))


def _resolved(path: str | Path, file: PathFile) -> PathSpec:
    folder = Path(path).parent
    require_named_stops(file)
    places = stop_places(file, folder)
    reading = path_reading(file, places)
    try:
        space = path_space(file.stops, places)
    except UniverseError as error:
        raise ConfigError(f"places: {error.message}") from error
    unit = replace(file.unit.unit, contributor=_contributor(file, reading))
    epsilon = parse_epsilon(file.privacy.epsilon)
    options = file.method.model_dump(exclude={"name", "fit"}, exclude_none=True)
    mechanism = _mechanism(file.method.name, PathRequest(space=space, unit=unit, epsilon=epsilon, **options))
    return PathSpec(
        file=file,
        folder=folder,
        places=places,
        space=space,
        reading=reading,
        unit=unit,
        epsilon=epsilon,
        mechanism=mechanism,
        settings={"fit": _fit(file.method), "outside": file.records.outside, **_rules(file), **options},
        hash=spec_hash(file, folder, file.places),
    )


def _mechanism(name: str, request: PathRequest) -> PathMechanism:
    if name not in PATH_METHODS:
        raise ConfigError(f"method.name: '{name}' is no method for paths{nearest(name, PATH_METHODS)}")
    return PATH_METHODS[name](request)


def _fit(method: PathMethodSection) -> str:
    """The fit asked for, if it suits what is measured; else the method's own."""
    fits = fits_of(method.name)
    if method.fit in (None, *fits):
        return method.fit or fits[0]
    raise ConfigError(f"method.fit: '{method.name}' has no fit '{method.fit}'; it has {', '.join(fits)}")


def _rules(file: PathFile) -> dict[str, Any]:
    """How rows became paths, for the manifest: public settings, and no name of a column."""
    told = file.paths.model_dump(exclude={"path", "sequence", "time"}, exclude_none=True)
    frames = [f"{frame.name} {frame.start} to {frame.end}" for frame in file.frames]
    return {**told, "stops": list(file.stops), **({"frames": frames} if frames else {})}


def _contributor(file: PathFile, reading: PathReading) -> str:
    """How contributors are told apart, in words that are the same for the same way.

    A path of several rows is more than the one row that is a trip elsewhere: their losses have no common sum.
    """
    unit, clock = file.unit.unit, reading.clock
    if unit.protects is Protects.TRIP:
        owner = f" of one {file.unit.user}" if file.unit.user else ""
        return f"all rows of one {file.paths.path}{owner}" if file.paths.rows == "stops" else ""
    if unit.protects is Protects.USER or clock is None:
        return f"column {file.unit.user}"
    first = " of a path's first stop" if file.paths.rows == "stops" else ""
    return f"column {file.unit.user}, by date of {clock.column}{first} ({clock.clock} time, {clock.timezone})"
