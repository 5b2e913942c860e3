"""The command line: one file per command, over the same core as the library."""

from __future__ import annotations

import sys

import typer

from quietway.cli import demo, example, init, ledger, query, rehearse, release, report
from quietway.cli.screen import complain, show_sensitive, unforeseen
from quietway.errors import QuietwayError

app = typer.Typer(
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
app.command("example")(example.example)
app.command("demo")(demo.demo)


def main() -> None:
    """Run a command; a failure is a sentence and exit code 2, a defect exit code 1."""
    try:
        app()
    except QuietwayError as error:
        complain(error)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as defect:  # noqa: BLE001 - its message may quote a record
        complain(unforeseen(defect))
        sys.exit(1)
