"""A release file of paths with stops: what it may hold."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from quietway.complaint import Tables
from quietway.config import (
    Degrees,
    Positive,
    PositiveNumber,
    RecordsSection,
    RehearsalSection,
    ReleaseSection,
    Section,
    Text,
    UnitSection,
    Whole,
    checked,
    read_toml,
)
from quietway.errors import ConfigError
from quietway.records.day import first_overlap, minute_of
from quietway.records.grid import GridAxis

Rows = Literal["paths", "stops", "sightings"]
LONGEST = 12 * 60


class PathPrivacySection(Section):
    """What may be spent; how it is divided is up to the method."""

    epsilon: Positive
    ledger: Path = Path("ledger.sqlite")


class PathsSection(Section):
    """How rows become paths."""

    rows: Rows = Field(description="what a row is")
    stops: tuple[Text, ...] | None = Field(default=None, min_length=1, description="their names, in order")
    path: Text | None = Field(default=None, description="the column that tells paths apart")
    sequence: Text | None = Field(default=None, description="the column of numbers that order a path's stops")
    time: Text | None = Field(default=None, description="the column of times")
    timezone: Text | None = None
    clock: Literal["local", "utc"] | None = None
    radius: PositiveNumber | None = Field(default=None, description="metres that a stay may spread")
    minutes: Annotated[Whole, Field(ge=1, le=LONGEST)] | None = Field(
        default=None, description="the least stay"
    )
    pick: Literal["first", "last", "most"] | None = None
    fewer: Literal["refuse", "drop"] | None = None
    more: Literal["refuse", "drop", "first", "last", "ends"] | None = None
    twice: Literal["refuse", "drop"] | None = None

    @field_validator("stops")
    @classmethod
    def _apart(cls, stops: tuple[str, ...] | None) -> tuple[str, ...] | None:
        require_distinct(stops or (), "stops")
        return stops

    @property
    def dwelling(self) -> bool:
        """Whether stops are stays."""
        return self.radius is not None or self.minutes is not None

    @model_validator(mode="after")
    def _belonging(self) -> Self:
        for key, kinds in BELONGING.items():
            if getattr(self, key) is not None and self.rows not in kinds:
                known = " or ".join(f"'{kind}'" for kind in kinds)
                raise ValueError(f"{key} goes with rows = {known} only; '{self.rows}' would ignore it")
        if self.rows == "stops":
            _require(self, "path")
            if (self.sequence is None) == (self.time is None):
                raise ValueError(
                    "rows = 'stops' needs either sequence or time, the column that orders a path's stops"
                )
        if self.rows == "sightings":
            _require(self, "time", "timezone", "clock")
            if (self.radius is None) != (self.minutes is None):
                raise ValueError("stays need radius (metres) and minutes, the least they last")
        return self


BELONGING: dict[str, tuple[Rows, ...]] = {
    "path": ("stops",),
    "sequence": ("stops",),
    "twice": ("stops",),
    "time": ("stops", "sightings"),
    "fewer": ("stops", "sightings"),
    "more": ("stops", "sightings"),
    "radius": ("sightings",),
    "minutes": ("sightings",),
    "pick": ("sightings",),
}


class TimeFrameSection(Section):
    """A part of the day, which gives a stop."""

    name: Text
    start: str
    end: str

    @field_validator("start", "end")
    @classmethod
    def _time(cls, text: str) -> str:
        if minute_of(text) is None:
            raise ValueError(f"'{text}' is no time of day; write one up to 24:00, such as 08:30")
        return text

    @model_validator(mode="after")
    def _forward(self) -> Self:
        if self.span[1] <= self.span[0]:
            raise ValueError(
                f"end {self.end} must come after start {self.start}; a frame ends by midnight, 24:00"
            )
        return self

    @property
    def span(self) -> tuple[int, int]:
        """Minutes of the day, the end not in it."""
        start, end = minute_of(self.start), minute_of(self.end)
        assert start is not None and end is not None
        return start, end


class StopPlacesSection(Section):
    """Where a stop can be; of every stop, unless `stop` names one."""

    stop: Text | None = None


class GridPlacesSection(StopPlacesSection):
    """A regular grid of longitude and latitude."""

    kind: Literal["grid"]
    west: Degrees
    south: Degrees
    east: Degrees
    north: Degrees
    rows: Whole
    columns: Whole
    lon: Text | None = None
    lat: Text | None = None
    at: dict[str, tuple[Text, Text]] | None = None

    @model_validator(mode="after")
    def _box(self) -> Self:
        try:
            GridAxis(name="", lon="", lat="", **self.model_dump(include=set(GRID)))
        except ConfigError as error:
            raise ValueError(error.message.removeprefix("axis '': ")) from None
        return self


GRID = ("west", "south", "east", "north", "rows", "columns")


class ZonePlacesSection(StopPlacesSection):
    """Zones of a public list with coordinates; the records hold their ids."""

    kind: Literal["zones"]
    file: Path
    id: Text
    lon: Text | None = None
    lat: Text | None = None
    column: Text | None = None
    at: dict[str, Text] | None = None


class PolygonPlacesSection(StopPlacesSection):
    """Zones drawn as polygons in a public file; the records hold coordinates."""

    kind: Literal["polygons"]
    file: Path
    id: Text
    lon: Text | None = None
    lat: Text | None = None
    at: dict[str, tuple[Text, Text]] | None = None


KINDS = {"grid": GridPlacesSection, "zones": ZonePlacesSection, "polygons": PolygonPlacesSection}
PlaceSection = Annotated[
    GridPlacesSection | ZonePlacesSection | PolygonPlacesSection, Field(discriminator="kind")
]


class PathMethodSection(Section):
    """Which mechanism, with the paper's own choices or not, and which fit."""

    name: Text = "daf"
    published: Annotated[bool, Field(strict=True)] | None = None
    fit: Literal["leaning", "even"] | None = None


