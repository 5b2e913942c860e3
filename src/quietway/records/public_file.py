"""Public GeoJSON files that list places, and what all lists of places are checked for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quietway.errors import DataError
from quietway.nearest import nearest

GEOJSON = (".geojson", ".json")


def read_points(path: Path, identifier: str) -> list[tuple[str, str, str]]:
    """The id, longitude and latitude of each feature of a public GeoJSON file of points."""
    try:
        features = json.loads(path.read_text(encoding="utf-8-sig"))["features"]
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from error
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError):
        raise DataError(f"{path} is not a GeoJSON FeatureCollection in UTF-8") from None
    if not isinstance(features, list):
        raise DataError(f"{path} is not a GeoJSON FeatureCollection: its 'features' must be a list")
    return [
        (_id(path, number, feature, identifier), *_point(path, number, feature))
        for number, feature in enumerate(features, start=1)
    ]


def _id(path: Path, number: int, feature: Any, identifier: str) -> str:
    properties = _member(feature, "properties")
    if not isinstance(properties, dict) or identifier not in properties:
        known = nearest(identifier, properties or ())
        raise DataError(f"{path}: feature {number} has no property '{identifier}'{known}")
    if properties[identifier] in (None, ""):
        raise DataError(f"{path}: feature {number} has an empty '{identifier}'; fill it in")
    return label_of(properties[identifier])


def _point(path: Path, number: int, feature: Any) -> tuple[str, str]:
    geometry = _member(feature, "geometry")
    at = _member(geometry, "coordinates")
    if _member(geometry, "type") != "Point" or not isinstance(at, list) or len(at) < 2:
        raise DataError(
            f"{path}: feature {number} is not a point; places are points, and polygons have a kind of their own"
        )
    return str(at[0]), str(at[1])


def _member(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


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
