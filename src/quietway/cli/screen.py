"""What commands write on the screen."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

import typer

from quietway.errors import QuietwayError

if TYPE_CHECKING:
    from quietway.pipeline import OnStep
    from quietway.publish.paths.release import PathRelease
    from quietway.publish.release import Release

Kind = TypeVar("Kind", bound="Release | PathRelease")
_settings = {"sensitive": False}


def show_sensitive(wanted: bool) -> None:
    """Whether errors may show details drawn from the raw records."""
    _settings["sensitive"] = wanted


def say(text: str) -> None:
    """A line of output."""
    typer.echo(text)


def complain(error: QuietwayError) -> None:
    """An error as a sentence; sensitive details only when asked for, and marked."""
    typer.echo(f"error: {error}", err=True)
    show_notes(error)
    if error.sensitive is None:
        return
    if _settings["sensitive"]:
        typer.echo(f"[SENSITIVE, not for logs or mail] {error.sensitive}", err=True)
    else:
        typer.echo(
            "(details drawn from the records are hidden; `quietway --verbose ...` shows them)", err=True
        )


def show_notes(error: BaseException) -> None:
    """What stands after the failure, and how to go on from there."""
    for note in getattr(error, "__notes__", ()):
        typer.echo(note, err=True)


def unforeseen(defect: Exception) -> QuietwayError:
    """A defect of ours as an error: its message and its trace may hold values, so they are sensitive."""
    trace = "".join(traceback.format_exception(defect))
    error = QuietwayError(
        f"an unforeseen {type(defect).__name__}: this is a defect of Quietway, please report it",
        sensitive=trace,
    )
    for note in getattr(defect, "__notes__", ()):
        error.add_note(note)
    return error


@contextmanager
def steps() -> Generator[OnStep]:
    """Show each step of a long work as it begins, and how long it took when the next one does."""
    last: list[float] = []

    def end() -> None:
        if last:
            typer.echo(f" {monotonic() - last.pop():.1f} s", err=True)

    def begin(step: str) -> None:
        end()
        last.append(monotonic())
        typer.echo(f"- {step} ...", err=True, nl=False)

    try:
        yield begin
        end()
    except BaseException:
        if last:
            typer.echo(" stopped", err=True)
        raise


def fitted(release: Kind) -> Kind:
    """A published release, fitted; whoever sits at a screen sees what takes so long."""
    if sys.stderr.isatty():
        with steps() as on_step:
            on_step("fitting the published measurements")
            _ = release.solution
    return release


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, words: int = 1) -> str:
    """Columns as wide as they need to be; the first `words` flush left, numbers flush right."""
    lines = [list(head), *(list(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i < words else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
