"""The page, the plot and the numbers."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from xml.etree import ElementTree

from quietway.reproduce.markdown import number
from quietway.reproduce.od.case import Figure, Results
from quietway.reproduce.od.judgement import verdicts
from quietway.reproduce.od.numbers import as_json
from quietway.reproduce.od.page import page
from quietway.reproduce.od.paper import TABLE_3
from quietway.reproduce.od.plot import panels, plot


def test_the_page_shows_every_error_and_the_papers_times(results: Results) -> None:
    """With the command, what is missing, and that nothing is private."""
    text = page(results, "quietway reproduce od", plot="od.svg")
    assert "    quietway reproduce od" in text and "(od.svg)" in text and "nothing here is private" in text
    assert all(number(results.mean(case, m)) in text for case, every in results.found.items() for m in every)
    assert all(f"{seconds:g}" in text for row in TABLE_3.values() for seconds in row)
    assert "Not run: the real paths 'taxis-4d'" in text


def test_the_page_gives_every_verdict_and_the_reason_of_every_failure(results: Results) -> None:
    """None is left out, least of all one that does not hold; and each has a reason."""
    text = page(results, "quietway reproduce od")
    for verdict in verdicts(results):
        assert verdict.says in text and f"**{verdict.word}**" in text
        assert not verdict.failed or verdict.why in text
        assert not verdict.failed or verdict.why, verdict.says


def test_tables_are_whole(results: Results) -> None:
    """Every row of a table has as many cells as its head, and no number is missing."""
    text = page(results, "quietway reproduce od")
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({row.count("|") for row in block.splitlines()}) == 1
    assert "nan" not in text.replace("tenant", "") and not re.search(r"\binf\b", text)


def test_invented_points_alone_make_a_page_too(results: Results) -> None:
    """Where no folder of real data was given."""
    found = {case: every for case, every in results.found.items() if case.figure == Figure.ZIPF}
    text = page(replace(results, found=found, about=(), missing=(), times=()), "quietway")
    assert (
        "## Fig. 5" in text and "## Fig. 8" not in text and "Table 3\n" not in text and "Not run" not in text
    )


def test_the_plot_is_whole(results: Results) -> None:
    """Figure 4 has a panel for each epsilon, the rest one each; every method of a panel has a dot in each column."""
    assert len(list(panels(results))) == 2 * 2 + 2 + 1 + 2
    root = ElementTree.fromstring(plot(results))
    dots = root.findall("{http://www.w3.org/2000/svg}circle")
    assert len(dots) == sum(len(panel.errors) * len(panel.columns) for panel in panels(results))
    width, height = (float(root.attrib[side]) for side in ("width", "height"))
    assert all(0 < float(dot.attrib["cx"]) < width and 0 < float(dot.attrib["cy"]) < height for dot in dots)


def test_the_numbers_are_those_of_the_results(results: Results) -> None:
    """Marked as not private."""
    told = json.loads(as_json(results))
    assert (
        told["private"] is False
        and len(told["cases"]) == len(results.found)
        and len(told["seconds"]) == len(results.times)
    )
    for record, case in zip(told["cases"], results.found, strict=True):
        assert record["mean_relative_error"]["EBP"]["mean"] == results.mean(case, "EBP")
    assert [v["verdict"] for v in told["verdicts"]] == [v.word for v in verdicts(results)]
