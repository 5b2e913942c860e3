"""How margins are drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quietway.publish.figures import Room, figure, in_order
from quietway.publish.release import Release
from quietway.universe import Partition, grouped

from .conftest import HOURS
from .page import Page

ROOM = Room(rows=5, multiples=4)


def drawn(release: Release, partition: Partition) -> str:
    """The figure of one margin."""
    return figure("margin", release.margin(partition), ROOM)


def test_an_ordered_axis_is_drawn_as_columns(city: Release) -> None:
    """Periods become one chart in their order, with every number beneath it."""
    html = drawn(city, Partition.margin(city.universe, ["period"]))
    assert html.count('class="chart"') == 1 and 'class="row"' not in html
    assert Page(html).tags.count("tr") == 1 + len(HOURS)


def test_a_categorical_axis_is_drawn_as_its_largest_rows(city: Release) -> None:
    """Zones become rows, largest first, and those left out are counted."""
    partition = Partition.margin(city.universe, ["origin"])
    html = drawn(city, partition)
    largest = city.universe.axis("origin").label(int(city.margin(partition).table.argmax()))
    assert html.count('class="row"') == 5
    assert "Smaller blocks not shown: 1." in Page(html).text
    assert largest in html.split("<tbody>")[1].split("</tr>")[0]


@pytest.mark.parametrize("axes", [("origin", "period"), ("period", "origin")])
def test_a_categorical_axis_over_time_is_drawn_as_small_multiples(
    city: Release, axes: tuple[str, str]
) -> None:
    """The largest zones get a chart over time each, headed by their totals, whichever axis comes first."""
    html = drawn(city, Partition.margin(city.universe, axes))
    sums = np.sort(city.margin(Partition.margin(city.universe, ["origin"])).table)[::-1]
    assert html.count("<figure>") == 4
    heads = [int(part.split("</b>")[0].replace(",", "")) for part in html.split("<b>")[1:]]
    assert heads == sums[:4].tolist()


def test_more_axes_than_a_chart_can_hold_become_rows(city: Release) -> None:
    """Cells are listed by their full label."""
    text = Page(drawn(city, Partition.identity(city.universe))).text
    assert "origin › destination › period" in text and "571" in text


def test_groups_follow_time_only_if_they_keep_its_order(city: Release) -> None:
    """Hours grouped into successive spans are ordered; grouped otherwise, or by zones, they are not."""
    spans, mixed = np.arange(16) // 4, np.arange(16) % 3
    assert in_order(grouped(city.universe, ["period"], spans, name="span"))
    assert not in_order(grouped(city.universe, ["period"], mixed, name="mixed"))
    assert not in_order(grouped(city.universe, ["origin"], np.arange(6), name="zone"))


def test_everything_in_one_block_is_one_row(city: Release) -> None:
    """A margin of all trips has one row, called so."""
    assert "all trips" in Page(drawn(city, Partition.total(city.universe))).text


def test_room_shrinks_as_margins_grow() -> None:
    """Many margins get less room each, and never none."""
    rooms = [Room.shared(n) for n in (0, 1, 5, 100)]
    assert [room.rows for room in rooms] == [40, 40, 20, 8]
    assert [room.multiples for room in rooms] == [12, 12, 7, 3]


def test_the_smallest_intervals_are_drawn_for_estimates_below_zero(city: Release) -> None:
    """An estimate below zero is drawn where its interval starts, so no scale begins below zero."""
    margin = city.margin(Partition.margin(city.universe, ["period"]))
    below = replace(
        margin, estimate=np.full(16, -5.0), low=np.zeros(16), high=np.ones(16), table=np.ones(16, int)
    )
    assert "M58 -" not in figure("margin", below, ROOM) and "−5" in Page(figure("margin", below, ROOM)).text
