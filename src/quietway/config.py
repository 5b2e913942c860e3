"""release.toml: the only reader of configuration."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from quietway.budget import parse_epsilon
from quietway.budget.ratio import parse_positive
from quietway.complaint import Tables, complaint
from quietway.errors import ConfigError
from quietway.universe import Neighbours, PrivacyUnit, Protects

File = TypeVar("File", bound=BaseModel)
Text = Annotated[str, Field(min_length=1)]
Whole = Annotated[int, Field(strict=True)]
Degrees = Annotated[float, Field(strict=True, allow_inf_nan=False)]
PositiveNumber = Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0)]


def _positive(value: Any) -> Any:
    """Refuse what is no positive number, before anything reads `true` as one."""
    try:
        parse_epsilon(value)
    except ConfigError as error:
        raise ValueError(error.message) from None
    return value


def _share(value: Any) -> Any:
    """The same of a share."""
    try:
        parse_positive(value, "the share")
    except ConfigError as error:
        raise ValueError(error.message) from None
    return value


def _named(path: object) -> object:
    if path == "":
        raise ValueError("the text is empty; name a folder")
    return path


Positive = Annotated[str | int | float, BeforeValidator(_positive)]
Share = Annotated[str | int | float, BeforeValidator(_share)]


class Section(BaseModel):
    """A table of the file; unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ReleaseSection(Section):
    """What is published, and where."""

    name: Text
    dataset: Text = Field(description="the ledger's name for these people's data")
    output: Annotated[Path, BeforeValidator(_named)]


class RecordsSection(Section):
    """Where the trips are."""

    path: Text = Field(description="a file, a glob, or a folder of Parquet, CSV or JSON lines")
    format: Literal["auto", "parquet", "csv", "jsonl"] = "auto"
    outside: Literal["refuse", "drop"] = "refuse"


class UnitSection(Section):
    """Whose presence is hidden."""

    protects: Literal["trip", "user", "user-day"]
    user: str | None = Field(default=None, description="the column of user ids")
    time: str | None = Field(default=None, description="the column whose local date makes a user-day")
    max_trips: Whole | None = None
    neighbours: Literal["add-remove", "replace-one"] = "add-remove"

    @property
    def unit(self) -> PrivacyUnit:
        """The contributor whose presence is hidden."""
        return PrivacyUnit(
            protects=Protects(self.protects),
            max_trips=self.max_trips,
            neighbours=Neighbours(self.neighbours),
        )

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.protects != "trip" and self.user is None:
            raise ValueError(f"protects = '{self.protects}' needs user = \"...\", the column of user ids")
        if self.protects == "user-day" and self.time is None:
            raise ValueError("protects = 'user-day' needs time = \"...\", the column of departure times")
        try:
            _ = self.unit
        except ConfigError as error:
            raise ValueError(error.message) from None
        return self


class PrivacySection(Section):
    """What may be spent."""

    epsilon: Positive
    budget: Literal["uniform", "geometric", "cube-root", "custom"] | None = None
    shares: tuple[Share, ...] | None = None
    ledger: Path = Path("ledger.sqlite")

    @model_validator(mode="after")
    def _shares(self) -> Self:
        if (self.budget == "custom") != (self.shares is not None):
            raise ValueError("give shares = [...] together with budget = 'custom', and only then")
        return self


class PlacesSection(Section):
    """Places listed by id in a public file."""

    kind: Literal["places"]
    name: Text
    column: Text
    file: Path
    id: Text
    lon: str | None = None
    lat: str | None = None


class PolygonsSection(Section):
    """Zones drawn as polygons in a public file; trips have coordinates."""

    kind: Literal["polygons"]
    name: Text
    file: Path
    id: Text
    lon: Text
    lat: Text


class GridSection(Section):
    """A regular grid of longitude and latitude; trips have coordinates."""

    kind: Literal["grid"]
    name: Text
    west: Degrees
    south: Degrees
    east: Degrees
    north: Degrees
    rows: Whole
    columns: Whole
    lon: Text
    lat: Text


class PeriodsSection(Section):
    """Periods of the local day."""

    kind: Literal["periods"]
    name: Text
    column: Text
    minutes: Whole
    timezone: Text
    clock: Literal["local", "utc"]
    start: str = "00:00"
    end: str = "24:00"


class CategoriesSection(Section):
    """A public list of values."""

    kind: Literal["categories"]
    name: Text
    column: Text
    values: tuple[Text, ...]


AxisSection = Annotated[
    PlacesSection | PolygonsSection | GridSection | PeriodsSection | CategoriesSection,
    Field(discriminator="kind"),
]


class GroupSection(Section):
    """A public grouping of labels, listed in a CSV file."""

    file: Path
    labels: tuple[Text, ...] = Field(min_length=1, description="the columns that hold the axes' labels")
    block: Text = Field(description="the column that holds the group")


class FeatureSection(Section):
    """A margin: one block for each combination of axes or groups of axes."""

    name: Text
    by: tuple[Text, ...] = Field(min_length=1)

    @field_validator("by")
    @classmethod
    def _once(cls, by: tuple[str, ...]) -> tuple[str, ...]:
        for entry in by:
            if by.count(entry) > 1:
                raise ValueError(f"'{entry}' is named twice; name it once")
        return by


