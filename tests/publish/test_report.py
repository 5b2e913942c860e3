"""The report page."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from quietway.publish.release import Release
from quietway.publish.report import asset, report_html

from .conftest import NASTY, gravity, manifest, publishing, release, universe
from .page import Page


@pytest.fixture(scope="module")
def html(city: Release) -> str:
    """The page of the small city."""
    return report_html(city)


def test_page_asks_nobody_for_anything(html: str) -> None:
    """No script, nothing loaded, no address of another machine, and links to files beside the page alone."""
    page = Page(html)
    assert page.loads == []
    assert not {"script", "link", "img", "iframe", "object", "embed", "base"} & set(page.tags)
    assert "://" not in html and "@import" not in html and "url(" not in html
    assert all(link.startswith("#") or not link.startswith(("/", ".")) for link in page.links)


def test_labels_cannot_become_markup(html: str) -> None:
    """A zone named like a script shows as text, in tables and on the map."""
    assert NASTY not in html
    assert NASTY in Page(html).text


def test_every_name_in_the_manifest_is_escaped(city: Release) -> None:
    """Names in the manifest cannot become markup either."""
    says = manifest(
        name=f'"{NASTY}',
        dataset=NASTY,
        parts=((NASTY, manifest().epsilon),),
        ledger_hash=NASTY,
        quietway=NASTY,
    )
    html = report_html(replace(city, manifest=says, features=((NASTY, city.features[0][1]),)))
    assert NASTY not in html
    assert Page(html).loads == []


def test_page_says_what_matters(html: str, city: Release) -> None:
    """Title, totals, epsilon, ledger entry and each margin's name are on the page."""
    text = Page(html).text
    for words in (
        "City trips",
        f"{city.total:,}",
        "0.5",
        "Ledger entry",
        "from each zone",
        "How good is it?",
    ):
        assert words in text


def test_page_is_private_unless_it_says_otherwise(city: Release, html: str) -> None:
    """The banner stands on rehearsals and seeded releases, before anything else, and on no other."""
    assert "NOT PRIVATE" not in html
    for changes in ({"rehearsal": True}, {"private": False}, {"ledger_entry": None}):
        text = Page(report_html(replace(city, manifest=manifest(**changes)))).text
        assert text.index("NOT PRIVATE") < text.index("Quietway")
        assert "differential privacy per" not in text


def test_an_epsilon_that_hardly_protects_is_cautioned_against(city: Release, html: str) -> None:
    """Above an epsilon of 10 the page says, beside it and in full, that next to nothing is promised."""
    text = Page(report_html(replace(city, manifest=manifest(epsilon=Fraction(12))))).text
    assert "This promises next to nothing." in text and "one above 10 promises next to nothing" in text
    assert "next to nothing" not in html


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**30), Fraction(10**99)])
def test_every_epsilon_that_can_be_paid_has_a_page(city: Release, epsilon: Fraction) -> None:
    """Neither a tiny nor a huge epsilon keeps a release that is paid for from being published."""
    assert Page(report_html(replace(city, manifest=manifest(epsilon=epsilon)))).text


def test_same_release_same_page(city: Release, html: str) -> None:
    """The page is a function of the release."""
    assert report_html(city) == html


def test_page_links_to_the_files_of_its_folder(city: Release, html: str) -> None:
    """Links name the usual files, or those given, quoted for an address."""
    assert {"trips.parquet", "matrices.omx", "margins/from_each_zone.csv"} <= set(Page(html).links)
    given = Page(report_html(city, files=["a b?.csv"]))
    assert "a%20b%3F.csv" in given.links and "trips.parquet" not in given.links


def test_an_empty_release_has_a_page(empty: Release) -> None:
    """Without any published cell the page still stands, and says so."""
    assert "No cell is published" in Page(report_html(empty)).text


def test_a_release_without_places_or_margins_has_a_page(city: Release) -> None:
    """What is not there is left out."""
    html = report_html(replace(city, places={}, features=()))
    assert 'class="map"' not in html and "How good is it?" not in html
    assert Page(html).text


def test_page_of_a_large_universe_stays_light() -> None:
    """811,200 cells under twelve margins make a page of less than 300 kB."""
    within = universe(
        tuple(f"Zone {i}" for i in range(130)), tuple(f"{h // 2:02d}:{h % 2 * 30:02d}" for h in range(48))
    )
    large = release(within, gravity(within, 500_000, 5))
    repeated = tuple((f"{name} {i}", part) for i in range(3) for name, part in large.features)
    html = report_html(replace(large, features=repeated))
    assert len(html.encode()) < 300_000
    assert Page(html).text


def test_margins_whose_cells_disagree_are_pointed_out(city: Release) -> None:
    """Where the published cells leave the intervals, the page says to use the estimates."""
    moved = publishing(city, city.keys[:1], np.array([city.total]))
    assert "For these totals, use the estimates." in Page(report_html(moved)).text
    assert (
        "For these totals, use the estimates."
        not in Page(report_html(replace(city, features=city.features[:1]))).text
    )


def test_styles_serve_the_dark_and_the_printer() -> None:
    """The page follows the reader's scheme and has rules for paper."""
    css = asset("report.css")
    assert "prefers-color-scheme: dark" in css and "@media print" in css
