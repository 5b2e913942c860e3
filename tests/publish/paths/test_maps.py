"""Maps of stops and lines between them."""

from __future__ import annotations

import re

import numpy as np
import pytest

from quietway.publish.paths.blocks import blocks
from quietway.publish.paths.canvas import Canvas, round_below
from quietway.publish.paths.lines import line_map, line_table
from quietway.publish.paths.maps import stop_map
from quietway.universe import Frame

from .cases import NASTY, TOWN, ZONES, bare, halved, release, space, town, zoned


def test_a_map_is_true_to_shape_and_north_is_up() -> None:
    """A square kilometre is square."""
    canvas = Canvas.over([TOWN], width=640, tallest=500)
    north_west, south_east = canvas.place(np.array([[2.2, 48.9], [2.5, 48.8]]))
    assert (north_west < south_east).all()
    wide, tall = south_east - north_west
    assert wide / tall == pytest.approx(3 * np.cos(np.radians(48.85)), rel=1e-6)


def test_a_view_holds_all_of_its_frames() -> None:
    """Stops in two towns are on one map."""
    far = Frame(rows=4, columns=4, bounds=(3.0, 47.0, 3.2, 47.1))
    canvas = Canvas.over([TOWN, far], width=300, tallest=300)
    corners = canvas.place(np.array([[2.2, 48.9], [3.2, 47.0], [3.0, 47.1]]))
    assert (corners >= 0).all() and (corners[:, 0] <= 300).all() and (corners[:, 1] <= canvas.height).all()


@pytest.mark.parametrize(("value", "below"), [(1.0, 1.0), (4.9, 2.0), (7.0, 5.0), (0.03, 0.02), (1e4, 1e4)])
def test_scales_are_round(value: float, below: float) -> None:
    """1, 2 or 5, and no longer than the room there is."""
    assert round_below(value) == pytest.approx(below)


def test_ground_is_darkest_where_most_paths_are() -> None:
    """One busy block has the last shade, the legend tells its density, and quiet ones none."""
    within = space(TOWN)
    points = np.array([[3, 4]] * 100)
    drawn = stop_map(release([halved(within, points, depth=8)]), 0)
    [shape] = re.findall(r'<path class="heat h10" d="([^"]*)"/>', drawn)
    assert shape.count("M") == 1 and "heat h9" not in drawn.split("</svg>")[0]
    cell = (0.3 / 16 * 111.2 * np.cos(np.radians(48.8 + 3.5 * 0.1 / 16))) * (0.1 / 16 * 111.2)
    assert float(re.findall(r"([\d.]+) paths/km²", drawn)[0]) == pytest.approx(100 / cell, rel=0.01)


def test_the_largest_disc_is_that_of_the_busiest_zone() -> None:
    """Areas in proportion to paths; its name shows, however nasty."""
    within = space(ZONES)
    assert ZONES.cell is not None
    points = np.repeat(ZONES.cell, [25, 0, 0, 0, 0, 100], axis=0)
    drawn = stop_map(release([halved(within, points, depth=8)]), 0)
    sizes = [float(size) for size in re.findall(r'<circle[^>]* r="([\d.]+)"', drawn)]
    assert sizes == [9.0, 4.5, 0.8, 0.8, 0.8, 0.8]
    assert NASTY not in drawn and "&lt;script" in drawn


def test_outlines_are_drawn_once() -> None:
    """Boxes that differ at another stop are one rectangle here."""
    published = town(depth=6)
    outlines = re.findall(r'<path class="boxes" d="([^"]*)"', stop_map(published, 0))[0]
    held = published.boxes.count > 0
    distinct = np.unique(np.hstack([published.boxes.low[held, :2], published.boxes.high[held, :2]]), axis=0)
    assert outlines.count("M") == len(distinct)


def test_lines_lead_from_stop_to_stop() -> None:
    """As many as there are telling boxes, up to forty, the largest on top; none without ground."""
    drawn = line_map(town())
    assert drawn is not None and drawn.count('class="from"') == 40
    widths = [float(width) for width in re.findall(r'stroke-width="([\d.]+)"', drawn)]
    assert widths == sorted(widths) and widths[-1] == 7.0
    assert line_map(bare()) is None


def test_the_table_says_where_in_the_words_of_the_frame() -> None:
    """Zones by name, ground in degrees, numbers as rows and columns."""
    assert "Harbour" in line_table(zoned())
    assert re.search(r"2\.2\d+, 48\.8\d+ to 2\.\d+, 48\.\d+", line_table(town()))
    assert "rows 0 to" in line_table(bare())


def test_blocks_share_out_all_paths() -> None:
    """Of one stop, of two, of none; each with an interval around it."""
    published = town()
    for stops, side, many in (([0], 5, 25), ([0, 1], 3, 81), ([], 1, 1), ([1], 99, 256)):
        found = blocks(published, stops, side)
        assert len(found.estimate) == many
        assert found.estimate.sum() == pytest.approx(published.query().estimate)
        assert (found.least <= found.estimate).all() and (found.estimate <= found.most).all()
