"""The table of targets is measured, and the documentation shows the present one."""

from __future__ import annotations

from pathlib import Path

import pytest

from quietway.city import City
from quietway.city.describe import describe, main

PAGE = Path(__file__).parents[2] / "docs" / "example-city.md"


def test_what_was_wanted_was_achieved(city: City) -> None:
    """In every row with a target, the achieved value equals it."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in describe(city).splitlines()[2:]]
    wanted = [(row[1], row[2]) for row in rows if row[1]]
    assert len(wanted) >= 13
    assert all(target == achieved for target, achieved in wanted)


def test_the_page_shows_the_present_table(city: City) -> None:
    """docs/example-city.md holds the printed table, word for word."""
    assert describe(city) in PAGE.read_text(encoding="utf-8")


def test_the_command_prints_the_table(city: City, capsys: pytest.CaptureFixture[str]) -> None:
    """`python -m quietway.city.describe` prints what the page shows."""
    main()
    assert capsys.readouterr().out == describe(city)
