"""Whose presence a release hides, and how much one of them can change."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from quietway.errors import ConfigError

MOST_TRIPS = 1_000_000


class Protects(StrEnum):
    """What a neighbouring data set differs by."""

    TRIP = "trip"
    USER = "user"
    USER_DAY = "user-day"


class Neighbours(StrEnum):
    """How it differs: one more or less, or one exchanged for another."""

    ADD_REMOVE = "add-remove"
    REPLACE_ONE = "replace-one"


@dataclass(frozen=True, kw_only=True)
class PrivacyUnit:
    """The contributor whose presence is hidden.

    `max_trips` is public and chosen without looking at the data: every user
    (or user-day) keeps at most so many trips, drawn at random, before
    anything else happens. A trip keeps exactly itself. `contributor` says how
    contributors are told apart (which column, whose midnights): losses add up
    only for contributors told apart in one way.
    """

    protects: Protects = Protects.TRIP
    max_trips: int | None = None
    neighbours: Neighbours = Neighbours.ADD_REMOVE
    contributor: str = ""

    def __post_init__(self) -> None:
        if self.protects is Protects.TRIP:
            if self.max_trips not in (None, 1):
                raise ConfigError(
                    "unit 'trip' keeps every trip, so max_trips must be left out (or protect 'user')"
                )
            object.__setattr__(self, "max_trips", 1)
        elif self.max_trips is None:
            raise ConfigError(
                f"unit '{self.protects}' needs max_trips: how many trips each {self.protects} may keep. "
                "Choose it without looking at the data, for instance 4 for a day of travel"
            )
        elif self.max_trips < 1:
            raise ConfigError(f"max_trips is {self.max_trips}; it must be 1 or more")
        elif self.max_trips > MOST_TRIPS:
            raise ConfigError(f"max_trips is {self.max_trips}; more than {MOST_TRIPS:,} protects nobody")

    @property
    def bound(self) -> int:
        """The most trips one contributor can have."""
        assert self.max_trips is not None
        return self.max_trips

    @property
    def sensitivity(self) -> int:
        """How far one contributor can move a histogram, in L1."""
        return self.bound * (2 if self.neighbours is Neighbours.REPLACE_ONE else 1)

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary for manifests and the ledger."""
        return {
            "protects": str(self.protects),
            "max_trips": self.bound,
            "neighbours": str(self.neighbours),
            "contributor": self.contributor,
        }

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> PrivacyUnit:
        """The inverse of `to_json`."""
        return cls(
            protects=Protects(record["protects"]),
            max_trips=record["max_trips"],
            neighbours=Neighbours(record["neighbours"]),
            contributor=record.get("contributor", ""),
        )
