"""Sensitive: trips counted by cell, and paths as points."""

from quietway.counts.counts import Counts
from quietway.counts.paths import Paths

__all__ = ["Counts", "Paths"]
