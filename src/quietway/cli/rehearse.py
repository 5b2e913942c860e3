"""quietway rehearse: the main job on invented trips."""

from __future__ import annotations

from pathlib import Path

import typer

from quietway.cli.screen import say, steps, table


def rehearse(
    file: Path = typer.Argument(..., help="The release file (release.toml)."),
    output: Path | None = typer.Option(None, help="Where to publish it; default: OUTPUT.rehearsal"),
    trips: int | None = typer.Option(None, min=1, help="A public guess of the number of trips."),
    seed: int | None = typer.Option(None, help="The same seed gives the same rehearsal."),
) -> None:
    """Do it all on invented trips of the same shape: free, repeatable, NOT private."""
    from quietway.rehearsal import rehearse as run
    from quietway.spec import load_spec

    spec = load_spec(file)
    output = output or spec.output.with_name(f"{spec.output.name}.rehearsal")
    with steps() as on_step:
        rehearsal = run(spec, output, trips=trips, seed=seed, on_step=on_step)
    say(
        f"{rehearsal.trips:,} invented trips came out as {rehearsal.release.total:,}. Errors per block (root mean square):"
    )
    say(
        table(
            ("margin", "blocks", "estimate", "table", "zero", "uniform", "interval held"),
            [
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
            ],
        )
    )
    say("zero: the error of answering nothing; uniform: of spreading the total evenly over all cells.")
    say(f"rehearsal in {output}: invented trips, seeded noise, nothing spent, NOT PRIVATE")
