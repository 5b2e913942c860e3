"""Which axes of a universe trips go from and to, and which tells when."""

from __future__ import annotations

from quietway.universe.universe import Universe


def endpoints(universe: Universe) -> tuple[str, str] | None:
    """The axes trips go from and to: those named origin and destination, else two with the same labels."""
    if {"origin", "destination"} <= set(universe.names):
        return "origin", "destination"
    labelled = [axis for axis in universe.axes if axis.labels is not None and axis.size > 1]
    for i, first in enumerate(labelled):
        for second in labelled[i + 1 :]:
            if first.labels == second.labels:
                return first.name, second.name
    return None


def period_axis(universe: Universe, origin: str, destination: str) -> str | None:
    """The axis that tells when: the one named period, else the only other ordered axis."""
    others = [axis for axis in universe.axes if axis.name not in (origin, destination)]
    named = [axis.name for axis in others if axis.name == "period"]
    ordered = [axis.name for axis in others if axis.ordered]
    found = named or ordered
    return found[0] if len(found) == 1 else None
