"""A piece of ground on a page: degrees, or rows and columns, as positions in an SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, floor, log10, radians

import numpy as np
from numpy.typing import NDArray

from quietway.publish.markup import text
from quietway.publish.paths.ground import edges, located
from quietway.universe.frame import Frame

Floats = NDArray[np.float64]
WIDTH, TALLEST, MARGIN, FOOT = 640, 700, 12, 26
KM_PER_DEGREE = 111.2
NAMES = 12


@dataclass(frozen=True, kw_only=True)
class Canvas:
    """A view on a rectangle of ground; north is up, and shapes are true at its middle."""

    west: float
    north: float
    across: float
    up: float
    height: float
    km: bool

    @classmethod
    def over(cls, frames: Sequence[Frame]) -> Canvas:
        """The view that holds all of these frames, either all on the ground or of numbers alone."""
        ends = [(x[0], y[0], x[-1], y[-1]) for x, y in map(edges, frames)]
        west, south = (min(end[i] for end in ends) for i in (0, 1))
        east, north = (max(end[i] for end in ends) for i in (2, 3))
        km = located(frames[0])
        squeeze = max(0.1, cos(radians((south + north) / 2))) if km else 1.0
        room = WIDTH - 2 * MARGIN, TALLEST - 2 * MARGIN
        scale = min(room[0] / ((east - west) * squeeze), room[1] / (north - south))
        if not km and (east - west) / (north - south) > 12:
            return cls(west=west, north=north, across=room[0] / (east - west), up=60.0, height=84.0, km=False)
        return cls(
            west=west, north=north, across=scale * squeeze, up=scale, km=km,
            height=(north - south) * scale + 2 * MARGIN,
        )  # fmt: skip

    def place(self, points: Floats) -> Floats:
        """Positions on the page of (..., 2) longitudes and latitudes."""
        return (points - (self.west, self.north)) * (self.across, -self.up) + MARGIN

    def rectangles(self, corners: Floats) -> Floats:
        """Left, top, width and height of rectangles given by west, south, east and north."""
        start, end = self.place(corners[:, [0, 3]]), self.place(corners[:, [2, 1]])
        return np.hstack([start, end - start])

    def svg(self, label: str, content: str) -> str:
        """A picture with a bar that tells its scale."""
        size = f"0 0 {WIDTH} {self.height + FOOT:.0f}"
        return f'<svg class="map" viewBox="{size}" role="img" aria-label="{text(label)}">{content}{self._bar()}</svg>'

    def _bar(self) -> str:
        if not self.km:
            return ""
        unit = self.up / KM_PER_DEGREE
        length = round_below(WIDTH / 4 / unit)
        name = f"{length:g} km" if length >= 1 else f"{1000 * length:g} m"
        left, top = MARGIN, self.height + 4
        return (
            f'<path class="scale" d="M{left} {top:.1f}v6h{length * unit:.1f}v-6"/>'
            f'<text class="tick" x="{left + length * unit + 8:.1f}" y="{top + 9:.1f}">{name}</text>'
        )


def round_below(value: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is no larger."""
    power = 10.0 ** floor(log10(value))
    return next(power * k for k in (5, 2, 1) if power * k <= value * 1.0001)