class PathFile(Section):
    """The whole file."""

    release: ReleaseSection
    records: RecordsSection
    unit: UnitSection
    privacy: PathPrivacySection
    paths: PathsSection
    places: tuple[PlaceSection, ...] = Field(min_length=1)
    frames: tuple[TimeFrameSection, ...] = ()
    method: PathMethodSection = PathMethodSection()
    rehearsal: RehearsalSection = RehearsalSection()

    @field_validator("frames")
    @classmethod
    def _in_order(cls, frames: tuple[TimeFrameSection, ...]) -> tuple[TimeFrameSection, ...]:
        require_distinct([frame.name for frame in frames], "frames")
        if (i := first_overlap([frame.span for frame in frames])) is not None:
            earlier, later = frames[i], frames[i + 1]
            raise ValueError(
                f"'{later.name}' begins at {later.start}, before '{earlier.name}' ends at {earlier.end}; list frames "
                "in the order of the day, none overlapping another"
            )
        return frames

    @property
    def stops(self) -> tuple[str, ...]:
        """The names of the stops, in order."""
        return self.paths.stops or tuple(frame.name for frame in self.frames)


def require_distinct(names: Iterable[str], what: str) -> None:
    """Refuse a name given twice."""
    names = list(names)
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two {what} are named '{name}'; name each one differently")


def _require(section: PathsSection, *keys: str) -> None:
    for key in keys:
        if getattr(section, key) is None:
            raise ValueError(f"rows = '{section.rows}' needs {key}")


def read_path_file(path: str | Path, record: dict[str, Any] | None = None) -> PathFile:
    """Read and check a release file of paths; every complaint names its key."""
    shown = read_toml(path) if record is None else record
    places = shown.get("places")
    listed = {**shown, "places": [places]} if isinstance(places, dict) else shown
    return checked(path, listed, PathFile, _TABLES, shown=shown)


_TABLES = Tables(
    whole=PathFile,
    sections={
        "release": ReleaseSection,
        "records": RecordsSection,
        "unit": UnitSection,
        "privacy": PathPrivacySection,
        "paths": PathsSection,
        "frames": TimeFrameSection,
        "method": PathMethodSection,
        "rehearsal": RehearsalSection,
    },
    kinds=KINDS,
    listed="places",
    kind="kind of places",
)
