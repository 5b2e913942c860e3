"""Files that outlive a crash or a loss of power: arrays, JSON and text, never pickles."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from numpy.typing import NDArray

from quietway.errors import OutputError


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """An .npz file, pressed lightly: until it is on disk, a crash wastes what was paid for it."""
    with path.open("wb") as file:
        with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=1) as archive:
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, array, allow_pickle=False)
        _flush(file)


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


def _flush(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())
