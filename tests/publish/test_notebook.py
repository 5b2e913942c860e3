"""A release as a notebook shows it."""

from __future__ import annotations

from dataclasses import replace

from quietway.publish.accuracy import errors
from quietway.publish.notebook import release_html
from quietway.publish.release import Release
from quietway.publish.wording import measured
from quietway.universe import Partition

from .conftest import NASTY, manifest
from .page import Page


def test_fragment_shows_margins_and_a_chart(city: Release) -> None:
    """The fragment names the release and its margins, draws one chart, and loads nothing."""
    html = release_html(city)
    page = Page(html)
    assert "City trips" in page.text and "from each zone" in page.text
    assert html.count('class="chart"') == 1
    assert page.loads == [] and "://" not in html and NASTY not in html


def test_answers_that_know_nothing_stand_beside(city: Release) -> None:
    """Every margin shows what answering zero, or the average, would get."""
    head, row = (Page(release_html(city)).text.partition(part)[2] for part in ("Expected error", "by period"))
    assert head.strip().startswith("Answering zero") and "Answering the average" in head
    partition = dict(city.features)["by period"]
    found = errors(city.margin(partition), city.margin(Partition.total(city.universe)))
    assert found is not None and found.average is not None
    assert measured(found.average) in row


def test_a_margin_shows_as_one_line(city: Release) -> None:
    """What a notebook shows of a margin is about it, and not its whole universe."""
    margin = city.margin(Partition.margin(city.universe, ["period"]))
    assert repr(margin) == (
        f"Margin({margin.partition.blocks} blocks by period; estimates add up to {margin.estimate.sum():,.0f})"
    )


def test_notebooks_find_it(city: Release) -> None:
    """A notebook shows the fragment when a cell ends with a release."""
    assert city._repr_html_() == release_html(city)


def test_a_rehearsal_is_marked(city: Release) -> None:
    """What is not private says so in notebooks too."""
    assert "NOT PRIVATE" in release_html(replace(city, manifest=manifest(private=False)))


def test_styles_stay_inside_the_fragment(city: Release) -> None:
    """Every rule of the fragment begins with its own class."""
    style = release_html(city).split("<style>")[1].split("</style>")[0]
    selectors = [part.split("}")[-1].strip() for part in style.split("{")[:-1]]
    assert all(s.startswith((".quietway", "@media")) for selector in selectors for s in selector.split(", "))


def test_an_empty_release_shows(empty: Release) -> None:
    """Without any published cell, and without margins, the fragment still stands."""
    assert "0 trips in 0 cells" in Page(release_html(empty)).text
    assert Page(release_html(replace(empty, features=()))).text
