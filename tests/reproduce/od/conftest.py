"""A small run of every figure, on invented points and on a folder of invented places in the form of the real ones."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from quietway.reproduce.od.case import Results
from quietway.reproduce.od.runs import run
from quietway.reproduce.od.settings import Settings


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Cabs around a corner, and tours between nine points of interest."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "dpbench").mkdir()
    rng = np.random.default_rng(0)
    near = np.minimum(rng.geometric(0.2, (2_000, 2)) - 1, 31)
    hist = np.zeros((32, 32))
    np.add.at(hist, tuple(near.T), 1)
    np.savez(folder / "dpbench" / "SF-CABS-S.npz", hist=hist)
    (folder / "flickr_tours").mkdir()
    places = [f"{i},park,{-37.8 + 0.01 * (i // 3)},{144.9 + 0.01 * (i % 3)}" for i in range(9)]
    (folder / "flickr_tours" / "poi-Melb.csv").write_text(
        "\n".join(["poiID,poiCat,poiLat,poiLon", *places, ""])
    )
    visits = [f"u,{tour},{rng.integers(9)},{100 * step},0,1,3,0" for tour in range(300) for step in (2, 0, 1)]
    head = "userID,trajID,poiID,startTime,endTime,#photo,trajLen,poiDuration"
    (folder / "flickr_tours" / "traj-Melb.csv").write_text("\n".join([head, *visits, ""]))
    return folder


@pytest.fixture(scope="session")
def settings(folder: Path) -> Settings:
    """Two runs of a few cases of every figure; two data sets are missing from the folder."""
    return Settings(
        runs=2,
        epsilons=(Fraction(1, 10), Fraction(1)),
        points=2_000,
        queries=40,
        dimensions=(2, 4),
        shares=(0.1, 0.5),
        exponents=(1.5, 2.0),
        coverages=(0.1, 0.3),
        cities=("sf-starts", "gowalla-2d"),
        stops=("melbourne-4d", "melbourne-6d", "taxis-4d"),
        data=folder,
    )


@pytest.fixture(scope="session")
def results(settings: Settings) -> Results:
    """All of it."""
    return run(settings)
