"""A small folder of paths with a release file, and a mechanism that stands in for the real ones."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from quietway.budget import Cost
from quietway.counts import Paths
from quietway.measurement import NoisyBoxes
from quietway.mechanisms.od.registry import PATH_METHODS, PathRequest
from quietway.noise import NoiseSource
from quietway.paths.spec import PathSpec, load_path_spec

RELEASE = """
    [release]
    name = "Tours"
    dataset = "tours"
    output = "published"

    [records]
    path = "tours.csv"

    [unit]
    protects = "trip"

    [privacy]
    epsilon = "1/2"

    [paths]
    rows = "paths"
    stops = ["start", "end"]

    [places]
    kind = "grid"
    west = 0
    south = 0
    east = 10
    north = 4
    rows = 4
    columns = 5
    at = { start = ["lon0", "lat0"], end = ["lon1", "lat1"] }

    [method]
    name = "one-root"
"""


@dataclass(frozen=True, kw_only=True)
class OneRoot:
    """The number of paths."""

    request: PathRequest

    @property
    def cost(self) -> Cost:
        """All of it."""
        return Cost(epsilon=self.request.epsilon, unit=self.request.unit)

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """One draw."""
        return (("total", self.request.epsilon),)

    def measure(self, paths: Paths, *, rng: NoiseSource) -> tuple[NoisyBoxes, ...]:
        """Not asked for here."""
        raise AssertionError


class Tours:
    """A folder with a release file of paths, and ways to change it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "release.toml"
        self.file.write_text(dedent(RELEASE))

    def edit(self, before: str, after: str) -> None:
        """Change the release file."""
        text = self.file.read_text()
        assert before in text
        self.file.write_text(text.replace(before, after, 1))

    def write(self, text: str) -> None:
        """The records, as CSV."""
        (self.folder / "tours.csv").write_text(dedent(text).lstrip())

    def spec(self) -> PathSpec:
        """The release file, resolved."""
        return load_path_spec(self.file)

    def points(self, seed: int | None = None) -> list[list[int]]:
        """The paths counted."""
        from quietway.paths.count import count_paths

        points = count_paths(self.spec(), seed=seed).points
        assert points.dtype == np.int32
        return points.tolist()


@pytest.fixture(autouse=True)
def _one_root(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setitem(PATH_METHODS, "one-root", lambda request: OneRoot(request=request))


@pytest.fixture
def tours(tmp_path: Path) -> Tours:
    """Two stops a row, on a small grid."""
    return Tours(tmp_path)
