"""quietway query: a range query with its error bar."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from quietway.cli.screen import fitted, say, table
from quietway.errors import UniverseError

if TYPE_CHECKING:
    from quietway.publish.paths.release import PathAnswer, PathRelease
    from quietway.publish.release import Answer, Release
    from quietway.universe.range import Selection


def query(
    folder: Path = typer.Argument(..., metavar="RELEASE", help="A published folder."),
    where: list[str] = typer.Argument(
        None,
        metavar="[AXIS=VALUES]...",
        help="Trips: origin=C01,C02 or period=08:00..10:00 (10:00 left out). Paths, by stop: start=C01,C02, "
        "noon=circle:-73.98,40.75,500m, end=-74.02,40.70..-73.97,40.75 or end=rows:0..9,columns:3..5.",
    ),
    by: str | None = typer.Option(None, help="Show a published margin by name instead of one number."),
    confidence: float = typer.Option(0.95, help="How often the interval must hold the truth."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """How many trips or paths, and how sure: `quietway query published origin=C01,C02 period=08:00..10:00`."""
    from quietway.publish.confidence import require_confidence
    from quietway.publish.promise import is_private
    from quietway.publish.release import Answer
    from quietway.publish.store import load_release

    release = load_release(folder)
    if by is not None:
        rows = _margin(_of_trips(release, by, where), by, confidence)
        say(json.dumps(rows, ensure_ascii=False) if as_json else _as_table(rows))
        return
    require_confidence(confidence)
    answer = _ask(release, where or [], confidence)
    if as_json:
        say(json.dumps(vars(answer)))
        return
    say(str(answer))
    if isinstance(answer, Answer):
        say(f"the published cells add up to {answer.table:,}")
    if not is_private(release.manifest):
        say("NOT PRIVATE: a rehearsal, or noise that no ledger paid for")


def _ask(release: Release | PathRelease, where: list[str], confidence: float) -> Answer | PathAnswer:
    """The question is understood before anything is fitted."""
    from quietway.publish.paths.release import PathRelease
    from quietway.publish.paths.where import region
    from quietway.universe import Range

    if isinstance(release, PathRelease):
        asked = region(release.space, _given(where, "start=C01,C02 or noon=circle:-73.98,40.75,500m"))
        return fitted(release).answer(asked, confidence)
    given = _given(where, "origin=C01,C02 or period=08:00..10:00")
    range_ = Range.of(release.universe, {axis: _selection(values) for axis, values in given.items()})
    return fitted(release).answer(range_, confidence)


def _of_trips(release: Release | PathRelease, by: str, where: list[str] | None) -> Release:
    """A release that has the margin asked for."""
    from quietway.publish.paths.release import PathRelease

    if isinstance(release, PathRelease):
        raise UniverseError(
            "--by shows a margin of trips; this release holds paths, whose tables by stop are in its folder stops/"
        )
    if where:
        raise UniverseError("--by shows a whole margin, so it takes no AXIS=VALUES; leave one of them out")
    release.feature(by)
    return fitted(release)


def _given(where: list[str], example: str) -> dict[str, str]:
    """What was asked of each axis or stop, as it was written."""
    given: dict[str, str] = {}
    for text in where:
        name, equals, values = text.partition("=")
        if not equals or not values:
            raise UniverseError(f"'{text}' is not AXIS=VALUES; write {example}")
        if name in given:
            raise UniverseError(f"'{name}' is given twice; write its values together, as in {name}=A,B")
        given[name] = values
    return given


def _selection(values: str) -> Selection:
    if ".." in values:
        start, _, stop = values.partition("..")
        return slice(start or None, stop or None)
    return values.split(",")


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
