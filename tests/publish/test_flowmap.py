"""The map of flows."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from quietway.publish.flowmap import LEGEND, MOST_FLOWS, flow_map
from quietway.publish.pairs import pairs
from quietway.publish.release import Release

from .conftest import NASTY
from .page import Page


def drawn(release: Release) -> str | None:
    """The map of a release's flows."""
    return flow_map(release, pairs(release, origin="origin", destination="destination"))


def shown(release: Release) -> str:
    """The map of a release that has one."""
    svg = drawn(release)
    assert svg is not None
    return svg


def frame(svg: str) -> tuple[float, float]:
    """The width and height of a map."""
    found = re.search(r'viewBox="0 0 (\d+) (\d+)"', svg)
    assert found is not None
    return float(found[1]), float(found[2])


def test_map_draws_every_flow_between_places(city: Release) -> None:
    """One curve per flow between two places, and two more in the legend."""
    flows = pairs(city, origin="origin", destination="destination")
    between = int((flows.origins != flows.destinations).sum())
    svg = drawn(city)
    assert svg is not None and between <= MOST_FLOWS
    assert len(re.findall(r"<path d=", svg)) == between + 2
    assert NASTY not in svg and Page(svg).text


def test_everything_stays_on_the_map(city: Release) -> None:
    """No place leaves the frame."""
    svg = shown(city)
    width, height = frame(svg)
    marks = re.findall(r"M([\d.-]+) ([\d.-]+)h0", svg)
    assert len(marks) == 6
    assert all(0 < float(x) < width and 0 < float(y) < height for x, y in marks)


def outline(group: str) -> NDArray[np.float64]:
    """Points all along the edges of a group's curves, as (x, y) rows."""
    along = np.linspace(0, 1, 41)[:, None]
    points: list[NDArray[np.float64]] = []
    for path in re.findall(r'd="([^"]+)"', group.split("</g>")[0]):
        a, b, c, d, e = np.array(re.findall(r"-?[\d.]+", path), dtype=float).reshape(5, 2)
        for start, bend, end in ((a, b, c), (c, d, e)):
            points.append(start * (1 - along) ** 2 + bend * 2 * along * (1 - along) + end * along**2)
    return np.concatenate(points)


@pytest.mark.parametrize("turn", range(0, 90, 15))
def test_curves_stay_between_the_frame_and_the_legend(city: Release, turn: int) -> None:
    """Curves bulge beyond their places, yet none leaves the map or reaches the legend, however places lie."""
    turned = np.exp(1j * np.radians(turn)) * np.array([1, 1j, -1, -1j, 0.1, -0.1])
    places = np.column_stack([turned.real, turned.imag]) / 5
    svg = shown(replace(city, places={"origin": places, "destination": places}))
    width, height = frame(svg)
    _, flows, legend = svg.split('<g class="flows">')
    assert (outline(flows) > 5).all() and (outline(flows) < (width - 5, height - LEGEND - 5)).all()
    assert (outline(legend)[:, 1] > height - LEGEND + 5).all() and (outline(legend)[:, 1] < height - 5).all()


def test_north_is_up_and_east_is_right(city: Release) -> None:
    """Places lie as on a map."""
    places = np.array([[10.0, 50.0], [11.0, 50.0], [10.0, 51.0], [10.5, 50.5], [10.5, 50.2], [10.1, 50.1]])
    svg = shown(replace(city, places={"origin": places, "destination": places}))
    spots = {
        label: (float(x), float(y)) for x, y, label in re.findall(r'x="([\d.]+)" y="([\d.]+)">([^<]+)<', svg)
    }
    assert spots["Old Town"][0] > spots["Harbour"][0]
    assert spots["Airport"][1] < spots["Harbour"][1]


def test_no_map_without_places_or_flows(city: Release, empty: Release) -> None:
    """Nothing is drawn when places are unknown, all in one spot, or no trips are published."""
    spot = np.zeros((6, 2))
    assert drawn(replace(city, places={"origin": city.places["origin"]})) is None
    assert drawn(replace(city, places={"origin": spot, "destination": spot})) is None
    assert drawn(empty) is None


def test_unknown_places_are_left_out(city: Release) -> None:
    """A place without coordinates is not drawn, nor are its flows."""
    places = city.places["origin"].copy()
    places[3] = np.nan
    svg = drawn(replace(city, places={"origin": places, "destination": places}))
    assert svg is not None and "nan" not in svg and "University" not in svg
