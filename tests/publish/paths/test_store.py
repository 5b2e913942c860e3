"""Measurements of paths on disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from quietway.errors import OutputError
from quietway.measurement import NoisyCells, NoisyGrid
from quietway.publish.kept import ARRAYS, STRUCTURE
from quietway.publish.paths.release import PathRelease
from quietway.publish.paths.store import save_paths
from quietway.publish.store import load_release

from .cases import ZONES, bare, release, space, town, zoned

Arrays = dict[str, NDArray[Any]]


def save(published: PathRelease, folder: Path) -> Path:
    """The release in a folder of its own."""
    folder.mkdir(exist_ok=True)
    save_paths(
        folder, manifest=published.manifest, space=published.space, measurements=published.measurements
    )
    return folder


def gridded() -> PathRelease:
    """A grid of two blocks a side, and single cells, over two stops of zones."""
    within = space(ZONES, ZONES)
    edges = tuple(np.array([0, side // 2, side]) for side in within.shape)
    noisy = np.arange(16, dtype=np.int64)
    grid = NoisyGrid(name="grid", space=within, edges=edges, noisy=noisy, scale=Fraction(3))
    cells = NoisyCells(
        name="cells",
        space=within,
        cells=np.array([[0, 1, 2, 3], [4, 4, 4, 4]], dtype=np.int32),
        noisy=np.array([9, 12]),
        threshold=8,
        scale=Fraction(1, 3),
    )
    return release([grid, cells])


@pytest.mark.parametrize("make", [town, zoned, bare, gridded])
def test_what_is_saved_is_what_is_loaded(make: Callable[[], PathRelease], tmp_path: Path) -> None:
    """Space, manifest and every array come back as they were, and nothing is a pickle."""
    published = make()
    again = load_release(save(published, tmp_path / "saved"))
    assert isinstance(again, PathRelease)
    assert again.space == published.space and again.manifest == published.manifest
    for one, other in zip(again.measurements, published.measurements, strict=True):
        assert type(one) is type(other)
        for name, value in vars(other).items():
            held = getattr(one, name)
            if name == "edges":
                assert all(np.array_equal(a, b) for a, b in zip(held, value, strict=True))
            elif isinstance(value, np.ndarray):
                assert held.dtype == value.dtype and np.array_equal(held, value), name
            else:
                assert held == value, name


def test_a_loaded_release_gives_the_same_answers(tmp_path: Path) -> None:
    """The fit is a function of what was saved."""
    published = town()
    again = load_release(save(published, tmp_path))
    assert again.query({"end": "rows:0..3"}) == published.query({"end": "rows:0..3"})  # type: ignore[arg-type]


def test_equal_frames_are_kept_once(tmp_path: Path) -> None:
    """Two stops over the same zones share their points."""
    folder = save(zoned(), tmp_path)
    assert len(json.loads((folder / STRUCTURE).read_text())["frames"]) == 1


def spoil(folder: Path, change: Callable[[dict[str, Any], Arrays], object]) -> None:
    """Change what is on disk."""
    structure = json.loads((folder / STRUCTURE).read_text())
    with np.load(folder / ARRAYS) as found:
        arrays = dict(found)
    change(structure, arrays)
    (folder / STRUCTURE).write_text(json.dumps(structure))
    np.savez(folder / ARRAYS, **arrays)


def _at(name: str, where: Any, value: Any) -> Callable[[dict[str, Any], Arrays], object]:
    def change(structure: dict[str, Any], arrays: Arrays) -> None:
        arrays[name][where] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda structure, arrays: structure.update(kind="other"),
        lambda structure, arrays: structure.pop("stops"),
        lambda structure, arrays: structure["stops"][0].update(frame=7),
        lambda structure, arrays: structure["stops"][0].update(name="end"),
        lambda structure, arrays: structure["frames"][0].update(rows=3),
        lambda structure, arrays: structure["frames"][0].update(rows=99999),
        lambda structure, arrays: structure["frames"][0].update(labels=["a"]),
        lambda structure, arrays: structure["measurements"][0].update(query="guess"),
        lambda structure, arrays: structure["measurements"][0].update(scales=["0"]),
        lambda structure, arrays: structure["measurements"][0].update(scales=["-1/2"]),
        lambda structure, arrays: structure["measurements"][0].update(scales=[]),
        lambda structure, arrays: arrays.pop("noisy 0"),
        lambda structure, arrays: arrays.update({"noisy 0": arrays["noisy 0"].astype(float)}),
        lambda structure, arrays: arrays.update({"noisy 0": arrays["noisy 0"][1:]}),
        lambda structure, arrays: arrays.update({"low 0": arrays["low 0"][:, 1:]}),
        _at("low 0", (0, 0), -1),
        _at("high 0", (0, 0), 99),
        _at("high 0", (1, 0), 0),
        _at("node 0", 1, 10**6),
        _at("node 0", 1, -1),
        _at("drawn 0", 1, 5),
        _at("parent 0", 1, 1),
        _at("parent 0", 1, -2),
        _at("frame 0 cell", (0, 0), 77),
    ],
)
def test_a_damaged_folder_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any], Arrays], object]
) -> None:
    """Numbers that compiled code would take for addresses are looked at first; nothing crashes."""
    folder = save(zoned(), tmp_path)
    spoil(folder, change)
    with pytest.raises(OutputError, match=r"not a complete release .*restore it from a copy"):
        load_release(folder)


@pytest.mark.parametrize(
    "change",
    [
        _at("edges 0 0", 1, 0),
        _at("edges 0 0", 2, 99),
        _at("cells 1", (0, 0), 99),
        lambda structure, arrays: arrays.update({"noisy 0": arrays["noisy 0"][:-1]}),
        lambda structure, arrays: arrays.update({"noisy 1": arrays["noisy 1"][:-1]}),
        lambda structure, arrays: structure["measurements"][1].update(threshold="many"),
        lambda structure, arrays: structure["measurements"][0].update(scale="0"),
    ],
)
def test_damaged_grids_and_cells_are_refused(
    tmp_path: Path, change: Callable[[dict[str, Any], Arrays], object]
) -> None:
    """The other kinds of measurement are looked at as closely."""
    folder = save(gridded(), tmp_path)
    spoil(folder, change)
    with pytest.raises(OutputError, match=r"not a complete release .*restore it from a copy"):
        load_release(folder)


@pytest.mark.parametrize("name", [ARRAYS, STRUCTURE])
def test_files_cut_short_are_refused(tmp_path: Path, name: str) -> None:
    """Half a file is no file."""
    folder = save(town(), tmp_path)
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(OutputError, match="not a complete release"):
        load_release(folder)


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    """Arrays of objects are refused, whoever made them."""
    folder = save(town(), tmp_path)
    spoil(folder, lambda structure, arrays: arrays.update({"noisy 0": np.array([replace], dtype=object)}))
    with pytest.raises(OutputError, match="not a complete release"):
        load_release(folder)
