"""Prints what the example city was asked to be, and what it is, as a Markdown table.

python -m quietway.city.describe
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quietway.city.city import City, build_city
from quietway.city.days import DAYS, PEAK, PERIOD_SECONDS, PERIODS, Day
from quietway.city.modes import SHUTTLE_LEGS
from quietway.city.trip_table import trips

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One property: what was wanted (or nothing), what there is, and where the wish comes from."""

    what: str
    wanted: str
    achieved: str
    source: str


@dataclass(frozen=True, kw_only=True, eq=False)
class _Rows:
    """A trip table as numbers."""

    rider: NDArray[np.int64]
    origin: NDArray[np.int64]
    destination: NDArray[np.int64]
    period: NDArray[np.int64]

    @property
    def peak(self) -> NDArray[np.bool_]:
        return (self.period >= PEAK.start) & (self.period < PEAK.stop)


def describe(city: City) -> str:
    """The table, measured on the trips themselves."""
    findings = _about_the_city(city)
    for day in DAYS.values():
        findings += _about_the_day(city, day)
    head = ["| property | wanted | achieved | why wanted |", "|---|---|---|---|"]
    body = [f"| {line.what} | {line.wanted} | {line.achieved} | {line.source} |" for line in findings]
    return "\n".join(head + body) + "\n"


def _about_the_city(city: City) -> list[Finding]:
    pairs = city.stops.size**2
    per_zone = " / ".join(str(count) for count in np.bincount(city.stops.zone))
    apart = np.sort(city.stops.kilometres().ravel())[city.stops.size] * 1000
    return [
        Finding(what="stops", wanted="130", achieved=f"{city.stops.size}", source="paper"),
        Finding(what="ordered pairs of stops", wanted="16,900", achieved=f"{pairs:,}", source="paper"),
        Finding(
            what="stops in Central / Medical / North / South",
            wanted="45 / 20 / 40 / 25",
            achieved=per_zone,
            source="chosen; the paper has 4 zones",
        ),
        Finding(what="hubs", wanted="6", achieved=f"{city.stops.hub.sum()}", source="chosen"),
        Finding(what="bus lines", wanted="3", achieved=f"{len(city.lines)}", source="chosen"),
        Finding(what="modes in use", wanted="12", achieved=f"{np.unique(city.modes).size}", source="paper"),
        Finding(
            what="least distance between stops", wanted="130 m", achieved=f"{apart:.0f} m", source="chosen"
        ),
    ]


def _about_the_day(city: City, day: Day) -> list[Finding]:
    rows = _rows(city, day, trips(city, day.name))
    free = _about_the_cells(city, rows) | _about_the_riders(rows)
    return _exact(city, day, rows) + [
        Finding(what=f"{day.name}: {what}", wanted="", achieved=achieved, source="")
        for what, achieved in free.items()
    ]


def _exact(city: City, day: Day, rows: _Rows) -> list[Finding]:
    """The hard constraints, which are met exactly or not at all."""
    source = "paper" if day.name == "weekday" else "calibrated: not in the paper"
    cells = np.unique(_cells(city, rows)[rows.peak]).size
    numbers = {
        "trips": (day.trips, rows.rider.size),
        "trips, 08:00 to 10:00": (day.peak_trips, int(rows.peak.sum())),
        "cells, 08:00 to 10:00": (day.peak_cells, cells),
    }
    return [
        Finding(what=f"{day.name}: {what}", wanted=f"{wanted:,}", achieved=f"{achieved:,}", source=source)
        for what, (wanted, achieved) in numbers.items()
    ]


def _about_the_cells(city: City, rows: _Rows) -> dict[str, str]:
    """How concentrated the trips are, and how many shuttle rides they need."""
    cells = _cells(city, rows)
    legs = SHUTTLE_LEGS[city.modes[rows.origin, rows.destination]][rows.peak].sum()
    return {
        "pairs in use, 08:00 to 10:00": f"{np.unique(cells[rows.peak] // PERIODS).size:,}",
        "shuttle legs, 08:00 to 10:00": f"{legs:,}",
        "cells in use, whole day": f"{np.unique(cells).size:,}",
    }


def _about_the_riders(rows: _Rows) -> dict[str, str]:
    """How many riders there are, and how their trips are shared out."""
    each = np.unique(rows.rider, return_counts=True)[1]
    shares = np.bincount(each)[1:] * (100.0 / each.size)
    return {
        "riders": f"{each.size:,}",
        "riders with 1 / 2 / 3 / 4 / more trips": " / ".join(
            f"{share:.1f} %" for share in (*shares[:4], shares[4:].sum())
        ),
        "most trips by one rider": f"{each.max()}",
    }


def _rows(city: City, day: Day, table: pa.Table) -> _Rows:
    since = _column(table, "departed_at") - np.datetime64(day.date, "us")
    return _Rows(
        rider=np.unique(_names(table, "user_id"), return_inverse=True)[1],
        origin=_stop_numbers(city, _names(table, "origin")),
        destination=_stop_numbers(city, _names(table, "destination")),
        period=since.astype("timedelta64[s]").astype(np.int64) // PERIOD_SECONDS,
    )


def _column(table: pa.Table, name: str) -> NDArray[Any]:
    return np.asarray(table[name])


def _names(table: pa.Table, name: str) -> NDArray[np.str_]:
    return _column(table, name).astype(np.str_)


def _stop_numbers(city: City, names: NDArray[np.str_]) -> NDArray[np.int64]:
    """Positions of stop names, whose order is alphabetical."""
    return np.searchsorted(np.array(city.stops.ids), names).astype(np.int64)


def _cells(city: City, rows: _Rows) -> NDArray[np.int64]:
    return (rows.origin * city.stops.size + rows.destination) * PERIODS + rows.period


def main() -> None:
    """Print the table."""
    sys.stdout.write(describe(build_city()))


if __name__ == "__main__":
    main()
