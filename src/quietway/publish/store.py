"""Measurements on disk, and the release they make when they are opened again."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quietway.errors import OutputError
from quietway.estimate.prior import PublicTable
from quietway.measurement import Floors, Measurement
from quietway.publish.kept import UNREADABLE, keep, kept, load_manifest
from quietway.publish.manifest import Manifest
from quietway.publish.paths.release import PathRelease
from quietway.publish.paths.store import path_parts
from quietway.publish.release import Release
from quietway.universe import Partition, Universe
from quietway.universe.record import (
    partition_from_json,
    partition_to_json,
    universe_from_json,
    universe_to_json,
)


def save_measurements(
    folder: Path,
    *,
    manifest: Manifest,
    universe: Universe,
    features: tuple[tuple[str, Partition], ...],
    places: dict[str, NDArray[np.float64]],
    measurements: tuple[Measurement, ...],
    prior: PublicTable | None = None,
) -> None:
    """Write everything a release can be made from again, durably, before anything is fitted."""
    arrays: dict[str, NDArray[Any]] = {f"places {name}": array for name, array in places.items()}
    for i, measurement in enumerate(measurements):
        arrays[f"noisy {i}"] = measurement.noisy
        if measurement.blocks is not None:
            arrays[f"blocks {i}"] = measurement.blocks
        if measurement.floors is not None:
            arrays[f"floors {i}"] = measurement.floors.levels
    if prior is not None:
        arrays |= {"prior blocks": prior.blocks, "prior values": prior.values}
    structure = {
        "universe": universe_to_json(universe),
        "features": [{"name": name, "rules": partition_to_json(partition)} for name, partition in features],
        "measurements": [_measurement_to_json(measurement) for measurement in measurements],
        "places": list(places),
        "prior": None if prior is None else partition_to_json(prior.partition),
    }
    keep(folder, manifest=manifest, structure=structure, arrays=arrays)


def load_release(folder: str | Path) -> Release | PathRelease:
    """Open a published folder (or one that holds paid-for measurements alone)."""
    folder = Path(folder)
    manifest = load_manifest(folder)
    try:
        structure, arrays = kept(folder)
        if structure.get("kind", "trips") == "paths":
            return PathRelease(manifest=manifest, **path_parts(structure, arrays))
        return Release(manifest=manifest, **_parts(structure, arrays))
    except UNREADABLE as error:
        raise OutputError(f"{folder} is not a complete release ({error}); restore it from a copy") from error


def _parts(structure: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    universe = universe_from_json(structure["universe"])
    measurements = tuple(
        _measurement_from_json(
            universe, record, arrays[f"noisy {i}"], arrays.get(f"blocks {i}"), arrays.get(f"floors {i}")
        )
        for i, record in enumerate(structure["measurements"])
    )
    features = tuple(
        (record["name"], partition_from_json(universe, record["rules"])) for record in structure["features"]
    )
    places = {name: arrays[f"places {name}"] for name in structure["places"]}
    return {
        "universe": universe,
        "features": features,
        "places": places,
        "measurements": measurements,
        "prior": _prior(universe, structure.get("prior"), arrays),
    }


def _prior(
    universe: Universe, rules: list[dict[str, Any]] | None, arrays: dict[str, NDArray[Any]]
) -> PublicTable | None:
    if rules is None:
        return None
    return PublicTable(
        partition=partition_from_json(universe, rules),
        blocks=arrays["prior blocks"],
        values=arrays["prior values"],
    )


def _measurement_to_json(measurement: Measurement) -> dict[str, Any]:
    return {
        "name": measurement.name,
        "query": "partition",
        "rules": partition_to_json(measurement.partition),
        "scale": str(measurement.scale),
        "threshold": measurement.threshold,
        "floors": None if measurement.floors is None else partition_to_json(measurement.floors.groups),
    }


def _measurement_from_json(
    universe: Universe,
    record: dict[str, Any],
    noisy: NDArray[np.int64],
    blocks: NDArray[np.int64] | None,
    levels: NDArray[np.int64] | None,
) -> Measurement:
    partition = partition_from_json(universe, record["rules"])
    expected = (partition.blocks,) if blocks is None else blocks.shape
    if noisy.dtype != np.int64 or noisy.shape != expected:
        raise ValueError(f"the values of '{record['name']}' do not fit its partition")
    return Measurement(
        name=record["name"],
        partition=partition,
        noisy=noisy,
        scale=Fraction(record["scale"]),
        blocks=blocks,
        threshold=record["threshold"],
        floors=None if levels is None else _floors(universe, record, levels),
    )


def _floors(universe: Universe, record: dict[str, Any], levels: NDArray[np.int64]) -> Floors:
    groups = partition_from_json(universe, record["floors"])
    if levels.dtype != np.int64 or levels.shape != (groups.blocks,):
        raise ValueError(f"the floors of '{record['name']}' do not fit their groups")
    return Floors(groups, levels)
