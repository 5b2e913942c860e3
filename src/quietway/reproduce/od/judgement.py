"""Everything that is judged."""

from __future__ import annotations

from quietway.reproduce.od.case import Results
from quietway.reproduce.od.claim import judged, on_average
from quietway.reproduce.od.claims import IN_EVERY_CASE, ON_AVERAGE
from quietway.reproduce.od.methods import DAF, DATA_INDEPENDENT
from quietway.reproduce.od.paper import TABLE_3
from quietway.reproduce.od.trends import TRENDS
from quietway.reproduce.verdict import Outcome, Verdict, tallied

FIVE_MINUTES = 300.0


def verdicts(results: Results) -> list[Verdict]:
    """All claims, tried."""
    return [
        *(judged(results, claim) for claim in IN_EVERY_CASE),
        *(on_average(results, claim) for claim in ON_AVERAGE),
        *(trend(results) for trend in TRENDS),
        *_times(results),
    ]


def _times(results: Results) -> list[Verdict]:
    """Of table 3. Times are of one machine: only whether the order is plain is asked, never two standard errors."""
    faster, short = list[Outcome](), list[Outcome]()
    for data in dict.fromkeys(time.data for time in results.times):
        seconds = {time.method: time.measuring for time in results.times if time.data == data}
        short += [(1 if seconds[m] < FIVE_MINUTES else -1, f"{m}, {data}") for m in TABLE_3 if m in seconds]
        for daf in DAF:
            faster += [
                (1 if seconds[daf] < seconds[m] else -1, f"{daf} against {m}, {data}")
                for m in DATA_INDEPENDENT
                if {daf, m} <= set(seconds)
            ]
    return [
        tallied(
            "DAF takes less time than IDENTITY, EUG, EBP and MKM",
            "section 6.3, Table 3",
            faster,
            "Here a grid is counted in one pass over the points, and its noise is compiled; a tree takes a pass for every axis. The "
            "paper's data-independent methods seem to visit a million cells one by one.",
        ),
        tallied("every method takes less than five minutes", "section 6.3", short, "The machine was busy."),
    ]
