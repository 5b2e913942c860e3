"""How each margin is drawn: columns along time, small multiples, or its largest blocks as rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quietway.publish.accuracy import agreement
from quietway.publish.charts import Frame, Series, columns, row_bars
from quietway.publish.markup import caution, element, interval, short, table, text
from quietway.publish.wording import plural, whole
from quietway.universe.partition import Partition
from quietway.universe.rule import Rule

if TYPE_CHECKING:
    from quietway.publish.release import Margin

MOST_COLUMNS = 400
MOST_PIVOTED = 200_000


@dataclass(frozen=True, kw_only=True)
class Room:
    """How much of each margin a page can show before it grows too heavy."""

    rows: int = 40
    multiples: int = 12

    @classmethod
    def shared(cls, margins: int) -> Room:
        """The whole room for a few margins, a part of it for each of many."""
        return cls(
            rows=max(8, min(40, 100 // max(1, margins))), multiples=max(3, min(12, 36 // max(1, margins)))
        )


def figure(name: str, margin: Margin, room: Room) -> str:
    """The drawing that suits a margin's shape, with its numbers and a warning where they disagree."""
    return _drawing(name, margin, room) + caution(1 - agreement(margin), "blocks")


def _drawing(name: str, margin: Margin, room: Room) -> str:
    ordered = [i for i, rule in enumerate(margin.partition.rules) if in_order(rule)]
    rules, blocks = len(margin.partition.rules), margin.partition.blocks
    if rules == 1 and ordered and 1 < blocks <= MOST_COLUMNS:
        return _columns(name, margin, room)
    if rules == 2 and ordered and blocks <= MOST_PIVOTED and _fits(margin.partition, ordered[-1]):
        return _multiples(name, margin, ordered[-1], room)
    return _largest(margin, room.rows)


def in_order(rule: Rule) -> bool:
    """Whether the blocks follow each other along one ordered axis."""
    if len(rule.axes) != 1 or not rule.universe.axes[rule.axes[0]].ordered:
        return False
    return rule.labels is None or bool((np.diff(rule.labels) >= 0).all())


def series(margin: Margin) -> Series:
    """A margin as something to draw; an estimate below zero is drawn where its interval starts."""
    return Series(
        published=margin.table.astype(np.float64),
        estimate=np.clip(margin.estimate, margin.low, margin.high),
        low=margin.low,
        high=margin.high,
    )


def numbers(margin: Margin, blocks: NDArray[np.int64]) -> list[list[str]]:
    """Label, published, estimate and interval of some blocks, as table cells."""
    labels = margin.partition.block_labels(blocks)
    values = (margin.table[blocks], margin.estimate[blocks], margin.low[blocks], margin.high[blocks])
    return [
        [_label(label), whole(published), whole(estimate), interval(low, high)]
        for label, published, estimate, low, high in zip(labels, *values, strict=True)
    ]


def _label(parts: tuple[str, ...]) -> str:
    return " <i>›</i> ".join(short(part) for part in parts) or "all trips"


def _columns(name: str, margin: Margin, room: Room) -> str:
    every = np.arange(margin.partition.blocks, dtype=np.int64)
    labels = [label[0] for label in margin.partition.block_labels(every)]
    drawn = series(margin)
    chart = columns(
        drawn, labels, Frame(extent=drawn.extent), f"{name}: trips by {margin.partition.columns[0]}"
    )
    head = (*map(text, margin.partition.columns), "Published", "Estimate", "95&nbsp;% interval")
    shown = every[: max(48, room.rows)]
    rest = _rest(every.size - shown.size, "Further")
    return f'<div class="wide">{chart}</div>' + _details(table(head, numbers(margin, shown)) + rest)


def _details(content: str) -> str:
    return f"<details><summary>The numbers behind this chart</summary>{content}</details>"


def _largest(margin: Margin, rows: int) -> str:
    """The blocks with the most published trips, one row and one bar each."""
    blocks = np.argsort(-margin.table, kind="stable")[:rows].astype(np.int64)
    bars = row_bars(series(margin).take(blocks))
    body = [[label, bar, *rest] for (label, *rest), bar in zip(numbers(margin, blocks), bars, strict=True)]
    name = " <i>›</i> ".join(text(column) for column in margin.partition.columns) or "Everything"
    head = (
        name,
        '<span class="quiet">trips, with their interval</span>',
        "Published",
        "Estimate",
        "95&nbsp;% interval",
    )
    return table(head, body, css="bars", words=2) + _rest(margin.partition.blocks - len(body), "Smaller")


def _rest(count: int, which: str) -> str:
    return (
        element("p", f"{which} blocks not shown: {count:,}. The margin’s file lists them all.", "note")
        if count
        else ""
    )


def _fits(partition: Partition, along: int) -> bool:
    return 1 < partition.rules[along].blocks <= MOST_COLUMNS // 2


def _multiples(name: str, margin: Margin, along: int, room: Room) -> str:
    """A small chart for each of the largest groups, all on one scale."""
    across, time = margin.partition.rules[1 - along], margin.partition.rules[along]
    blocks = np.arange(margin.partition.blocks, dtype=np.int64)
    blocks = (
        blocks.reshape(across.blocks, time.blocks) if along else blocks.reshape(time.blocks, across.blocks).T
    )
    size = margin.table[blocks].sum(axis=1)
    chosen = np.argsort(-size, kind="stable")[: room.multiples]
    extent = series(margin).take(blocks[chosen].ravel()).extent
    charts = "".join(
        _small(margin, blocks[i], across.block_name(int(i)), int(size[i]), time, extent) for i in chosen
    )
    note = f"All on one scale, by {text(time.name)}; each is headed by its published total."
    if across.blocks > chosen.size:
        note = f"The {chosen.size} largest of {plural(across.blocks, text(across.name))}. {note}"
    return element("div", charts, "small") + element("p", note, "note")


def _small(
    margin: Margin, blocks: NDArray[np.int64], label: str, size: int, time: Rule, extent: tuple[float, float]
) -> str:
    frame = Frame(width=260, height=118, left=40, right=4, top=6, bottom=20, names=4, ticks=2, extent=extent)
    names = [time.block_name(i) for i in range(time.blocks)]
    chart = columns(series(margin).take(blocks), names, frame, f"{label}: trips by {time.name}")
    return f"<figure><figcaption>{short(label, 26)} <b>{size:,}</b></figcaption>{chart}</figure>"
