"""Measurements and tables on disk: plain arrays and JSON, never pickles."""

from __future__ import annotations

import json
import os
import zlib
from fractions import Fraction
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from quietway.errors import InputError, OutputError
from quietway.estimate.prior import PublicTable
from quietway.measurement import Floors, Measurement
from quietway.publish.manifest import FORMAT, Manifest
from quietway.publish.release import Release
from quietway.universe import Partition, Universe
from quietway.universe.record import (
    partition_from_json,
    partition_to_json,
    universe_from_json,
    universe_to_json,
)

# Whatever a damaged file may raise while it is read.
_UNREADABLE = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    AttributeError,
    EOFError,
    BadZipFile,
    zlib.error,
    InputError,
)
STRUCTURE, ARRAYS, MANIFEST = "structure.json", "arrays.npz", "manifest.json"


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
    with (folder / ARRAYS).open("wb") as file:
        _write_arrays(file, arrays)
        _flush(file)
    structure = {
        "universe": universe_to_json(universe),
        "features": [{"name": name, "rules": partition_to_json(partition)} for name, partition in features],
        "measurements": [_measurement_to_json(measurement) for measurement in measurements],
        "places": list(places),
        "prior": None if prior is None else partition_to_json(prior.partition),
    }
    write_json(folder / STRUCTURE, structure)
    write_json(folder / MANIFEST, manifest.to_json())
    flush(folder)


def _write_arrays(file: IO[bytes], arrays: dict[str, NDArray[Any]]) -> None:
    """An .npz file, pressed lightly: until it is on disk, a crash wastes what was paid for it."""
    with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def load_release(folder: str | Path) -> Release:
    """Open a published folder (or one that holds paid-for measurements alone)."""
    folder = Path(folder)
    manifest = load_manifest(folder)
    try:
        structure = json.loads((folder / STRUCTURE).read_text(encoding="utf-8"))
        with (folder / ARRAYS).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            parts = _parts(structure, dict(arrays))
    except _UNREADABLE as error:
        raise OutputError(f"{folder} is not a complete release ({error}); restore it from a copy") from error
    return Release(manifest=manifest, **parts)


def load_manifest(folder: Path) -> Manifest:
    """The manifest of a published folder."""
    path = folder / MANIFEST
    if not path.is_file():
        raise OutputError(f"{folder} is not a published release: it holds no {MANIFEST}")
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] <= FORMAT:
            return Manifest.from_json(record)
    except _UNREADABLE as error:
        raise OutputError(f"{path} cannot be read as a manifest ({error}); restore it from a copy") from error
    raise OutputError(
        f"{path} was written by a newer Quietway ({record.get('quietway')}); upgrade to read it"
    )


def write_json(path: Path, record: Any) -> None:
    """Write JSON durably; the file appears whole or not at all."""
    write_whole(path, json.dumps(record, indent=1) + "\n")


def flush_tree(folder: Path) -> None:
    """Make a folder, and everything in it, outlive a loss of power."""
    for path in (*folder.rglob("*"), folder):
        flush(path)


def flush(path: Path) -> None:
    """Make the content of a file, or what was created or renamed in a folder, outlive a loss of power."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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


def _flush(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


def write_whole(path: Path, text: str) -> None:
    """Write a file that appears whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("w", encoding="utf-8") as file:
            file.write(text)
            _flush(file)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise OutputError(
            f"{path} cannot be written: {error.strerror}; write elsewhere or make room"
        ) from error
