"""quietway release: the main job."""

from __future__ import annotations

from pathlib import Path

import typer

from quietway.cli.screen import say, steps


def release(
    file: Path = typer.Argument(..., help="The release file (release.toml)."),
    resume: bool = typer.Option(
        False, "--resume", help="Finish an interrupted release from measurements already paid for."
    ),
) -> None:
    """Charge the ledger, measure, fit, and publish into a folder."""
    from quietway.pipeline import release as publish
    from quietway.publish.wording import exact
    from quietway.spec import load_spec

    spec = load_spec(file)
    with steps() as on_step:
        published = publish(spec, resume=resume, on_step=on_step)
    manifest = published.manifest
    say(
        f"{published.name}: {published.total:,} trips in {len(published.keys):,} of {published.universe.size:,} cells"
    )
    say(
        f"spent {exact(manifest.epsilon)} of dataset '{manifest.dataset}' (ledger entry {manifest.ledger_entry})"
    )
    say(f"published in {spec.output}; open {spec.output / 'report.html'}")
