"""Regions of paths: rectangles, circles, zones, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietway.errors import UniverseError
from quietway.universe import Area, Frame, PathSpace, Region
from quietway.universe.area import prefix_sums

GRID = Frame(rows=10, columns=20, bounds=(2.0, 48.0, 2.4, 48.1))
ZONES = Frame.zones(
    ("north", "east", "south", "west", "centre", "centre too"),
    np.array([[2.1, 48.9], [2.9, 48.5], [2.1, 48.1], [1.5, 48.5], [2.1, 48.5], [2.1, 48.5]]),
)
SPACE = PathSpace(stops=("start", "noon"), frames=(GRID, ZONES))
EVERYWHERE = Region.everywhere(SPACE)


def test_a_region_starts_as_everywhere_and_is_restricted_stop_by_stop() -> None:
    """The order does not matter, and a stop's last restriction stands."""
    region = EVERYWHERE.rectangle("start", (1, 4), (0, 5)).zones("noon", ["north"])
    assert region.low.tolist()[:2] == [1, 0]
    assert region.high.tolist()[:2] == [4, 5]
    assert region.areas[1].chosen.sum() == 1
    assert region.zones("noon", ZONES.labels).areas[1].everything
    assert EVERYWHERE.areas[0].everything


def test_a_box_gives_rows_and_columns_of_every_stop() -> None:
    """In the order of the axes."""
    region = Region.box(SPACE, [1, 2, 0, 0], [3, 4, 2, 1])
    assert region.is_box
    assert region.low.tolist() == [1, 2, 0, 0]
    assert region.high.tolist() == [3, 4, 2, 1]


def test_a_box_of_degrees_holds_the_cells_whose_centre_it_holds() -> None:
    """Cells are a fiftieth of a degree wide and a hundredth high; rows count from the south."""
    area = Area.bounds(GRID, 2.045, 48.02, 2.145, 48.06)
    assert (area.low, area.high) == ((2, 2), (6, 7))
    assert area.places is None
    assert Area.bounds(GRID, 1.0, 40.0, 3.0, 50.0).everything


def test_a_box_of_degrees_holds_the_zones_whose_point_it_holds() -> None:
    """Edges included; places are counted, not cells."""
    area = Area.bounds(ZONES, 2.0, 48.5, 3.0, 48.9)
    assert area.chosen.sum() == 4
    assert Area.bounds(ZONES, 2.1, 48.5, 2.1, 48.5).chosen.sum() == 2


@given(st.floats(2.0, 2.4), st.floats(48.0, 48.1), st.floats(1_000, 20_000))
def test_a_circle_holds_the_centres_that_are_near(longitude: float, latitude: float, metres: float) -> None:
    """As straight lines through a sphere say."""
    across, up = np.meshgrid(2 + (np.arange(20) + 0.5) / 50, 48 + (np.arange(10) + 0.5) / 100)
    chord = np.linalg.norm(on_sphere(across, up) - on_sphere(longitude, latitude), axis=-1)
    near = 2 * 6_371_008.8 * np.arcsin(chord / 2)
    expected = near <= metres
    if np.abs(near - metres).min() < 1e-3 or not expected.any():
        return
    np.testing.assert_array_equal(Area.circle(GRID, longitude, latitude, metres).chosen > 0, expected)


def on_sphere(longitude: object, latitude: object) -> np.ndarray:
    """Unit vectors."""
    x, y = np.radians(longitude), np.radians(latitude)  # pyright: ignore
    return np.stack(np.broadcast_arrays(np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y)), axis=-1)


def test_a_circle_holds_the_zones_whose_point_is_near() -> None:
    """Two of them share a cell and are both there."""
    assert Area.circle(ZONES, 2.1, 48.5, 100).chosen.sum() == 2
    assert Area.circle(ZONES, 2.1, 48.5, 500_000).everything


def test_zones_that_share_a_cell_are_counted_apart() -> None:
    """One of two places of the same cell."""
    area = Area.zones(ZONES, ["centre", "centre"])
    assert area.chosen.max() == area.chosen.sum() == 1
    assert area.places is not None
    assert Area.zones(ZONES, ["centre", "centre too"]).places is None


