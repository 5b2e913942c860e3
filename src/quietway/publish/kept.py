"""What every published folder keeps, of whatever kind: a manifest, a structure in JSON, and plain arrays."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from quietway.errors import InputError, OutputError
from quietway.publish.durable import flush, write_arrays, write_json
from quietway.publish.manifest import FORMAT, Manifest

STRUCTURE, ARRAYS, MANIFEST = "structure.json", "arrays.npz", "manifest.json"
# Whatever a damaged file may raise while it is read.
UNREADABLE = (
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


def keep(
    folder: Path, *, manifest: Manifest, structure: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write it all durably, the manifest last: a folder that holds one is complete."""
    write_arrays(folder / ARRAYS, arrays)
    write_json(folder / STRUCTURE, structure)
    write_json(folder / MANIFEST, manifest.to_json())
    flush(folder)


def kept(folder: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The structure and the arrays, as they were written; raises anything of `UNREADABLE`."""
    structure = json.loads((folder / STRUCTURE).read_text(encoding="utf-8"))
    with (folder / ARRAYS).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        return structure, dict(arrays)


def load_manifest(folder: Path) -> Manifest:
    """The manifest of a published folder."""
    path = folder / MANIFEST
    if not path.is_file():
        raise OutputError(f"{folder} is not a published release: it holds no {MANIFEST}")
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] <= FORMAT:
            return Manifest.from_json(record)
    except UNREADABLE as error:
        raise OutputError(f"{path} cannot be read as a manifest ({error}); restore it from a copy") from error
    raise OutputError(
        f"{path} was written by a newer Quietway ({record.get('quietway')}); upgrade to read it"
    )
