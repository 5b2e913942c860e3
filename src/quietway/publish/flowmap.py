"""A map of flows drawn as tapered curves: thick where trips start, thin where they end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quietway.publish.markup import text
from quietway.publish.pairs import Pairs
from quietway.publish.wording import plural

if TYPE_CHECKING:
    from quietway.publish.release import Release

Floats = NDArray[np.float64]
WIDTH, MARGIN = 720, 26
SHORTEST, TALLEST = 340, 620
MOST_FLOWS, MOST_DOTS, MOST_NAMES = 100, 3000, 9
THICKEST, THINNEST = 11.0, 0.9
BEND = 0.16
LEGEND = 44


def flow_map(release: Release, flows: Pairs) -> str | None:
    """The largest flows as one SVG, or None when places are unknown or nothing moves between them."""
    located = _located(release, flows)
    if located is None:
        return None
    start, end, trips = located
    known = _known(release, flows)
    view = _View.around(known, start, end)
    shapes = _tapers(view.place(start), view.place(end), trips)[::-1]
    return (
        f'<svg class="map" viewBox="0 0 {WIDTH} {view.height + LEGEND:.0f}" role="img" '
        f'aria-label="Map of the {len(shapes)} largest flows between places">'
        f"{_dots(view.place(known))}"
        f'<g class="flows">{"".join(shapes)}</g>'
        f"{_names(release, flows, view)}{_legend(trips, view.height)}</svg>"
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _View:
    """A projection of longitude and latitude onto the page, true to shape at mid-latitude."""

    squeeze: float
    scale: float
    left: float
    top: float
    height: float

    @classmethod
    def around(cls, places: Floats, start: Floats, end: Floats) -> _View:
        """The view that holds all places, and the curves between starts and ends with their bulge."""
        middle = float(places[:, 1].min() + places[:, 1].max()) / 2
        squeeze = max(0.1, float(np.cos(np.radians(middle))))
        curves = _along(_flat(start, squeeze), _flat(end, squeeze))
        drawn = np.concatenate([_flat(places, squeeze), curves])
        corner = drawn.min(axis=0)
        wide, tall = np.maximum(drawn.max(axis=0) - corner, 1e-6).tolist()
        scale = min((WIDTH - 2 * MARGIN) / wide, (TALLEST - 2 * MARGIN) / tall)
        height = max(SHORTEST, tall * scale + 2 * MARGIN)
        return cls(
            squeeze=squeeze, scale=scale, height=height,
            left=(WIDTH - wide * scale) / 2 - corner[0] * scale,
            top=(height - tall * scale) / 2 - corner[1] * scale,
        )  # fmt: skip

    def place(self, places: Floats) -> Floats:
        """Page positions of (longitude, latitude) rows."""
        return _flat(places, self.squeeze) * self.scale + (self.left, self.top)


def _flat(places: Floats, squeeze: float) -> Floats:
    """Places on a plane in degrees of latitude, downward as on a page."""
    return places * (squeeze, -1.0)


def _located(release: Release, flows: Pairs) -> tuple[Floats, Floats, NDArray[np.int64]] | None:
    """Both ends and the trips of the largest flows that go somewhere else."""
    if not {flows.origin, flows.destination} <= set(release.places):
        return None
    start = np.asarray(release.places[flows.origin])[flows.origins]
    end = np.asarray(release.places[flows.destination])[flows.destinations]
    drawn = np.flatnonzero(np.isfinite(start + end).all(axis=1) & (start != end).any(axis=1))[:MOST_FLOWS]
    return (start[drawn], end[drawn], flows.trips[drawn]) if drawn.size else None


def _known(release: Release, flows: Pairs) -> Floats:
    places = np.concatenate([release.places[flows.origin], release.places[flows.destination]])
    return np.unique(places[np.isfinite(places).all(axis=1)], axis=0)


def _tapers(start: Floats, end: Floats, trips: NDArray[np.int64]) -> list[str]:
    """One closed path per flow. Curves bend to their right, so that both directions of a pair show."""
    right, control = _normal(end - start), _control(start, end)
    half = np.maximum(THINNEST, THICKEST * trips / trips.max())[:, None] / 2
    points = np.hstack(
        [
            start + right * half,
            control + right * half * 0.55,
            end,
            control - right * half * 0.55,
            start - right * half,
        ]
    ).round(1)
    return [
        f'<path d="M{a:g} {b:g}Q{c:g} {d:g} {e:g} {f:g}Q{g:g} {h:g} {i:g} {j:g}Z"/>'
        for a, b, c, d, e, f, g, h, i, j in points.tolist()
    ]


def _control(start: Floats, end: Floats) -> Floats:
    """Where the curves would go if they did not have to be smooth."""
    length = np.hypot(*(end - start).T)[:, None]
    return (start + end) / 2 + BEND * length * _normal(end - start)


def _along(start: Floats, end: Floats) -> Floats:
    """Points on the curves, as many as a frame around them needs."""
    control = _control(start, end)
    return np.concatenate(
        [start * (1 - t) ** 2 + control * 2 * t * (1 - t) + end * t**2 for t in np.linspace(0, 1, 9)]
    )


def _normal(along: Floats) -> Floats:
    """Unit vectors to the right of directions on the page."""
    length = np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)[:, None]
    return np.column_stack([-along[:, 1], along[:, 0]]) / length


def _dots(places: Floats) -> str:
    step = -(-len(places) // MOST_DOTS)
    marks = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places[::step].tolist())
    return f'<path class="places" d="{marks}"/>'


def _names(release: Release, flows: Pairs, view: _View) -> str:
    """Names of the busiest origins and destinations, leaving out those that would cover another."""
    busiest: dict[tuple[float, float], str] = {}
    for axis, index in ((flows.origin, flows.origins), (flows.destination, flows.destinations)):
        sums = np.bincount(index, weights=flows.trips)
        for i in np.argsort(-sums, kind="stable")[:MOST_NAMES].tolist():
            x, y = view.place(np.asarray(release.places[axis])[i : i + 1])[0].tolist()
            busiest.setdefault((round(x, 1), round(y, 1)), release.universe.axis(axis).label(i))
    drawn: list[tuple[float, float, float]] = []
    return "".join(_name(x, y, label, drawn) for (x, y), label in busiest.items() if np.isfinite(x + y))


def _name(x: float, y: float, label: str, drawn: list[tuple[float, float, float]]) -> str:
    label = label if len(label) <= 22 else label[:21] + "…"
    width = 8.2 * len(label)
    x = min(x + 5, WIDTH - width - 4)
    if any(abs(y - other) < 14 and x < right and left < x + width for left, right, other in drawn):
        return ""
    drawn.append((x, x + width, y))
    return f'<text class="place" x="{x:.1f}" y="{y - 5:.1f}">{text(label)}</text>'


def _legend(trips: NDArray[np.int64], height: float) -> str:
    """What widths mean: the largest flow drawn, and a quarter of it."""
    largest = int(trips.max())
    sizes = sorted({largest, max(1, round(largest / 4))}, reverse=True)
    start = np.array([[MARGIN + 190.0 * i, height + 16] for i in range(len(sizes))])
    shapes = _tapers(start, start + np.array([64.0, 0.0]), np.array(sizes))
    names = "".join(
        f'<text class="tick" x="{x + 76:.0f}" y="{y + 9:.0f}">{plural(size, "trip")}</text>'
        for size, (x, y) in zip(sizes, start.tolist(), strict=True)
    )
    rule = f'<path class="grid" d="M0 {height:.0f}H{WIDTH}"/>'
    return f'<g class="legend">{rule}<g class="flows">{"".join(shapes)}</g>{names}</g>'
