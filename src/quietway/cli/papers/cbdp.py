"""Fioretto, Lee and Van Hentenryck (AAMAS 2018), as a command."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from quietway.cli.new_folder import new_folder
from quietway.cli.papers.wanted import Wanted
from quietway.cli.screen import say, steps
from quietway.errors import ConfigError

if TYPE_CHECKING:
    from quietway.reproduce.cbdp import Settings

QUICK_RUNS = 5
PICTURED = "0.1"


def cbdp(wanted: Wanted) -> None:
    """The page, or the picture of flows."""
    if wanted.gallery:
        _require_one_run(wanted)
        _draw(replace(wanted, runs=1, epsilon=wanted.epsilon or (PICTURED,)))
    else:
        _write_page(wanted)


def _require_one_run(wanted: Wanted) -> None:
    if wanted.quick or wanted.runs is not None:
        raise ConfigError("--gallery shows one run; leave out --quick and --runs")
    if len(wanted.epsilon) > 1:
        raise ConfigError("--gallery shows one epsilon; give --epsilon once, or not at all")


def _settings(wanted: Wanted) -> Settings:
    from quietway.reproduce.cbdp import Settings
    from quietway.reproduce.paper import EPSILONS, RUNS

    if wanted.quick and wanted.runs is not None:
        raise ConfigError(f"--quick means {QUICK_RUNS} runs; leave it out, or leave out --runs")
    return Settings(
        runs=QUICK_RUNS if wanted.quick else RUNS if wanted.runs is None else wanted.runs,
        seed=wanted.seed,
        epsilons=wanted.epsilons or EPSILONS,
    )


def _write_page(wanted: Wanted) -> None:
    from quietway.reproduce.cbdp import run
    from quietway.reproduce.numbers import as_json
    from quietway.reproduce.page import page
    from quietway.reproduce.plot import plot

    settings, output = _settings(wanted), wanted.output
    with new_folder(output) as write, steps() as on_step:
        results = run(settings, on_step=on_step)
        on_step("writing the page")
        text = page(results, _command(settings), plot="cbdp.svg" if output else None)
        write("cbdp.svg", plot(results))
        write("cbdp.json", as_json(results))
        write("cbdp.md", text)
    say(text)
    if output:
        say(
            f"in {output}: cbdp.md (this page), cbdp.svg, cbdp.json; invented trips, seeded noise, NOT PRIVATE"
        )
    else:
        typer.echo("(with --output FOLDER this page is kept, with the plot and the numbers)", err=True)


def _draw(wanted: Wanted) -> None:
    from quietway.reproduce.gallery import gallery

    settings, output = _settings(wanted), wanted.output
    if output is None:
        raise ConfigError("--gallery makes a picture; say where with --output FOLDER")
    with new_folder(output) as write, steps() as on_step:
        on_step("drawing flows")
        write("flows.svg", gallery(epsilon=settings.epsilons[0], seed=settings.seed))
    say(f"{output / 'flows.svg'}: invented trips, seeded noise, NOT PRIVATE")


def _command(settings: Settings) -> str:
    """What was typed, in full."""
    from quietway.reproduce.paper import EPSILONS

    told = "" if settings.epsilons == EPSILONS else "".join(f" --epsilon {e}" for e in settings.epsilons)
    return f"quietway reproduce cbdp --runs {settings.runs} --seed {settings.seed}{told}"
