"""A release, resolved: public structure, mechanism and cost, before any data are touched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quietway.budget import parse_epsilon, split
from quietway.config import (
    AxisSection,
    FeatureSection,
    GroupSection,
    MethodSection,
    ReleaseFile,
    read_release_file,
)
from quietway.described import Described, spec_hash
from quietway.errors import ConfigError, InputError, UniverseError
from quietway.estimate.prior import PublicTable
from quietway.estimate.weights import Weights
from quietway.mechanisms import Mechanism
from quietway.mechanisms.registry import METHODS, Request, Split
from quietway.nearest import nearest
from quietway.priors import chosen_prior
from quietway.public_csv import public_rows
from quietway.publish.staging import Staging
from quietway.records.axes import CategoryAxis, GridAxis, PeriodAxis, PlacesAxis, PolygonAxis, TripAxis
from quietway.records.trips import day_clock
from quietway.universe import Partition, PrivacyUnit, Protects, Rule, Universe, each, grouped_by_rows


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleaseSpec(Described):
    """Everything a release needs but the records.

    `places` are longitude and latitude of each element, for the axes that have
    them; `prior` is a public table of trips, or an earlier release, if one is named.
    """

    file: ReleaseFile
    axes: tuple[TripAxis, ...]
    universe: Universe
    unit: PrivacyUnit
    epsilon: Fraction
    features: tuple[tuple[str, Partition], ...]
    mechanism: Mechanism
    settings: dict[str, Any]
    hash: str
    places: dict[str, NDArray[np.float64]]
    prior: PublicTable | None


def load_spec(path: str | Path) -> ReleaseSpec:
    """Read a release file and the public files it names. Records are not touched."""
    path = Path(path)
    file = read_release_file(path)
    folder = path.parent
    axes = tuple(_axis(section, folder) for section in file.axes)
    universe = Universe(tuple(axis.axis() for axis in axes))
    unit = replace(file.unit.unit, contributor=_contributor(file, axes))
    epsilon = parse_epsilon(file.privacy.epsilon)
    features = tuple(
        (feature.name, _partition(feature, file.groups, universe, folder)) for feature in file.features
    )
    places = _places(axes)
    prior, table = chosen_prior(
        file.method, folder, universe, places, paid=Staging.beside(folder / file.release.output)
    )
    told = _told(file.method, prior, table)
    request = Request(
        universe=universe,
        features=features,
        unit=unit,
        epsilon=epsilon,
        split=_split(file, epsilon),
        levels=file.method.levels,
        threshold=file.method.threshold,
        measured=file.method.margins,
        weights=Weights.of(told),
        prior=prior,
        fit=file.method.fit,
    )
    fit = _fit(file.method, request)
    return ReleaseSpec(
        file=file,
        folder=folder,
        axes=axes,
        universe=universe,
        unit=unit,
        epsilon=epsilon,
        features=features,
        mechanism=METHODS[file.method.name].build(request),
        settings={"fit": fit, "outside": file.records.outside, **told},
        hash=spec_hash(file, folder, (*file.axes, *file.groups.values()), **_prior_digest(table)),
        places=places,
        prior=table,
    )


def _places(axes: Sequence[TripAxis]) -> dict[str, NDArray[np.float64]]:
    located = {axis.name: axis.places() for axis in axes}
    return {name: points for name, points in located.items() if points is not None}


def _told(method: MethodSection, prior: str, table: PublicTable | None) -> dict[str, Any]:
    """What the manifest says of the method besides its fit."""
    weights = {"weights": method.weights, "custom_weights": method.custom_weights}
    told = {key: value for key, value in weights.items() if value is not None}
    told |= {"prior": prior} if method.name == "cbdp" else {}
    return told | ({"prior_from": Path(method.prior).name} if table is not None and method.prior else {})


def _fit(method: MethodSection, request: Request) -> str:
    """The fit asked for, if it suits what is measured; else the method's own."""
    fits = METHODS[method.name].suiting(request)
    if method.fit in (None, *fits):
        return method.fit or fits[0]
    given = f" with prior = '{request.prior}'" if method.name == "cbdp" else ""
    other = "; fits 'cbdp' and 'free' go with prior = 'none'" if request.prior != "none" else ""
    raise ConfigError(
        f"method.fit: '{method.name}'{given} has no fit '{method.fit}'; it has {', '.join(fits)}{other}"
    )


