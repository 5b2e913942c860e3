"""Sensitive: records of every shape, made into one row per path."""

from quietway.records.paths.paths import PathReading, PathTable, open_paths
from quietway.records.paths.wide import WidePaths

__all__ = ["PathReading", "PathTable", "WidePaths", "open_paths"]
