"""The public files that list places, read with errors that name file and column."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quietway.errors import DataError
from quietway.nearest import nearest

GEOJSON = (".geojson", ".json")


def read_rows(path: Path, columns: Sequence[str]) -> list[list[str]]:
    """The named columns of a public CSV file, row by row."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        header = reader.fieldnames or ()
        for column in columns:
            if column not in header:
                raise DataError(f"{path} has no column '{column}'{nearest(column, header)}")
        return [[row[column] or "" for column in columns] for row in reader]


def read_features(path: Path, identifier: str) -> list[tuple[str, Any]]:
    """The id and the geometry of each feature of a public GeoJSON file."""
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
        features = document["features"]
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError):
        raise DataError(f"{path} is not a GeoJSON FeatureCollection") from None
    for feature in features:
        if identifier not in feature["properties"]:
            known = nearest(identifier, feature["properties"])
            raise DataError(f"{path}: a feature has no property '{identifier}'{known}")
    return [(label_of(feature["properties"][identifier]), feature["geometry"]) for feature in features]


def label_of(value: Any) -> str:
    """An id as text: whole numbers lose the decimals that some formats add."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def degrees(path: Path, column: str, texts: Sequence[str], limit: float) -> NDArray[np.float64]:
    """Public coordinates, checked to be degrees."""
    try:
        values = np.array(texts, dtype=np.float64)
    except ValueError:
        raise DataError(
            f"{path}: column '{column}' must hold a decimal number of degrees in every row"
        ) from None
    if not (np.abs(values) <= limit).all():
        raise DataError(
            f"{path}: column '{column}' must hold degrees from -{limit:g} to {limit:g} in every row"
        )
    return values


def require_public_file(axis: str, path: Path) -> None:
    """Refuse a path that is not there before anything else is tried."""
    if not path.is_file():
        raise DataError(
            f"axis '{axis}': there is no file {path}; 'file' must name the public list of its places"
        )
