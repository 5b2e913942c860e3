"""quietway query: a range query with its error bar."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from quietway.cli.screen import fitted, say, table
from quietway.errors import UniverseError

if TYPE_CHECKING:
    from quietway.publish.release import Release
    from quietway.universe.range import Selection


def query(
    folder: Path = typer.Argument(..., metavar="RELEASE", help="A published folder."),
    where: list[str] = typer.Argument(
        None, metavar="[AXIS=VALUES]...", help="origin=C01,C02 or period=08:00..10:00 (10:00 left out)."
    ),
    by: str | None = typer.Option(None, help="Show a published margin by name instead of one number."),
    confidence: float = typer.Option(0.95, help="How often the interval must hold the truth."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """How many trips, and how sure: `quietway query published origin=C01,C02 period=08:00..10:00`."""
    from quietway.publish.promise import is_private
    from quietway.publish.confidence import require_confidence
    from quietway.publish.store import load_release
    from quietway.universe import Range

    release = load_release(folder)
    if by is not None:
        if where:
            raise UniverseError(
                "--by shows a whole margin, so it takes no AXIS=VALUES; leave one of them out"
            )
        release.feature(by)
        rows = _margin(fitted(release), by, confidence)
        say(json.dumps(rows, ensure_ascii=False) if as_json else _as_table(rows))
        return
    asked = Range.of(release.universe, _selections(where or []))
    require_confidence(confidence)
    answer = fitted(release).answer(asked, confidence)
    if as_json:
        say(json.dumps(vars(answer)))
        return
    say(str(answer))
    say(f"the published cells add up to {answer.table:,}")
    if not is_private(release.manifest):
        say("NOT PRIVATE: a rehearsal, or noise that no ledger paid for")


def _selections(where: list[str]) -> dict[str, Selection]:
    selections: dict[str, Selection] = {}
    for axis, selection in map(_selection, where):
        if axis in selections:
            raise UniverseError(f"'{axis}' is given twice; write its values together, as in {axis}=A,B")
        selections[axis] = selection
    return selections


def _selection(text: str) -> tuple[str, Selection]:
    axis, equals, values = text.partition("=")
    if not equals or not values:
        raise UniverseError(f"'{text}' is not AXIS=VALUES; write origin=C01,C02 or period=08:00..10:00")
    if ".." in values:
        start, _, stop = values.partition("..")
        return axis, slice(start or None, stop or None)
    return axis, values.split(",")


def _margin(release: Release, name: str, confidence: float) -> list[dict[str, str | float]]:
    import numpy as np

    partition = release.feature(name)
    margin = release.margin(partition, confidence)
    labels = partition.block_labels(np.arange(partition.blocks))
    columns = (margin.table.tolist(), margin.estimate.tolist(), margin.low.tolist(), margin.high.tolist())
    return [
        {
            **dict(zip(partition.columns, label, strict=True)),
            "published": published,
            "estimate": round(estimate, 2),
            "low": round(low, 2),
            "high": round(high, 2),
        }
        for label, published, estimate, low, high in zip(labels, *columns, strict=True)
    ]


def _as_table(rows: list[dict[str, str | float]]) -> str:
    head = list(rows[0])
    return table(
        head,
        [
            [f"{value:,}" if isinstance(value, int | float) else value for value in row.values()]
            for row in rows
        ],
        words=len(head) - 4,
    )
