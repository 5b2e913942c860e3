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
    paths: bool = typer.Option(
        False, "--paths", help="Describe paths with stops, from trips, stops or sightings."
    ),
) -> None:
    """Look at the trips (columns, types, row count) and write a commented release.toml to edit."""
    from quietway.paths.template import path_template
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
    template = path_template if paths else release_template
    write_whole(output, template(trips, summary, output.parent))
    say(f"wrote {output}: edit the lines marked EDIT, then `quietway rehearse {output}`")