BELONGING = {
    "prior": "cbdp",
    "margins": "cbdp",
    "weights": "cbdp",
    "custom_weights": "cbdp",
    "levels": "hierarchy",
    "threshold": "threshold",
}


class MethodSection(Section):
    """Which mechanism, which fit."""

    name: Literal["cbdp", "hierarchy", "laplace", "identity", "uniform", "threshold"] = "cbdp"
    prior: Text | None = Field(
        default=None,
        description='"none", "uniform", "gravity", a public table\'s file, or an earlier release\'s folder',
    )
    fit: Literal["tempered", "cbdp", "free", "project", "prune", "clip", "spread", "keep"] | None = None
    margins: tuple[Text, ...] | None = Field(default=None, min_length=1)
    weights: Literal["published", "inverse-variance", "uniform", "two-phase", "custom"] | None = None
    custom_weights: tuple[PositiveNumber, ...] | None = Field(default=None, min_length=1)
    levels: tuple[str, ...] | None = None
    threshold: Whole | None = Field(default=None, ge=1)

    @field_validator("margins")
    @classmethod
    def _apart(cls, margins: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for name in margins or ():
            if margins is not None and margins.count(name) > 1:
                raise ValueError(f"'{name}' is named twice; name it once")
        return margins

    @model_validator(mode="after")
    def _belonging(self) -> Self:
        for key, method in BELONGING.items():
            if getattr(self, key) is not None and self.name != method:
                raise ValueError(f"{key} goes with name = '{method}' only; '{self.name}' would ignore it")
        if (self.weights == "custom") != (self.custom_weights is not None):
            raise ValueError("give custom_weights = [...] together with weights = 'custom', and only then")
        return self


class RehearsalSection(Section):
    """A public guess of the data's shape, for rehearsals."""

    trips: Whole = Field(default=100_000, ge=1)
    seed: Whole = 1


class ReleaseFile(Section):
    """The whole file."""

    release: ReleaseSection
    records: RecordsSection
    unit: UnitSection
    privacy: PrivacySection
    axes: tuple[AxisSection, ...] = Field(min_length=1)
    groups: dict[str, GroupSection] = Field(default_factory=dict)
    features: tuple[FeatureSection, ...] = ()
    method: MethodSection = MethodSection()
    rehearsal: RehearsalSection = RehearsalSection()

    @field_validator("axes")
    @classmethod
    def _apart(cls, axes: tuple[AxisSection, ...]) -> tuple[AxisSection, ...]:
        names = [axis.name for axis in axes]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two axes are named '{name}'; name each one differently")
            if set(name) & set(":,"):
                raise ValueError(
                    f"the axis name '{name}' holds ':' or ',', which mean something in `by`; rename it"
                )
        return axes

    @field_validator("features")
    @classmethod
    def _distinct(cls, features: tuple[FeatureSection, ...]) -> tuple[FeatureSection, ...]:
        names = [feature.name for feature in features]
        for reserved in ("total", "cells"):
            if reserved in names:
                raise ValueError(f"'{reserved}' is always there; give the feature another name")
        if len(set(names)) < len(names):
            raise ValueError("two features have the same name; name each one differently")
        return features


def read_release_file(path: str | Path) -> ReleaseFile:
    """Read and check a release file; every complaint names its key."""
    return checked(path, read_toml(path), ReleaseFile, _TABLES)


def read_toml(path: str | Path) -> dict[str, Any]:
    """The tables of a file, unchecked."""
    path = Path(path)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise ConfigError(f"there is no file {path}; `quietway init TRIPS` writes one to edit") from None
    except IsADirectoryError:
        raise ConfigError(f"{path} is a folder; name the release file in it") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is no text in UTF-8; name a release file (TOML), not the trips") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not TOML: {error}") from error


def checked(
    path: str | Path,
    record: dict[str, Any],
    model: type[File],
    tables: Tables,
    *,
    shown: dict[str, Any] | None = None,
) -> File:
    """The tables of a file as what they describe; `shown` is the file as it was written, if it reads otherwise."""
    try:
        return model.model_validate(record)
    except ValidationError as error:
        problems = [problem for problem in error.errors() if not _follows(problem)]
        complaints = "\n".join(f"  {complaint(problem, shown or record, tables)}" for problem in problems)
        raise ConfigError(f"{path} needs changes:\n{complaints}") from None


def _follows(problem: Any) -> bool:
    """Whether it comes of another problem: a list whose entries were refused is not empty."""
    return problem["type"] == "too_short" and bool(problem["input"])


_TABLES = Tables(
    whole=ReleaseFile,
    sections={
        "release": ReleaseSection,
        "records": RecordsSection,
        "unit": UnitSection,
        "privacy": PrivacySection,
        "groups": GroupSection,
        "features": FeatureSection,
        "method": MethodSection,
        "rehearsal": RehearsalSection,
    },
    kinds={
        "places": PlacesSection,
        "polygons": PolygonsSection,
        "grid": GridSection,
        "periods": PeriodsSection,
        "categories": CategoriesSection,
    },
)
