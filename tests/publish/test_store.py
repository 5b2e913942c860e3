"""Releases on disk: whole, plain, and refused when damaged."""

from __future__ import annotations

import errno
import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quietway.errors import OutputError, QuietwayError
from quietway.measurement import Measurement
from quietway.publish import durable
from quietway.publish.kept import ARRAYS, MANIFEST, STRUCTURE, load_manifest
from quietway.publish.release import Release
from quietway.publish.store import load_release, save_measurements
from quietway.universe import Axis, Partition, Universe


def save(release: Release, folder: Path) -> Path:
    """Write a release's measurements into a new folder."""
    folder.mkdir()
    save_measurements(
        folder,
        manifest=release.manifest,
        universe=release.universe,
        features=release.features,
        places=release.places,
        measurements=release.measurements,
    )
    return folder


def edit(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a JSON file."""
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))


@pytest.fixture
def saved(city: Release, tmp_path: Path) -> Path:
    """The city's folder."""
    return save(city, tmp_path / "saved")


def test_a_release_survives_the_disk(city: Release, saved: Path) -> None:
    """Universe, cells, places, margins and answers are the same when read again."""
    again = load_release(saved)
    assert again.universe == city.universe
    assert again.manifest == city.manifest
    np.testing.assert_array_equal(again.keys, city.keys)
    np.testing.assert_array_equal(again.counts, city.counts)
    for name, points in city.places.items():
        np.testing.assert_array_equal(again.places[name], points)
    for (name, partition), (known, other) in zip(again.features, city.features, strict=True):
        assert name == known
        assert partition.refines(other)
        np.testing.assert_array_equal(again.margin(partition).low, city.margin(other).low)
    question = {"origin": "Harbour", "period": slice("08:00", "10:00")}
    assert again.query(question) == city.query(question)


def test_listed_cells_survive_the_disk(city: Release, tmp_path: Path) -> None:
    """Measurements of cells above a threshold keep cells, values, threshold and exact scale, among 10^18 cells."""
    huge = Universe(tuple(Axis(name=name, size=10**6) for name in "abc"))
    scale = Fraction(20, 9)
    cells = Measurement(
        name="cells",
        partition=Partition.identity(huge),
        noisy=np.array([50, 41]),
        scale=scale,
        blocks=np.array([7, 10**18 - 1]),
        threshold=40,
    )
    total = Measurement(
        name="total", partition=Partition.total(huge), noisy=np.array([99]), scale=Fraction(10)
    )
    release = Release(
        universe=huge,
        features=(),
        places={},
        measurements=(total, cells),
        manifest=replace(city.manifest, method="threshold", settings={"fit": "keep"}),
    )
    again = load_release(save(release, tmp_path / "huge"))
    assert again.keys.tolist() == [7, 10**18 - 1]
    assert again.counts.tolist() == [50, 41]
    assert (again.measurements[1].scale, again.measurements[1].threshold) == (scale, 40)


def test_only_plain_files_are_written(saved: Path) -> None:
    """Three files, none of which can run code when read, and no draft is left."""
    assert {path.name for path in saved.iterdir()} == {ARRAYS, MANIFEST, STRUCTURE}
    with np.load(saved / ARRAYS, allow_pickle=False) as arrays:
        assert all(array.dtype.kind in "if" for array in arrays.values())


def test_a_folder_without_manifest_is_not_a_release(tmp_path: Path) -> None:
    """A folder of something else is named as such."""
    with pytest.raises(OutputError, match=f"not a published release: it holds no {MANIFEST}"):
        load_release(tmp_path)


@pytest.mark.parametrize("forget", [False, True])
def test_a_newer_format_asks_to_upgrade(saved: Path, forget: bool) -> None:
    """A manifest of a later format is refused with the version that wrote it, whatever else changed in it."""

    def change(record: dict[str, Any]) -> None:
        record |= {"format": 99, "quietway": "7.1.0"}
        if forget:
            del record["unit"]

    edit(saved / MANIFEST, change)
    with pytest.raises(OutputError, match=r"newer Quietway \(7\.1\.0\); upgrade"):
        load_release(saved)


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record.pop("unit"),
        lambda record: record.pop("format"),
        lambda record: record.update(format="one"),
        lambda record: record.update(epsilon="1/0"),
        lambda record: record.update(epsilon="much"),
        lambda record: record.update(unit={"protects": "user", "max_trips": 0, "neighbours": "add-remove"}),
        lambda record: record.update(unit={"protects": "dog", "max_trips": 1, "neighbours": "add-remove"}),
        lambda record: record.update(parts=["total"]),
    ],
)
def test_a_damaged_manifest_is_refused(saved: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Missing and meaningless entries name the file and the way out."""
    edit(saved / MANIFEST, change)
    with pytest.raises(
        OutputError, match=rf"{MANIFEST} cannot be read as a manifest .*restore it from a copy"
    ):
        load_manifest(saved)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "\udce9"])
def test_a_manifest_that_is_no_record_is_refused(saved: Path, text: str) -> None:
    """An empty, cut or foreign file is not a manifest."""
    (saved / MANIFEST).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(OutputError, match="cannot be read as a manifest"):
        load_manifest(saved)


def truncate(path: Path) -> None:
    """Cut a file in the middle."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def garble(path: Path) -> None:
    """Overwrite the middle of a file."""
    content = bytearray(path.read_bytes())
    middle = len(content) // 3
    content[middle : middle + 60] = b"\xff" * 60
    path.write_bytes(content)


def pickled(path: Path) -> None:
    """A pickle in the place of the arrays."""
    path.write_bytes(pickle.dumps({"noisy 0": [1]}))


def pickled_inside(path: Path) -> None:
    """Arrays of objects, which only a pickle can hold."""
    with path.open("wb") as file:
        np.savez(file, **{"noisy 0": np.array([{}, None], dtype=object)})  # type: ignore[arg-type]


def bare_array(path: Path) -> None:
    """One array in the place of an archive of several."""
    with path.open("wb") as file:
        np.save(file, np.zeros(3))


def fewer(path: Path) -> None:
    """Archives that lack a measurement's values."""
    with path.open("wb") as file:
        np.savez(file, **{"noisy 0": np.array([1])})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "damage", [truncate, garble, pickled, pickled_inside, bare_array, fewer, Path.unlink]
)
def test_damaged_arrays_are_refused(saved: Path, damage: Callable[[Path], None]) -> None:
    """Cut, garbled, pickled, missing or incomplete arrays are refused, and never unpickled."""
    damage(saved / ARRAYS)
    with pytest.raises(OutputError, match=r"not a complete release .*restore it from a copy"):
        load_release(saved)


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record.pop("universe"),
        lambda record: record["universe"].pop(),
        lambda record: record["universe"][0].update(size=3),
        lambda record: record["places"].append("elsewhere"),
        lambda record: record["measurements"].reverse(),
        lambda record: record["measurements"][0].update(scale="1/0"),
    ],
)
def test_a_structure_that_does_not_fit_its_arrays_is_refused(
    saved: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    """Values that do not belong to their partitions are not fitted."""
    edit(saved / STRUCTURE, change)
    with pytest.raises(OutputError, match="not a complete release"):
        load_release(saved)


def test_an_unknown_fit_is_named(saved: Path) -> None:
    """A release made by a fit this version lacks says which it has."""
    edit(saved / MANIFEST, lambda record: record["settings"].update(fit="wish"))
    with pytest.raises(QuietwayError, match="knows no fit 'wish'; it knows project"):
        load_release(saved).query()


@pytest.mark.parametrize("fails", [STRUCTURE, MANIFEST])
def test_a_disk_that_fills_up_leaves_no_half_manifest(
    city: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    """What says that measurements are complete appears whole or not at all."""
    flush = durable._flush

    def full(file: Any) -> None:
        if fails in file.name:
            raise OSError(errno.ENOSPC, "No space left on device")
        flush(file)

    monkeypatch.setattr(durable, "_flush", full)
    with pytest.raises(OutputError, match="No space left"):
        save(city, tmp_path / "full")
    assert {path.name for path in (tmp_path / "full").iterdir()} == {ARRAYS, STRUCTURE} - {fails}
