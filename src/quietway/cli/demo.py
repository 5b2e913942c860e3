"""quietway demo: everything once, on the example city."""

from __future__ import annotations

from pathlib import Path

import typer

from quietway.cli.example import DayChoice, example
from quietway.cli.ledger import limit
from quietway.cli.release import release
from quietway.cli.screen import say


def demo(folder: Path = typer.Argument(Path("demo"), help="Where to do it.")) -> None:
    """Make the example city, give it a budget, publish it, and say where the results are."""
    from quietway.spec import load_spec

    example(folder, DayChoice.WEEKDAY, paths=False)
    spec = load_spec(folder / "release.toml")
    if spec.output.exists():
        say(f"already published in {spec.output}; open {spec.output / 'report.html'}")
        return
    limit(spec.file.release.dataset, str(spec.epsilon), ledger=spec.ledger)
    release(folder / "release.toml", resume=False)
