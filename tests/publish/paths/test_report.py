"""The page of a release of paths, and its statement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from quietway.publish.paths.contents import contents
from quietway.publish.paths.faces import WRITERS
from quietway.publish.paths.release import PathRelease
from quietway.publish.paths.report import report_html
from quietway.publish.paths.statement import statement

from ..conftest import NASTY
from ..page import Page
from .cases import bare, town, zoned

EVERY = pytest.mark.parametrize("make", [town, zoned, bare, lambda: zoned(depth=0), lambda: town(paths=0)])


@pytest.fixture(scope="module")
def html() -> str:
    """The page of stops over zones, one of them maliciously named."""
    return report_html(zoned())


@EVERY
def test_page_asks_nobody_for_anything(make: Callable[[], PathRelease]) -> None:
    """Whatever the stops are: no script, nothing loaded, and links to files beside the page alone."""
    html = report_html(make())
    page = Page(html)
    assert page.loads == []
    assert not {"script", "link", "img", "iframe", "object", "embed", "base"} & set(page.tags)
    assert "://" not in html and "@import" not in html and "url(" not in html
    assert all(link.startswith("#") or not link.startswith(("/", ".")) for link in page.links)


@EVERY
def test_page_has_a_map_for_every_stop(make: Callable[[], PathRelease]) -> None:
    """Also where nothing says where stops are, and where nothing is published."""
    release = make()
    html = report_html(release)
    for stop in release.space.stops:
        assert f'aria-label="Where paths are at {stop}"' in html


def test_no_picture_holds_a_number_that_is_none(html: str) -> None:
    """Coordinates are numbers."""
    for page in (html, report_html(bare()), report_html(town(paths=0))):
        pictures = "".join(part.split("</svg>")[0] for part in page.split("<svg")[1:])
        assert "nan" not in pictures and "inf" not in pictures


def test_labels_and_names_cannot_become_markup() -> None:
    """Zones, the release's name and its parts show as text."""
    release = zoned()
    says = replace(release.manifest, name=NASTY, dataset=NASTY, parts=((NASTY, Fraction(1)),))
    html = report_html(replace(release, manifest=says))
    assert NASTY not in html and NASTY in Page(html).text


def test_page_says_what_matters(html: str) -> None:
    """The total, the cost, what a path is, how good it is, and each section."""
    text, release = Page(html).text, zoned()
    for words in (
        f"{release.total:,}",
        "Where the stops are",
        "The largest paths",
        "How good is it?",
        "What is promised, and to whom",
        "A path is one trip with all its stops",
        "Ledger entry",
        "start and end, 4 × 4 each",
        "matrices.omx",
        "stops/start.csv",
    ):
        assert words in text


def test_a_release_that_tells_of_no_single_path_says_so() -> None:
    """One box over everything has no line to draw."""
    text = Page(report_html(zoned(depth=0))).text
    assert "nothing can be said of single paths" in text


def test_a_rehearsal_is_marked_on_the_page_and_in_the_statement() -> None:
    """Nobody takes it for a release."""
    rehearsed = town(rehearsal=True, private=False, ledger_entry=None, ledger_hash=None)
    assert "NOT PRIVATE" in Page(report_html(rehearsed)).text
    assert statement(rehearsed).startswith("**NOT PRIVATE")


def test_the_statement_says_what_a_path_is_and_what_is_not_covered() -> None:
    """What is promised, of which stops, what was spent, how to read the numbers, and the limits."""
    told = statement(town())
    for words in (
        "## What is promised, and to whom",
        "| boxes | 1/3 (about 0.3333) |",
        "that they belong together",
        "| start | 16 rows x 16 columns |",
        "in 256 boxes",
        "the second is a model",
        "## What is not covered",
    ):
        assert words in told


def test_there_is_a_writer_for_every_file() -> None:
    """Two stops on zones make a matrix, stops on the ground make maps, and stops that are nowhere neither."""
    assert list(contents(zoned())) == list(WRITERS)
    assert set(contents(town())) == set(WRITERS) - {"matrices.omx"}
    assert set(contents(bare())) == {"boxes.parquet", "stops", "statement.md", "report.html"}
