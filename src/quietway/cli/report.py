"""quietway report: the HTML page again."""

from __future__ import annotations

from pathlib import Path

import typer

from quietway.cli.screen import fitted, say


def report(
    folder: Path = typer.Argument(..., metavar="RELEASE", help="A published folder."),
    output: Path | None = typer.Option(
        None, help="Where to write the page; default: report.html in the folder."
    ),
) -> None:
    """Write the report of a published folder again, from that folder alone."""
    from quietway.publish.report import report_html
    from quietway.publish.durable import write_whole
    from quietway.publish.store import load_release

    output = output or folder / "report.html"
    write_whole(output, report_html(fitted(load_release(folder))))
    say(f"report in {output}")
