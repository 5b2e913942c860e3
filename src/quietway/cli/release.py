"""quietway release: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from quietway.cli.screen import say, steps

if TYPE_CHECKING:
    from quietway.publish.release import Release


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
    caution = disagreement(published)
    if caution is not None:
        say(caution)
    say(
        f"spent {exact(manifest.epsilon)} of dataset '{manifest.dataset}' (ledger entry {manifest.ledger_entry})"
    )
    say(f"published in {spec.output}; open {spec.output / 'report.html'}")


def disagreement(published: Release) -> str | None:
    """What to think of a table whose cells do not add up to what was measured; None where they do."""
    answer = published.query()
    if answer.low <= answer.table <= answer.high:
        return None
    return f"the estimate is {answer}: the cells add up to something else, so for totals trust the estimates"
