"""A small town whose records are paths."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import numpy as np

from .conftest import PLACES, Town

PATHS = 600
RELEASE = """
    [release]
    name = "Small town, paths"
    dataset = "small-town"
    output = "published"

    [records]
    path = "paths.csv"

    [unit]
    protects = "user"
    user = "rider"
    max_trips = 1

    [privacy]
    epsilon = "1"

    [paths]
    rows = "paths"
    stops = ["start", "end"]

    [places]
    kind = "zones"
    file = "places.csv"
    id = "id"
    lon = "lon"
    lat = "lat"
    at = {start = "start", end = "end"}

    [method]
    name = "daf-entropy"

    [rehearsal]
    trips = 500
"""
GRID = """
    [places]
    kind = "grid"
    west = -0.05
    south = 47.95
    east = 0.55
    north = 48.55
    rows = 6
    columns = 6
    at = {start = ["start_lon", "start_lat"], end = ["end_lon", "end_lat"]}

    """


class PathTown(Town):
    """The same folder with riders' paths, from zone to zone and from point to point."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.trips.unlink()
        self.trips = folder / "paths.csv"
        self.file.write_text(dedent(RELEASE))
        self.write_paths(PATHS)

    def write_paths(self, count: int, *, change: Callable[[list[str]], None] = lambda rows: None) -> None:
        """A path for each rider, so that bounding keeps them all."""
        draw = np.random.default_rng(7)
        start, end = draw.integers(0, 6, count), draw.integers(0, 3, count)
        rows = [
            f"r{i},{PLACES[a]},{PLACES[b]},{0.1 * a},{48 + 0.1 * a},{0.1 * b},{48 + 0.1 * b}"
            for i, (a, b) in enumerate(zip(start.tolist(), end.tolist(), strict=True))
        ]
        change(rows)
        head = "rider,start,end,start_lon,start_lat,end_lon,end_lat"
        self.trips.write_text("\n".join([head, *rows]) + "\n")

    def use_grid(self) -> None:
        """Stops are points on a grid instead of zones."""
        text = self.file.read_text()
        first, last = text.index("[places]"), text.index("[method]")
        self.file.write_text(text[:first] + dedent(GRID).lstrip() + text[last:])

    def leftovers(self) -> set[str]:
        """What stands in the folder that was not there at first, the ledger aside."""
        return super().leftovers() - {"paths.csv"}
