"""quietway reproduce: a paper's tables and figures beside ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import typer

from quietway.cli.papers.cbdp import cbdp
from quietway.cli.papers.od import od
from quietway.cli.papers.wanted import Wanted
from quietway.errors import InputError
from quietway.nearest import nearest

PAPERS: dict[str, Callable[[Wanted], None]] = {"cbdp": cbdp, "od": od}


def reproduce(
    paper: str = typer.Argument(
        ..., help="Which paper: cbdp (constraints), or od (origins, destinations and stops)."
    ),
    runs: int | None = typer.Option(None, help="How many runs to average; default: cbdp 50, od 3."),
    quick: bool = typer.Option(False, "--quick", help="A minute or two: fewer runs, and for od fewer cases."),
    seed: int = typer.Option(0, help="The same seed gives the same numbers."),
    epsilon: list[str] = typer.Option([], help="An epsilon, instead of the paper's; may be repeated."),
    output: Path | None = typer.Option(None, help="A new folder for the page, the plot and the numbers."),
    data: Path | None = typer.Option(
        None, envvar="QUIETWAY_DATA", help="od: the folder of real data; without it, invented points alone."
    ),
    gallery: bool = typer.Option(
        False,
        "--gallery",
        help="cbdp: make the picture of true and published flows instead, in the output folder.",
    ),
) -> None:
    """Run a paper's experiments: its claims and numbers, ours, and which orderings hold. NOT private."""
    if paper not in PAPERS:
        raise InputError(f"there is no paper '{paper}' to reproduce{nearest(paper, PAPERS)}")
    PAPERS[paper](
        Wanted(
            runs=runs,
            quick=quick,
            seed=seed,
            epsilon=tuple(epsilon),
            output=output,
            data=data,
            gallery=gallery,
        )
    )
