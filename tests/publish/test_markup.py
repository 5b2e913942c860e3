"""HTML from text."""

from __future__ import annotations

from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from quietway.publish.markup import caution, link, short, table, text

from .page import Page


@given(st.text(max_size=80))
def test_any_text_survives_as_text(value: str) -> None:
    """Whatever is put in comes out as the same text and opens no tag or attribute."""
    made = text(value)
    assert not set(made) & set("<>\"'")
    assert unescape(made) == value
    assert Page(short(value, 10)).tags in ([], ["span"])


def test_long_labels_are_cut_and_kept_for_hovering() -> None:
    """A long label shows its beginning; the whole of it is in its title, escaped."""
    made = short("<" * 40, 10)
    assert Page(made).text == "<" * 9 + "…"
    assert f'title="{"&lt;" * 40}"' in made


def test_links_stay_beside_the_page() -> None:
    """A path with odd characters is quoted for an address."""
    assert Page(link('a"b c#d.csv', "x")).links == ["a%22b%20c%23d.csv"]


def test_tables_mark_what_is_a_number() -> None:
    """Columns beyond the words are numbers, and the first of each row is its header."""
    html = table(("name", "n"), [("a", "1")])
    assert '<th scope="row">a</th><td class="n">1</td>' in html
    assert Page(html).text


def test_caution_is_for_more_than_chance() -> None:
    """Up to the tolerated share nothing is said."""
    assert caution(0.1, "blocks") == ""
    assert "20&nbsp;% of these flows" in caution(0.2, "flows")
