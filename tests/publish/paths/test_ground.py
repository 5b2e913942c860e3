"""Rows and columns on the ground."""

from __future__ import annotations

import numpy as np
import pytest

from quietway.publish.paths.ground import edges, located, rectangles
from quietway.universe import Frame

from .cases import NAMES, PLACES, TOWN, ZONES


def test_a_grid_is_cut_evenly() -> None:
    """From its bounds."""
    columns, rows = edges(TOWN)
    assert np.allclose(np.diff(columns), 0.3 / 16) and np.allclose(np.diff(rows), 0.1 / 16)
    assert (columns[0], rows[-1]) == pytest.approx((2.2, 48.9))


def test_edges_run_between_zones() -> None:
    """Each zone lies inside of its own cell, and of no other."""
    columns, rows = edges(ZONES)
    assert (np.diff(columns) > 0).all() and (np.diff(rows) > 0).all()
    assert ZONES.cell is not None
    assert np.array_equal(np.searchsorted(columns, PLACES[:, 0]) - 1, ZONES.cell[:, 1])
    assert np.array_equal(np.searchsorted(rows, PLACES[:, 1]) - 1, ZONES.cell[:, 0])


def test_zones_at_one_point_still_have_room() -> None:
    """A frame of one cell is a small square, not a point."""
    frame = Frame.zones(NAMES[:2], np.array([[2.0, 48.0], [2.0, 48.0]]))
    west, south, east, north = rectangles(frame, np.array([[0, 0]]), np.array([[1, 1]]))[0].tolist()
    assert west < 2.0 < east and south < 48.0 < north and located(frame)


def test_many_zones_share_columns() -> None:
    """More zones than columns: every zone is still inside of its cell."""
    points = np.random.default_rng(1).uniform((2, 48), (3, 49), (3_000, 2))
    frame = Frame.zones(tuple(map(str, range(3_000))), points)
    columns, rows = edges(frame)
    assert frame.cell is not None and frame.columns == 1_000
    assert np.array_equal(np.searchsorted(columns, points[:, 0], side="right") - 1, frame.cell[:, 1])
    assert np.array_equal(np.searchsorted(rows, points[:, 1], side="right") - 1, frame.cell[:, 0])


def test_frames_of_numbers_keep_their_numbers() -> None:
    """Row 3 begins at 3."""
    frame = Frame(rows=4, columns=2)
    assert not located(frame)
    assert rectangles(frame, np.array([[1, 0]]), np.array([[3, 2]])).tolist() == [[0, 1, 2, 3]]
