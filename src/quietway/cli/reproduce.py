"""quietway reproduce: a paper's tables and figures beside ours."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from quietway.cli.screen import say, steps
from quietway.errors import ConfigError, InputError, OutputError
from quietway.nearest import nearest

if TYPE_CHECKING:
    from quietway.reproduce.cbdp import Settings

QUICK_RUNS = 5
PICTURED = "0.1"


def reproduce(
    paper: str = typer.Argument(..., help="Which paper: cbdp."),
    runs: int | None = typer.Option(None, help="How many runs to average; default: as many as the paper."),
    quick: bool = typer.Option(False, "--quick", help=f"{QUICK_RUNS} runs."),
    seed: int = typer.Option(0, help="The same seed gives the same numbers."),
    epsilon: list[str] = typer.Option([], help="An epsilon, instead of the paper's; may be repeated."),
    output: Path | None = typer.Option(None, help="A new folder for the page, the plot and the numbers."),
    gallery: bool = typer.Option(
        False, "--gallery", help="Make the picture of true and published flows instead, in the output folder."
    ),
) -> None:
    """Run a paper's experiments on the example city: its numbers, ours, and which orderings hold. NOT private."""
    if paper not in PAPERS:
        raise InputError(f"there is no paper '{paper}' to reproduce{nearest(paper, PAPERS)}")
    if gallery:
        _require_one_run(runs, quick, epsilon)
        _draw(_settings(1, False, seed, epsilon or [PICTURED]), output)
    else:
        PAPERS[paper](_settings(runs, quick, seed, epsilon), output)


def _require_one_run(runs: int | None, quick: bool, epsilons: list[str]) -> None:
    if quick or runs is not None:
        raise ConfigError("--gallery shows one run; leave out --quick and --runs")
    if len(epsilons) > 1:
        raise ConfigError("--gallery shows one epsilon; give --epsilon once, or not at all")


def _settings(runs: int | None, quick: bool, seed: int, epsilons: list[str]) -> Settings:
    from quietway.budget import parse_epsilon
    from quietway.reproduce.cbdp import Settings
    from quietway.reproduce.paper import EPSILONS, RUNS

    if quick and runs is not None:
        raise ConfigError(f"--quick means {QUICK_RUNS} runs; leave it out, or leave out --runs")
    if seed < 0:
        raise ConfigError(f"--seed {seed} is negative; give 0 or more")
    return Settings(
        runs=QUICK_RUNS if quick else RUNS if runs is None else runs,
        seed=seed,
        epsilons=tuple(map(parse_epsilon, epsilons)) or EPSILONS,
    )


def _cbdp(settings: Settings, output: Path | None) -> None:
    from quietway.reproduce.cbdp import run
    from quietway.reproduce.numbers import as_json
    from quietway.reproduce.page import page
    from quietway.reproduce.plot import plot

    with _folder(output) as write, steps() as on_step:
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


def _draw(settings: Settings, output: Path | None) -> None:
    from quietway.reproduce.gallery import gallery

    if output is None:
        raise ConfigError("--gallery makes a picture; say where with --output FOLDER")
    with _folder(output) as write, steps() as on_step:
        on_step("drawing flows")
        write("flows.svg", gallery(epsilon=settings.epsilons[0], seed=settings.seed))
    say(f"{output / 'flows.svg'}: invented trips, seeded noise, NOT PRIVATE")


def _command(settings: Settings) -> str:
    """What was typed, in full."""
    from quietway.reproduce.paper import EPSILONS

    told = "" if settings.epsilons == EPSILONS else "".join(f" --epsilon {e}" for e in settings.epsilons)
    return f"quietway reproduce cbdp --runs {settings.runs} --seed {settings.seed}{told}"


Write = Callable[[str, str], None]
PAPERS: dict[str, Callable[[Settings, Path | None], None]] = {"cbdp": _cbdp}


@contextmanager
def _folder(output: Path | None) -> Generator[Write]:
    """A new folder, made before the long work so that it cannot fail for want of one, and gone if the work does."""
    if output is None:
        yield lambda name, text: None
        return
    _make(output)
    try:
        yield lambda name, text: _write(output / name, text)
    except BaseException:
        _remove(output)
        raise


def _make(output: Path) -> None:
    try:
        output.mkdir(parents=True)
    except FileExistsError as error:
        raise OutputError(
            f"'{output}' exists already; name a folder that does not, or remove it first"
        ) from error
    except OSError as error:
        raise OutputError(f"cannot make the folder '{output}': {error.strerror}; choose another") from error


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise OutputError(
            f"cannot write '{path}': {error.strerror}; free the place or choose another"
        ) from error


def _remove(output: Path) -> None:
    """Only what was written here: the folder was new."""
    for path in output.iterdir():
        path.unlink()
    output.rmdir()
