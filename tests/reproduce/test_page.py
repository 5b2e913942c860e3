"""The page, the plot, the numbers and the picture."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from xml.etree import ElementTree

import pytest

from quietway.reproduce.cbdp import Case, Results, Settings
from quietway.reproduce.gallery import gallery
from quietway.reproduce.judgement import verdicts
from quietway.reproduce.markdown import number, table
from quietway.reproduce.numbers import as_json
from quietway.reproduce.page import page
from quietway.reproduce.paper import METHODS, TABLE_2, TRIPS_OF_THE_DAY
from quietway.reproduce.plot import plot
from quietway.reproduce.scores import RMS


def test_the_page_shows_ours_beside_the_papers(results: Results) -> None:
    """Every printed number of the epsilons that were run, our mean in its norm, and the command."""
    text = page(results, "quietway reproduce cbdp", plot="cbdp.svg")
    assert (
        "    quietway reproduce cbdp" in text and "(cbdp.svg)" in text and "nothing here is private" in text
    )
    for method, days in TABLE_2.items():
        for printed in days.values():
            assert f"{printed[0]:g} | {printed[1]:g}" in text, method
    assert f"{TRIPS_OF_THE_DAY['lap', Fraction(1)]:,.0f}" in text
    assert all(number(results.mean(case, "o5", RMS)) in text for case in results.cases())


def test_the_page_gives_every_verdict_and_the_reason_of_every_failure(results: Results) -> None:
    """None is left out, least of all one that does not hold."""
    text = page(results, "quietway reproduce cbdp")
    for verdict in verdicts(results):
        assert verdict.says in text and f"**{verdict.word}**" in text
        assert not verdict.failed or verdict.why in text


def test_tables_are_whole(results: Results) -> None:
    """Every row of a table has as many cells as its head, and no number is missing."""
    text = page(results, "quietway reproduce cbdp")
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({row.count("|") for row in block.splitlines()}) == 1
    assert "nan" not in text and "inf" not in text.replace("information", "")


def test_other_epsilons_make_a_page_too(results: Results) -> None:
    """Where Table 2 says nothing, nothing is said of it."""
    epsilon = Fraction(1, 5)
    found = {Case(day=case.day, epsilon=epsilon): every for case, every in results.found.items()}
    text = page(Results(settings=Settings(runs=2, epsilons=(epsilon,)), found=found), "quietway")
    assert "weekend 0.2" in text and "The nearest for" not in text and "nan" not in text


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0"), (0.04649, "0.0465"), (10.0, "10.0"), (412.3, "412"), (40_590_379.0, "40,600,000")],
)
def test_numbers_have_three_figures(value: float, shown: str) -> None:
    """Whatever their size."""
    assert number(value) == shown


def test_words_stand_left_and_numbers_right() -> None:
    """In Markdown."""
    assert table(("a", "b"), [("x", "1")]) == "| a | b |\n|---|---:|\n| x | 1 |"


def test_the_plot_draws_each_method_and_each_printed_number(results: Results) -> None:
    """A line for each method on each day, and a ring for each number of Table 2 that can be compared."""
    root = ElementTree.fromstring(plot(results))
    shapes = [element.tag.rpartition("}")[2] for element in root.iter()]
    rings = [e for e in root.iter() if e.get("fill") == "none" and e.get("r") == "5"]
    assert shapes.count("path") == 2 * 8 + 8 + len([e for e in root.iter() if e.get("class") == "grid"])
    assert len(rings) == 2 * 2 * 2 + 1
    assert {e.text for e in root.iter() if e.text} >= {
        "M_Lap",
        "M_H5",
        "M_O5",
        "Weekday: RMS per cell",
        "0.1",
    }


def test_the_numbers_are_json_and_marked_as_not_private(results: Results) -> None:
    """Means and standard errors of every score of every method."""
    found = json.loads(as_json(results))
    assert (
        found["private"] is False
        and len(found["cases"]) == 4
        and len(found["verdicts"]) == len(verdicts(results))
    )
    first = found["cases"][0]["methods"]
    assert set(first) == {method.name for method in METHODS.values()}
    assert first["M_O5"][RMS]["mean"] == results.mean(results.cases()[0], "o5", RMS)
    assert first["M_O5"][RMS]["standard_error"] > 0


def test_the_picture_shows_the_truth_and_three_ways() -> None:
    """Four columns, each with its trips; constraint-based totals are near the truth, the others far off."""
    picture = gallery(epsilon=Fraction(1, 10))
    root = ElementTree.fromstring(picture)
    trips = [
        int(e.text.split()[0].replace(",", "")) for e in root.iter() if e.text and e.text.endswith(" trips")
    ]
    true, laplace, hierarchical, ours = trips
    assert true == 37_714 and abs(ours - true) < 2_000 and 50 * true < laplace < hierarchical
    assert picture == gallery(epsilon=Fraction(1, 10))
