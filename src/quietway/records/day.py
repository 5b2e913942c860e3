"""Times of day as release files write them."""

from __future__ import annotations

from collections.abc import Sequence

MINUTES_A_DAY = 24 * 60


def minute_of(text: str) -> int | None:
    """The minute of the day of a time up to 24:00; None where it is none."""
    hours, colon, minutes = text.partition(":")
    if colon and hours.isdecimal() and minutes.isdecimal() and len(minutes) == 2:
        minute = int(hours) * 60 + int(minutes)
        if int(minutes) < 60 and minute <= MINUTES_A_DAY:
            return minute
    return None


def first_overlap(spans: Sequence[tuple[int, int]]) -> int | None:
    """The first span that does not end before the next one begins; spans are taken in the order given."""
    return next((i for i in range(len(spans) - 1) if spans[i][1] > spans[i + 1][0]), None)
