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
    from quietway.publish.durable import write_whole
    from quietway.publish.paths.release import PathRelease
    from quietway.publish.paths.report import report_html as paths_html
    from quietway.publish.report import report_html
    from quietway.publish.store import load_release

    output = output or folder / "report.html"
    release = fitted(load_release(folder))
    write_whole(output, paths_html(release) if isinstance(release, PathRelease) else report_html(release))
    say(f"report in {output}")
