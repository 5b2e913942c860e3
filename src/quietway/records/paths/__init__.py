"""Sensitive: records of every shape, made into one row per path."""

from quietway.records.paths.choice import StopRules
from quietway.records.paths.paths import PathReading, PathTable, open_paths
from quietway.records.paths.sightings import FramePaths
from quietway.records.paths.stays import StayPaths
from quietway.records.paths.stops import StopRows
from quietway.records.paths.wide import WidePaths

__all__ = [
    "FramePaths",
    "PathReading",
    "PathTable",
    "StayPaths",
    "StopRows",
    "StopRules",
    "WidePaths",
    "open_paths",
]
