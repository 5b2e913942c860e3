"""The largest flows in a table, each with the interval of its own answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quietway.publish.markup import caution, interval, short, table, text
from quietway.publish.pairs import Pairs
from quietway.publish.wording import whole
from quietway.universe.range import Range

if TYPE_CHECKING:
    from quietway.publish.release import Answer, Release

MOST_FLOWS = 25


def flow_table(release: Release, flows: Pairs) -> str:
    """One row per flow: from, to, published trips, estimate and interval."""
    answers = [_answer(release, flows, i) for i in range(min(MOST_FLOWS, len(flows)))]
    head = (text(flows.origin), text(flows.destination), "Published", "Estimate", "95&nbsp;% interval")
    rows = [
        [short(start, 40), short(end, 40), whole(a.table), whole(a.estimate), interval(a.low, a.high)]
        for start, end, a in answers
    ]
    outside = sum(not a.low <= a.table <= a.high for _, _, a in answers)
    return table(head, rows, words=2) + caution(outside / max(1, len(answers)), "flows")


def _answer(release: Release, flows: Pairs, rank: int) -> tuple[str, str, Answer]:
    universe = release.universe
    start = universe.axis(flows.origin).label(int(flows.origins[rank]))
    end = universe.axis(flows.destination).label(int(flows.destinations[rank]))
    range_ = Range.of(universe, {flows.origin: [start], flows.destination: [end]})
    return start, end, release.answer(range_)
