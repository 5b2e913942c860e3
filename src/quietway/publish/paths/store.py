"""Measurements of paths on disk: what `PathRelease` is made of, checked when it is read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quietway.measurement import NoisyBoxes, NoisyCells, NoisyGrid, NoisyPaths
from quietway.publish.kept import keep
from quietway.publish.manifest import Manifest
from quietway.universe.frame import Frame
from quietway.universe.paths import PathSpace

Arrays = Mapping[str, NDArray[Any]]
BOXES = ("low", "high", "parent", "node", "noisy", "drawn")
ZONES = ("points", "cell")


def save_paths(
    folder: Path, *, manifest: Manifest, space: PathSpace, measurements: Sequence[NoisyPaths]
) -> None:
    """Write everything a release of paths can be made from again, durably, before anything is fitted."""
    frames = list(dict.fromkeys(space.frames))
    arrays: dict[str, NDArray[Any]] = {}
    for i, frame in enumerate(frames):
        for name in ZONES:
            array = getattr(frame, name)
            arrays |= {} if array is None else {f"frame {i} {name}": array}
    for i, measurement in enumerate(measurements):
        arrays |= {f"{name} {i}": array for name, array in _arrays_of(measurement).items()}
    structure = {
        "kind": "paths",
        "frames": [_frame_to_json(frame) for frame in frames],
        "stops": [
            {"name": stop, "frame": frames.index(frame)}
            for stop, frame in zip(space.stops, space.frames, strict=True)
        ],
        "measurements": [_to_json(measurement) for measurement in measurements],
    }
    keep(folder, manifest=manifest, structure=structure, arrays=arrays)


def path_parts(structure: dict[str, Any], arrays: Arrays) -> dict[str, Any]:
    """The parts of a `PathRelease`; raises anything that damaged files may raise."""
    frames = [_frame_from_json(record, arrays, i) for i, record in enumerate(structure["frames"])]
    stops = structure["stops"]
    space = PathSpace(
        stops=tuple(stop["name"] for stop in stops), frames=tuple(frames[stop["frame"]] for stop in stops)
    )
    measurements = tuple(
        READERS[record["query"]](space, record, arrays, i)
        for i, record in enumerate(structure["measurements"])
    )
    return {"space": space, "measurements": measurements}


def _frame_to_json(frame: Frame) -> dict[str, Any]:
    return {
        "rows": frame.rows,
        "columns": frame.columns,
        "bounds": None if frame.bounds is None else list(frame.bounds),
        "labels": list(frame.labels),
    }


def _frame_from_json(record: dict[str, Any], arrays: Arrays, i: int) -> Frame:
    west, south, east, north = record["bounds"] or (0.0, 0.0, 1.0, 1.0)
    frame = Frame(
        rows=record["rows"],
        columns=record["columns"],
        bounds=(west, south, east, north) if record["bounds"] else None,
        labels=tuple(record["labels"]),
        points=arrays.get(f"frame {i} points"),
        cell=arrays.get(f"frame {i} cell"),
    )
    if frame.labels:
        both = (len(frame.labels), 2)
        _require(frame.points is not None and frame.points.shape == both, "the zones' points")
        _require(frame.cell is not None and frame.cell.shape == both, "the zones' cells")
    if frame.cell is not None:
        _require(_inside(frame.cell, frame.cell, frame.shape), "the zones' cells")
    return frame


def _arrays_of(measurement: NoisyPaths) -> dict[str, NDArray[Any]]:
    if isinstance(measurement, NoisyBoxes):
        return {name: getattr(measurement, name) for name in BOXES}
    if isinstance(measurement, NoisyGrid):
        cuts = {f"edges {axis}": edges for axis, edges in enumerate(measurement.edges)}
        return cuts | {"noisy": measurement.noisy}
    return {"cells": measurement.cells, "noisy": measurement.noisy}


def _to_json(measurement: NoisyPaths) -> dict[str, Any]:
    named = {"name": measurement.name}
    if isinstance(measurement, NoisyBoxes):
        scales = [str(scale) for scale in measurement.scales]
        return named | {"query": "boxes", "stops": list(measurement.stops), "scales": scales}
    if isinstance(measurement, NoisyGrid):
        return named | {"query": "grid", "scale": str(measurement.scale)}
    return named | {
        "query": "cells",
        "scale": str(measurement.scale),
        "threshold": measurement.threshold,
    }


def _boxes(space: PathSpace, record: dict[str, Any], arrays: Arrays, i: int) -> NoisyBoxes:
    boxes = NoisyBoxes(
        name=record["name"],
        space=space,
        stops=tuple(record["stops"]),
        scales=tuple(map(Fraction, record["scales"])),
        **{name: arrays[f"{name} {i}"] for name in BOXES},
    )
    nodes = len(boxes.parent)
    sides = [space.shape[axis] for axis in space.axes_of(boxes.stops)]
    _require(boxes.low.shape == boxes.high.shape == (nodes, len(sides)), "the boxes' bounds")
    _require(bool((boxes.low < boxes.high).all()) and _inside(boxes.low, boxes.high - 1, sides), "the bounds")
    _require(
        bool((boxes.parent >= -1).all() and (boxes.parent < np.arange(nodes)).all()), "the boxes' parents"
    )
    _require(boxes.node.shape == boxes.noisy.shape == boxes.drawn.shape, "the draws")
    _require(_inside(boxes.node, boxes.node, [nodes]), "the nodes")
    _require(_inside(boxes.drawn, boxes.drawn, [len(boxes.scales)]), "the scales")
    _require(all(scale > 0 for scale in boxes.scales) and _whole(boxes.noisy), "the noise")
    return boxes


def _grid(space: PathSpace, record: dict[str, Any], arrays: Arrays, i: int) -> NoisyGrid:
    edges = tuple(arrays[f"edges {axis} {i}"] for axis in range(space.axes))
    grid = NoisyGrid(
        name=record["name"],
        space=space,
        edges=edges,
        noisy=arrays[f"noisy {i}"],
        scale=Fraction(record["scale"]),
    )
    for cuts, side in zip(edges, space.shape, strict=True):
        _require(bool(cuts[0] == 0 and cuts[-1] == side and (np.diff(cuts) > 0).all()), "the grid's cuts")
    _require(grid.noisy.size == int(np.prod(grid.shape)) and _whole(grid.noisy), "the grid's blocks")
    _require(grid.scale > 0, "the noise")
    return grid


def _cells(space: PathSpace, record: dict[str, Any], arrays: Arrays, i: int) -> NoisyCells:
    cells = NoisyCells(
        name=record["name"],
        space=space,
        cells=arrays[f"cells {i}"],
        noisy=arrays[f"noisy {i}"],
        threshold=int(record["threshold"]),
        scale=Fraction(record["scale"]),
    )
    _require(cells.cells.shape == (len(cells.noisy), space.axes), "the cells")
    _require(_inside(cells.cells, cells.cells, space.shape) and _whole(cells.noisy), "the cells")
    _require(cells.scale > 0, "the noise")
    return cells


READERS = {"boxes": _boxes, "grid": _grid, "cells": _cells}


def _whole(numbers: NDArray[Any]) -> bool:
    return numbers.dtype == np.int64 and numbers.ndim == 1


def _inside(low: NDArray[Any], high: NDArray[Any], sides: Sequence[int]) -> bool:
    """Whether whole numbers lie from zero to below a side each; what is compiled trusts that they do."""
    whole = low.dtype.kind == high.dtype.kind == "i"
    return whole and bool((low >= 0).all() and (high < (sides if low.ndim > 1 else sides[0])).all())


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"{what} do not fit the space of the paths")