def _contributor(file: ReleaseFile, axes: Sequence[TripAxis]) -> str:
    """How contributors are told apart, in words that are the same for the same way."""
    unit = file.unit.unit
    if unit.protects is Protects.TRIP:
        return ""
    clock = day_clock(unit, file.unit.time, axes)
    if clock is None:
        return f"column {file.unit.user}"
    return f"column {file.unit.user}, by date of {clock.column} ({clock.clock} time, {clock.timezone})"


def _axis(section: AxisSection, folder: Path) -> TripAxis:
    values = section.model_dump(exclude={"kind"})
    if "file" in values:
        values["file"] = folder / values["file"]
    kinds = {
        "places": PlacesAxis,
        "polygons": PolygonAxis,
        "grid": GridAxis,
        "periods": PeriodAxis,
        "categories": CategoryAxis,
    }
    return kinds[section.kind](**values)


def _partition(
    feature: FeatureSection, groups: dict[str, GroupSection], universe: Universe, folder: Path
) -> Partition:
    """`by` lists axes ("period") and groups of axes ("origin:zone", "origin,destination:mode")."""
    where = f"features.{feature.name}"
    try:
        return Partition.by(universe, [_rule(entry, groups, universe, folder) for entry in feature.by])
    except InputError as error:
        raise ConfigError(f"{where}: {error}") from error


def _rule(entry: str, groups: dict[str, GroupSection], universe: Universe, folder: Path) -> Rule:
    axes_text, _, group_name = entry.partition(":")
    axes = [axis.strip() for axis in axes_text.split(",")]
    for axis in axes:
        if axis not in universe.names:
            raise ConfigError(f"'{entry}' names no axis '{axis}'{nearest(axis, universe.names)}")
    if not group_name:
        if len(axes) > 1:
            raise ConfigError(f"'{entry}' names two axes without a group; list them apart")
        return each(universe, axes[0])
    if group_name not in groups:
        raise ConfigError(f"'{entry}' names no group '{group_name}'{nearest(group_name, groups)}")
    group = groups[group_name]
    if len(group.labels) != len(axes):
        raise ConfigError(
            f"'{entry}' gives {len(axes)} axes, but groups.{group_name}.labels has {len(group.labels)} columns"
        )
    name = f"{axes[0]} {group_name}" if len(axes) == 1 else group_name
    path = folder / group.file
    rows = public_rows(path, (*group.labels, group.block), role=f"groups.{group_name}")
    try:
        return grouped_by_rows(universe, axes, ((labels, block) for *labels, block in rows), name=name)
    except UniverseError as error:
        raise ConfigError(f"groups.{group_name} ({path}): {error}") from error


def _split(file: ReleaseFile, epsilon: Fraction) -> Split | None:
    """How epsilon is divided, or None for the method's own way."""
    shares = file.privacy.shares
    if shares is not None:
        return lambda sizes: split.custom(epsilon, _as_many(shares, len(sizes)))
    if file.privacy.budget is None:
        return None
    return {
        "uniform": lambda sizes: split.uniform(epsilon, len(sizes)),
        "geometric": lambda sizes: split.geometric(epsilon, len(sizes)),
        "cube-root": lambda sizes: split.cube_root(epsilon, sizes),
    }[file.privacy.budget]


def _as_many(shares: Sequence[object], parts: int) -> Sequence[object]:
    if len(shares) != parts:
        raise ConfigError(
            f"privacy.shares: {len(shares)} share{'' if len(shares) == 1 else 's'} for {parts} measurements; give one each, the total first, the cells last"
        )
    return shares


def _prior_digest(prior: PublicTable | None) -> dict[str, str]:
    return {} if prior is None else {"prior": prior.digest}
