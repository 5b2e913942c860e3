"""quietway example: the example city's files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import typer

from quietway.cli.screen import say


class DayChoice(StrEnum):
    """A day of the example city."""

    WEEKDAY = "weekday"
    WEEKEND = "weekend"


def example(
    folder: Path = typer.Argument(..., help="Where to write them."),
    day: DayChoice = typer.Option(DayChoice.WEEKDAY, help="Which day."),
) -> None:
    """Write a synthetic city to try things on: trips, stops, modes and a release file."""
    from quietway.city import write_example

    for path in write_example(folder, day.value):
        say(str(path))
    say(f"next: quietway rehearse {folder / 'release.toml'}")
