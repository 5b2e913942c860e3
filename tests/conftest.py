"""A small town that releases of every kind are tried on."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
from hypothesis import settings

# What passes on one machine passes on the next: new examples are looked for by `make explore`.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

PLACES = [f"P{i}" for i in range(6)]
TRIPS = 400
RELEASE = """
    [release]
    name = "Small town"
    dataset = "small-town"
    output = "published"

    [records]
    path = "trips.csv"

    [unit]
    protects = "user"
    user = "rider"
    max_trips = 2

    [privacy]
    epsilon = "1"

    [[axes]]
    name = "origin"
    kind = "places"
    column = "start"
    file = "places.csv"
    id = "id"
    lon = "lon"
    lat = "lat"

    [[axes]]
    name = "destination"
    kind = "places"
    column = "end"
    file = "places.csv"
    id = "id"
    lon = "lon"
    lat = "lat"

    [[axes]]
    name = "period"
    kind = "periods"
    column = "departed_at"
    minutes = 360
    timezone = "Europe/Paris"
    clock = "local"

    [groups.zone]
    file = "places.csv"
    labels = ["id"]
    block = "zone"

    [[features]]
    name = "period"
    by = ["period"]

    [[features]]
    name = "zone pair"
    by = ["origin:zone", "destination:zone", "period"]

    [rehearsal]
    trips = 500
"""


class Town:
    """A folder with trips, places and a release file, and ways to spoil them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "release.toml"
        self.output = folder / "published"
        self.ledger = folder / "ledger.sqlite"
        self.trips = folder / "trips.csv"
        self.file.write_text(dedent(RELEASE))
        rows = [
            f"{name},{0.1 * i},{48 + 0.1 * i},{'north' if i < 3 else 'south'}"
            for i, name in enumerate(PLACES)
        ]
        (folder / "places.csv").write_text("\n".join(["id,lon,lat,zone", *rows]) + "\n")
        self.write_trips(TRIPS)

    def write_trips(self, count: int, *, change: Callable[[list[str]], None] = lambda rows: None) -> None:
        """Trips of riders who make one each, so that bounding keeps them all."""
        rng = np.random.default_rng(7)
        start, end = rng.integers(0, 6, count), rng.integers(0, 3, count)
        hour = rng.integers(0, 24, count)
        rows = [
            f"r{i},{PLACES[start[i]]},{PLACES[end[i]]},2026-03-04 {hour[i]:02d}:15:00" for i in range(count)
        ]
        change(rows)
        self.trips.write_text("\n".join(["rider,start,end,departed_at", *rows]) + "\n")

    def edit(self, before: str, after: str) -> None:
        """Change the release file."""
        text = self.file.read_text()
        assert before in text
        self.file.write_text(text.replace(before, after, 1))

    def limit(self, epsilon: str = "1") -> None:
        """Give the dataset a budget."""
        from quietway.budget import Ledger, parse_epsilon

        Ledger.open(self.ledger).limit("small-town", parse_epsilon(epsilon))

    def spent(self) -> str:
        """What the ledger says was spent."""
        from quietway.budget import Ledger

        return str(Ledger.open(self.ledger).account("small-town").spent)

    def leftovers(self) -> set[str]:
        """What stands in the folder that was not there at first, the ledger aside."""
        own = {"release.toml", "places.csv", "trips.csv"}
        return {path.name for path in self.folder.iterdir() if "ledger" not in path.name} - own


@pytest.fixture
def town(tmp_path: Path) -> Town:
    """A small town with a budget of one."""
    town = Town(tmp_path)
    town.limit()
    return town
