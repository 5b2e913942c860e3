"""The table of the largest flows."""

from __future__ import annotations

import numpy as np

from quietway.publish.flow_table import MOST_FLOWS, flow_table
from quietway.publish.pairs import pairs
from quietway.publish.release import Release

from .conftest import publishing
from .page import Page


def drawn(release: Release) -> str:
    """The table of a release's flows."""
    return flow_table(release, pairs(release, origin="origin", destination="destination"))


def test_rows_hold_what_the_release_answers(city: Release) -> None:
    """The first row is the largest flow with the numbers of its own query."""
    flows = pairs(city, origin="origin", destination="destination")
    zone = city.universe.axis("origin").label
    answer = city.query(
        {"origin": zone(int(flows.origins[0])), "destination": zone(int(flows.destinations[0]))}
    )
    first = Page(drawn(city).split("<tbody>")[1].split("</tr>")[0] + "</tr>").text
    for number in (answer.table, answer.estimate, answer.low, answer.high):
        assert f"{round(number):,}" in first


def test_table_stops_at_the_largest(city: Release) -> None:
    """No more rows than the table's limit."""
    assert Page(drawn(city)).tags.count("tr") == 1 + MOST_FLOWS


def test_flows_outside_their_intervals_are_pointed_out(city: Release) -> None:
    """A flow whose published cells left the interval brings a warning."""
    moved = publishing(city, city.keys[:1], np.array([city.total]))
    assert "100 % of these flows" in Page(drawn(moved)).text
    assert "of these flows" not in Page(drawn(city)).text
