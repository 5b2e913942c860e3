"""A release as a notebook shows it: the total, the margins, and one chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quietway.publish.accuracy import Errors, errors
from quietway.publish.figures import Room, figure
from quietway.publish.markup import interval, table, text
from quietway.publish.promise import warning
from quietway.publish.report import asset
from quietway.publish.sections import Margins, drawn_margins
from quietway.publish.wording import exact, measured, plural
from quietway.universe.partition import Partition
from quietway.universe.range import Range

if TYPE_CHECKING:
    from quietway.publish.release import Release

MOST_BLOCKS = 400
ROOM = Room(rows=10, multiples=6)


def release_html(release: Release) -> str:
    """A fragment of HTML whose styles stay inside it."""
    margins = drawn_margins(release)
    alarm = warning(release.manifest)
    banner = f'<p class="alarm">{text(alarm)}</p>' if alarm else ""
    return (
        f'<div class="quietway"><style>{asset("notebook.css")}</style>{banner}'
        f"<p><b>{text(release.name)}</b><br>{_facts(release)}</p>"
        f"{_margins(release, margins)}{_chart(margins)}</div>"
    )


def _facts(release: Release) -> str:
    answer = release.answer(Range.of(release.universe))
    return (
        f"{release.total:,} trips in {plural(release.keys.size, 'cell')} of {release.universe.size:,}; "
        f"in truth {interval(answer.low, answer.high)} (95&nbsp;%). "
        f"Epsilon {text(exact(release.manifest.epsilon))} per {text(release.manifest.unit.protects)}."
    )


def _margins(release: Release, margins: Margins) -> str:
    total = release.margin(Partition.total(release.universe))
    rows: list[list[str]] = []
    for name, margin in margins:
        found = errors(margin, total)
        off = ("bounds only", "–", "–") if found is None else _beside(found)
        rows.append(
            [text(name), f"{margin.partition.blocks:,}", measured(float(margin.estimate.mean())), *off]
        )
    head = ("Margin", "Blocks", "Mean trips", "Expected error", "Answering zero", "Answering the average")
    return table(head, rows) if rows else ""


def _beside(found: Errors) -> tuple[str, str, str]:
    """The expected error, and those of answers that know nothing."""
    average = "–" if found.average is None else measured(found.average)
    return measured(found.expected), measured(found.zero), average


def _chart(margins: Margins) -> str:
    small = [pair for pair in margins if pair[1].partition.blocks <= MOST_BLOCKS]
    if not small:
        return ""
    name, margin = small[0]
    return f"<p><b>{text(name)}</b></p>{figure(name, margin, ROOM)}"
