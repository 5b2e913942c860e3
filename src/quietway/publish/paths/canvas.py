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
SHORTEST, MARGIN, FOOT = 40, 10, 24
KM_PER_DEGREE = 111.2


@dataclass(frozen=True, kw_only=True)
class Canvas:
    """A view on a rectangle of ground; north is up, and shapes are true at its middle."""

    west: float
    north: float
    across: float
    up: float
    left: float
    width: int
    height: float
    km: bool

    @classmethod
    def over(cls, frames: Sequence[Frame], *, width: int, tallest: int) -> Canvas:
        """The view that holds all of these frames, either all on the ground or of numbers alone."""
        ends = np.array([(x[0], y[0], x[-1], y[-1]) for x, y in map(edges, frames)])
        west, south = ends[:, :2].min(axis=0).tolist()
        east, north = ends[:, 2:].max(axis=0).tolist()
        km = located(frames[0])
        squeeze = max(0.1, cos(radians((south + north) / 2))) if km else 1.0
        wide, tall = (east - west) * squeeze, north - south
        scale = min((width - 2 * MARGIN) / wide, (tallest - 2 * MARGIN) / tall)
        up = max(scale, SHORTEST / tall)  # a single row is drawn as a band
        return cls(
            west=west, north=north, across=scale * squeeze, up=up, km=km,
            left=(width - wide * scale) / 2, width=width, height=tall * up + 2 * MARGIN,
        )  # fmt: skip

    def place(self, points: Floats) -> Floats:
        """Positions on the page of (..., 2) longitudes and latitudes."""
        return (points - (self.west, self.north)) * (self.across, -self.up) + (self.left, MARGIN)

    def rectangles(self, corners: Floats) -> Floats:
        """Left, top, width and height of rectangles given by west, south, east and north."""
        start, end = self.place(corners[:, [0, 3]]), self.place(corners[:, [2, 1]])
        return np.hstack([start, end - start])

    def svg(self, label: str, content: str) -> str:
        """A picture with a bar that tells its scale."""
        size = f"0 0 {self.width} {self.height + FOOT * self.km:.0f}"
        return f'<svg class="map" viewBox="{size}" role="img" aria-label="{text(label)}">{content}{self._bar()}</svg>'

    def _bar(self) -> str:
        if not self.km:
            return ""
        unit = self.up / KM_PER_DEGREE
        length = round_below(self.width / 4 / unit)
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