def test_a_mask_is_trimmed_to_what_it_holds() -> None:
    """Its box is the smallest; a mask that fills its box is a rectangle."""
    mask = np.zeros(GRID.shape, dtype=np.bool_)
    mask[2:4, 5:9] = True
    full = Area.cells(GRID, mask)
    assert (full.low, full.high, full.places) == ((2, 5), (4, 9), None)
    mask[2, 5] = False
    holed = Area.cells(GRID, mask)
    assert (holed.low, holed.high) == ((2, 5), (4, 9))
    assert holed.chosen.sum() == 7


@given(st.integers(0, 10**6), st.data())
def test_prefix_sums_give_what_any_rectangle_holds(seed: int, data: st.DataObject) -> None:
    """From four corners."""
    table = np.random.default_rng(seed).integers(0, 9, (6, 7))
    sums = prefix_sums(table)
    r0, r1 = sorted(data.draw(st.tuples(st.integers(0, 6), st.integers(0, 6))))
    c0, c1 = sorted(data.draw(st.tuples(st.integers(0, 7), st.integers(0, 7))))
    assert sums[r1, c1] - sums[r0, c1] - sums[r1, c0] + sums[r0, c0] == table[r0:r1, c0:c1].sum()


@pytest.mark.parametrize(
    ("ask", "complaint"),
    [
        (lambda: EVERYWHERE.rectangle("start", (4, 4), (0, 5)), "stop 'start': rows 4..4 do not fit"),
        (lambda: EVERYWHERE.rectangle("start", (4, 11), (0, 5)), "frame of 10 rows"),
        (lambda: EVERYWHERE.rectangle("start", (0, 1), (-1, 5)), "columns -1..5"),
        (lambda: EVERYWHERE.rectangle("night", (0, 1), (0, 1)), "no stop 'night'; the stops are start, noon"),
        (lambda: Region.box(SPACE, [0, 0], [1, 1]), "2 lower and 2 upper ends.*4 axes"),
        (lambda: EVERYWHERE.bounds("start", 2.2, 48.0, 2.1, 48.1), "inverted; give west <= east"),
        (lambda: EVERYWHERE.bounds("start", 48.0, 2.1, 48.1, 2.2), "holds no place.*reaches from 2.0, 48.0"),
        (lambda: EVERYWHERE.bounds("start", 2.1, 148.0, 2.2, 148.1), "longitude first"),
        (lambda: EVERYWHERE.bounds("start", float("nan"), 48, 2.2, 48.1), "longitude first"),
        (lambda: EVERYWHERE.circle("start", 5.0, 48.0, metres=100), "holds no place"),
        (lambda: EVERYWHERE.circle("start", 2.1, 48.05, metres=0), "radius above 0"),
        (lambda: EVERYWHERE.circle("start", 2.1, 48.05, metres=float("inf")), "radius above 0"),
        (lambda: EVERYWHERE.zones("start", ["north"]), "has no zones"),
        (lambda: EVERYWHERE.zones("noon", []), "at least one zone"),
        (lambda: EVERYWHERE.zones("noon", "north"), "give a list"),
        (lambda: EVERYWHERE.zones("noon", ["nort"]), "no zone 'nort'; did you mean 'north'"),
        (
            lambda: EVERYWHERE.cells("start", np.ones((3, 3), dtype=np.bool_)),
            "3 x 3 cells, but the frame 10 x 20",
        ),
        (lambda: EVERYWHERE.cells("start", np.zeros((10, 20), dtype=np.bool_)), "the mask holds no place"),
        (lambda: Area.bounds(Frame(rows=2, columns=2), 0, 0, 1, 1), "no coordinates"),
    ],
)
def test_regions_that_make_no_sense_are_refused(ask: Callable[[], object], complaint: str) -> None:
    """With the stop, what was asked, and what would be accepted."""
    with pytest.raises(UniverseError, match=complaint):
        ask()
