"""A synthetic city that anyone may have, and invented trips for rehearsals. No one's data."""

from quietway.city.city import TIME_ZONE, City, build_city
from quietway.city.days import DAYS, Day, DayName
from quietway.city.example import write_example, write_path_example
from quietway.city.path_rehearsal import synthetic_paths
from quietway.city.path_table import paths
from quietway.city.rehearsal import synthetic_trips
from quietway.city.trip_table import trips

__all__ = [
    "DAYS",
    "TIME_ZONE",
    "City",
    "Day",
    "DayName",
    "build_city",
    "paths",
    "synthetic_paths",
    "synthetic_trips",
    "trips",
    "write_example",
    "write_path_example",
]
