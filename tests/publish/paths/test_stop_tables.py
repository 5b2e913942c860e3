"""A table per stop."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pyarrow import csv

from quietway.publish.paths.stop_tables import stop_files, write_stops
from quietway.universe import Frame

from .cases import NAMES, PLACES, TOWN, bare, halved, invented, release, space, town, zoned


def test_every_zone_has_its_row(tmp_path: Path) -> None:
    """With its place, and the answer that a query of that zone gives."""
    published = zoned()
    write_stops(published, tmp_path / "stops")
    table = csv.read_csv(tmp_path / "stops" / "end.csv").to_pydict()
    assert table["zone"] == list(NAMES) and np.allclose(table["lon"], PLACES[:, 0])
    answer = published.query({"end": ["University"]})
    assert table["estimate"][3] == pytest.approx(answer.estimate)
    assert (table["low"][3], table["high"][3]) == pytest.approx((answer.low, answer.high))


def test_zones_that_share_a_cell_are_asked_about_apart(tmp_path: Path) -> None:
    """Each holds its half."""
    frame = Frame.zones(NAMES, np.vstack([PLACES[:5], PLACES[:1]]))
    within = space(frame, frame)
    published = release([halved(within, invented(within, 900), depth=16)])
    write_stops(published, tmp_path)
    table = csv.read_csv(tmp_path / "start.csv").to_pydict()
    for i, name in enumerate(NAMES):
        assert table["estimate"][i] == pytest.approx(published.query({"start": [name]}).estimate)
    assert table["estimate"][0] == pytest.approx(table["estimate"][5])
    assert sum(table["estimate"]) == pytest.approx(900)


def test_a_grid_is_cut_into_blocks(tmp_path: Path) -> None:
    """Their estimates add up to all paths, and the rows cover the grid."""
    published = town()
    write_stops(published, tmp_path / "stops")
    table = csv.read_csv(tmp_path / "stops" / "start.csv").to_pydict()
    assert len(table["estimate"]) == 16 * 16
    assert sum(table["estimate"]) == pytest.approx(published.query().estimate)
    assert (min(table["west"]), max(table["north"])) == pytest.approx((2.2, 48.9))


def test_without_noise_the_blocks_hold_what_is_there(tmp_path: Path) -> None:
    """Wherever the other stops are."""
    within = space(TOWN, TOWN)
    points = invented(within, 700)
    published = release([halved(within, points, depth=16)])
    write_stops(published, tmp_path)
    table = csv.read_csv(tmp_path / "end.csv").to_pydict()
    true = np.bincount(points[:, 2] * 16 + points[:, 3], minlength=256)
    assert np.allclose(table["estimate"], true)


def test_stops_that_are_nowhere_have_rows_and_columns_alone(tmp_path: Path) -> None:
    """And a stop of one row has a table too."""
    published = bare()
    write_stops(published, tmp_path)
    assert stop_files(published) == ["start.csv", "noon.csv", "end.csv"]
    table = csv.read_csv(tmp_path / "noon.csv")
    assert table.column_names == ["row_from", "row_to", "column_from", "column_to", "estimate", "low", "high"]
    assert table.num_rows == 12
