"""What becomes of a path, told of each path alone."""

from __future__ import annotations

from enum import IntEnum
from typing import Literal

STATE = "quietway_state"
Fewer = Literal["refuse", "drop"]
More = Literal["refuse", "drop", "first", "last", "ends"]
Twice = Literal["refuse", "drop"]


class State(IntEnum):
    """Counted, left out as asked, or a reason to refuse the records."""

    COUNTED = 0
    LEFT_OUT = 1
    OUTSIDE = 2
    FEWER = 3
    MORE = 4
    TWICE = 5


def at(stop: int) -> str:
    """The column of a path table that tells the place of a stop; null where it is outside."""
    return f"quietway_stop_{stop}"
