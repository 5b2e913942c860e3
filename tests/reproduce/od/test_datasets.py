"""Real paths in place of the paper's: that they load, and are what their sources say."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from quietway.errors import InputError
from quietway.reproduce.od.datasets import REAL, load
from quietway.reproduce.od.windows import first_windows, windows

PROJECT = Path(__file__).resolve().parents[3]
FOLDER = Path(os.environ.get("QUIETWAY_DATA", PROJECT.parent / "shared" / "data"))
EXPECTED = {
    "gowalla-2d": (138_957, 2),
    "beijing-starts": (4_268_780, 2),
    "beijing-ends": (4_268_780, 2),
    "sf-starts": (464_040, 2),
    "sf-ends": (464_041, 2),
    "tours-2d": (5_778, 2),
    "tours-3d": (1_738, 3),
    "gowalla-4d": (84_713, 4),
    "taxis-4d": (118_351, 4),
    "melbourne-4d": (2_140, 4),
    "toronto-4d": (1_550, 4),
    "gowalla-6d": (60_150, 6),
    "melbourne-6d": (1_122, 6),
    "toronto-6d": (573, 6),
}


@pytest.mark.parametrize("name", REAL)
def test_real_paths_have_their_number_and_dimensions(name: str) -> None:
    """And every stop is one of its frame's places."""
    try:
        dataset = load(FOLDER, name)
    except InputError as missing:
        pytest.skip(str(missing))
    assert (dataset.size, dataset.dimensions) == EXPECTED[name] and dataset.note
    for i, frame in enumerate(dataset.paths.space.frames):
        if frame.weight is not None:
            row, column = dataset.paths.points[:, 2 * i : 2 * i + 2].T
            assert (frame.weight[row, column] > 0).all()


def test_a_tour_goes_where_its_photographer_went() -> None:
    """The first tour with three stops in the file, by the clock and not by the order of its rows."""
    try:
        dataset = load(FOLDER, "melbourne-6d")
    except InputError as missing:
        pytest.skip(str(missing))
    rows = np.genfromtxt(
        FOLDER / "flickr_tours" / "traj-Melb.csv", delimiter=",", skip_header=1, usecols=(1, 2, 3)
    )
    tour = next(t for t in np.unique(rows[:, 0]) if np.sum(rows[:, 0] == t) == 3)
    visited = rows[rows[:, 0] == tour]
    frame = dataset.paths.space.frames[0]
    assert frame.cell is not None
    path = [frame.cell[frame.index(str(int(place)))] for place in visited[np.argsort(visited[:, 2]), 1]]
    assert (dataset.paths.points == np.concatenate(path)).all(axis=1).any()


def test_missing_data_is_told_with_what_to_do(tmp_path: Path) -> None:
    """No folder, and a folder without the files."""
    with pytest.raises(InputError, match="--data FOLDER"):
        load(None, "gowalla-2d")
    with pytest.raises(InputError, match="dpbench"):
        load(tmp_path, "sf-starts")


def test_windows_follow_the_clock_within_each_group() -> None:
    """Every run of two, none across groups, however the rows lie."""
    group, time = np.array([1, 2, 1, 2, 1]), np.array([30, 5, 10, 1, 20])
    assert windows(group, time, 2).tolist() == [[2, 4], [4, 0], [3, 1]]
    assert first_windows(group, time, 2).tolist() == [[2, 4], [3, 1]]
    assert windows(group, time, 3).tolist() == [[2, 4, 0]]
    assert windows(group, time, 9).shape == (0, 9)
