"""quietway release: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from quietway.cli.screen import say, steps

if TYPE_CHECKING:
    from quietway.publish.paths.release import PathRelease
    from quietway.publish.release import Release


def release(
    file: Path = typer.Argument(..., help="The release file (release.toml)."),
    resume: bool = typer.Option(
        False, "--resume", help="Finish an interrupted release from measurements already paid for."
    ),
) -> None:
    """Charge the ledger, measure, fit, and publish into a folder."""
    from quietway.paths.spec import load_any_spec
    from quietway.pipeline import release as publish
    from quietway.publish.paths.release import PathRelease
    from quietway.publish.wording import exact

    spec = load_any_spec(file)
    with steps() as on_step:
        published = publish(spec, resume=resume, on_step=on_step)
    manifest = published.manifest
    say(paths_told(published) if isinstance(published, PathRelease) else trips_told(published))
    say(
        f"spent {exact(manifest.epsilon)} of dataset '{manifest.dataset}' (ledger entry {manifest.ledger_entry})"
    )
    say(f"published in {spec.output}; open {spec.output / 'report.html'}")


def trips_told(published: Release) -> str:
    """What was published, with a caution where its cells miss the total."""
    told = f"{published.name}: {published.total:,} trips in {len(published.keys):,} of {published.universe.size:,} cells"
    caution = disagreement(published)
    return told if caution is None else f"{told}\n{caution}"


def paths_told(published: PathRelease) -> str:
    """What was published."""
    stops = ", ".join(published.space.stops)
    return f"{published.name}: {published.total:,} paths through {stops} in {len(published.boxes):,} boxes"


def disagreement(published: Release) -> str | None:
    """What to think of a table whose cells do not add up to what was measured; None where they do."""
    answer = published.query()
    if answer.low <= answer.table <= answer.high:
        return None
    return f"the estimate is {answer}: the cells add up to something else, so for totals trust the estimates"
