"""Sensitive: people's trips, read lazily, checked, bounded and located."""

from quietway.records.axes import CategoryAxis, GridAxis, PeriodAxis, PlacesAxis, PolygonAxis, TripAxis
from quietway.records.bound import bound
from quietway.records.clock import Clock
from quietway.records.inspect import ColumnGuess, FileSummary, inspect
from quietway.records.trips import TripTable, open_trips

__all__ = [
    "CategoryAxis",
    "Clock",
    "ColumnGuess",
    "FileSummary",
    "GridAxis",
    "PeriodAxis",
    "PlacesAxis",
    "PolygonAxis",
    "TripAxis",
    "TripTable",
    "bound",
    "inspect",
    "open_trips",
]
