"""quietway init: look at a file of trips, and write a release file to edit."""

from __future__ import annotations

from pathlib import Path

import typer

from quietway.cli.screen import say, table
from quietway.errors import OutputError


def init(
    trips: str = typer.Argument(
        ..., help="The trips: a file, a glob or a folder of Parquet, CSV or JSON lines."
    ),
    output: Path = typer.Option(Path("release.toml"), help="The release file to write."),
) -> None:
    """Look at the trips (columns, types, row count) and write a commented release.toml to edit."""
    from quietway.publish.durable import write_whole
    from quietway.records.inspect import inspect
    from quietway.template import release_template

    if output.exists():
        raise OutputError(f"{output} already exists; name another with --output, or move it away")
    summary = inspect(trips)
    say(f"{trips}: {summary.format}, {summary.rows:,} rows (sensitive: keep this number to yourself)")
    say(
        table(
            ("column", "type", "looks like"),
            [(c.name, c.type, c.role or "") for c in summary.columns],
            words=3,
        )
    )
    write_whole(output, release_template(trips, summary, output.parent))
    say(f"wrote {output}: edit the lines marked EDIT, then `quietway rehearse {output}`")
