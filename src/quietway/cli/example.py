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
    paths: bool = typer.Option(False, "--paths", help="Riders' days as paths: start, noon and end."),
) -> None:
    """Write a synthetic city to try things on: trips or paths, stops, and a release file."""
    from quietway.city import write_example, write_path_example

    written = (write_path_example if paths else write_example)(folder, day.value)
    for path in written:
        say(str(path))
    say(f"next: quietway rehearse {written[-1]}")
