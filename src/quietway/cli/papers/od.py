"""Shaham, Ghinita and Shahabi (EDBT 2022), as a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from quietway.cli.new_folder import new_folder
from quietway.cli.papers.wanted import Wanted
from quietway.cli.screen import say, steps
from quietway.errors import ConfigError

if TYPE_CHECKING:
    from quietway.reproduce.od.settings import Settings

WORKERS = 2
"""Of a full run; a quick one is over before they have begun."""


def od(wanted: Wanted) -> None:
    """The page, the plot and the numbers."""
    from quietway.reproduce.od.numbers import as_json
    from quietway.reproduce.od.page import page
    from quietway.reproduce.od.plot import plot
    from quietway.reproduce.od.runs import run

    settings, output = _settings(wanted), wanted.output
    with new_folder(output) as write, steps() as on_step:
        results = run(settings, workers=1 if wanted.quick else WORKERS, on_step=on_step)
        on_step("writing the page")
        text = page(results, _command(wanted), plot="od.svg" if output else None)
        write("od.svg", plot(results))
        write("od.json", as_json(results))
        write("od.md", text)
    say(text)
    for reason in dict.fromkeys(map(str, results.missing)):
        typer.echo(f"not run: {reason}", err=True)
    if output:
        say(f"in {output}: od.md (this page), od.svg, od.json; public paths, seeded noise, NOT PRIVATE")
    else:
        typer.echo("(with --output FOLDER this page is kept, with the plot and the numbers)", err=True)


def _settings(wanted: Wanted) -> Settings:
    from quietway.reproduce.od.settings import EPSILONS, RUNS, Settings

    if wanted.gallery:
        raise ConfigError("--gallery is cbdp's; this paper's picture comes with its page")
    if wanted.quick and wanted.runs is not None:
        raise ConfigError("--quick means one run of fewer cases; leave it out, or leave out --runs")
    if wanted.quick:
        return Settings.quick(seed=wanted.seed, epsilons=wanted.epsilons or EPSILONS[:1], data=wanted.data)
    return Settings(
        runs=RUNS if wanted.runs is None else wanted.runs,
        seed=wanted.seed,
        epsilons=wanted.epsilons or EPSILONS,
        data=wanted.data,
    )


def _command(wanted: Wanted) -> str:
    """What was typed, in full; a folder's name is no one's business."""
    from quietway.reproduce.od.settings import RUNS

    much = "--quick" if wanted.quick else f"--runs {RUNS if wanted.runs is None else wanted.runs}"
    told = "".join(f" --epsilon {epsilon}" for epsilon in wanted.epsilon)
    data = " --data FOLDER" if wanted.data else ""
    return f"quietway reproduce od {much} --seed {wanted.seed}{told}{data}"
