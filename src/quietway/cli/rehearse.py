"""quietway rehearse: the main job on invented trips or paths."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from quietway.cli.screen import say, steps, table

if TYPE_CHECKING:
    from quietway.rehearsal import Rehearsal


def rehearse(
    file: Path = typer.Argument(..., help="The release file (release.toml)."),
    output: Path | None = typer.Option(None, help="Where to publish it; default: OUTPUT.rehearsal"),
    trips: int | None = typer.Option(None, min=1, help="A public guess of the number of trips, or of paths."),
    seed: int | None = typer.Option(None, help="The same seed gives the same rehearsal."),
) -> None:
    """Do it all on invented records of the same shape: free, repeatable, NOT private."""
    from quietway.paths.spec import load_any_spec
    from quietway.publish.paths.release import PathRelease
    from quietway.rehearsal import rehearse as run

    spec = load_any_spec(file)
    output = output or spec.output.with_name(f"{spec.output.name}.rehearsal")
    with steps() as on_step:
        rehearsal = run(spec, output, trips=trips, seed=seed, on_step=on_step)
    say(_paths(rehearsal) if isinstance(rehearsal.release, PathRelease) else _trips(rehearsal))
    say(f"rehearsal in {output}: invented records, seeded noise, nothing spent, NOT PRIVATE")


def _trips(rehearsal: Rehearsal) -> str:
    """The errors of every margin."""
    from quietway.paths.rehearsal import PathTrial

    rows = [
        (
            trial.margin,
            f"{trial.blocks:,}",
            f"{trial.estimate:,.2f}",
            f"{trial.table:,.2f}",
            f"{trial.zero:,.2f}",
            f"{trial.uniform:,.2f}",
            f"{trial.covered:.1%}",
        )
        for trial in rehearsal.trials
        if not isinstance(trial, PathTrial)
    ]
    return "\n".join(
        (
            f"{rehearsal.trips:,} invented trips came out as {rehearsal.release.total:,}. Errors per block (root mean square):",
            table(("margin", "blocks", "estimate", "table", "zero", "uniform", "interval held"), rows),
            "zero: the error of answering nothing; uniform: of spreading the total evenly over all cells.",
        )
    )


def _paths(rehearsal: Rehearsal) -> str:
    """The errors of every kind of question."""
    from quietway.paths.rehearsal import PathTrial

    rows = [
        (
            trial.questions,
            f"{trial.asked:,}",
            f"{trial.estimate:.1%}",
            f"{trial.uniform:.1%}",
            f"{trial.covered:.1%}",
        )
        for trial in rehearsal.trials
        if isinstance(trial, PathTrial)
    ]
    return "\n".join(
        (
            f"{rehearsal.trips:,} invented paths came out as {rehearsal.release.total:,}. Mean relative errors of random ranges:",
            table(("where", "questions", "estimate", "uniform", "interval held"), rows),
            "uniform: the error of spreading the total evenly over all places. Truths below a thousandth of all paths count as that.",
        )
    )
