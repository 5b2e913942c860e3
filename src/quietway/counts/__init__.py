"""Sensitive: trips counted by cell."""

from quietway.counts.counts import Counts

__all__ = ["Counts"]
