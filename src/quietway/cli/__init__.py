"""The command line: one file per command, over the same core as the library."""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.core import TyperGroup

from quietway.cli import demo, example, init, ledger, query, rehearse, release, report, reproduce
from quietway.cli.screen import complain, show_notes, show_sensitive, unforeseen
from quietway.errors import QuietwayError


class Commands(TyperGroup):
    """The commands; whoever stops one by hand is told what stands."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stop:  # the library would end the program here, without a word
            show_notes(stop)
            sys.exit(130)


app = typer.Typer(
    cls=Commands,
    help="Publish people's trips under differential privacy.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def options(
    verbose: bool = typer.Option(
        False, "--verbose", help="Show sensitive details of errors: for the steward's eyes, never for a log."
    ),
) -> None:
    """Publish people's trips under differential privacy."""
    show_sensitive(verbose)


app.command("init")(init.init)
app.command("release")(release.release)
app.command("rehearse")(rehearse.rehearse)
app.command("report")(report.report)
app.command("query")(query.query)
app.add_typer(ledger.app, name="ledger")
app.command("reproduce")(reproduce.reproduce)
app.command("example")(example.example)
app.command("demo")(demo.demo)


def main() -> None:
    """Run a command; a failure is a sentence and exit code 2, a defect exit code 1."""
    try:
        app()
    except QuietwayError as error:
        complain(error)
        sys.exit(2)
    except Exception as defect:  # noqa: BLE001 - its message may quote a record
        complain(unforeseen(defect))
        sys.exit(1)
