"""A picture of one day's flows, true and published in three ways: between stops, and between zones."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from quietway.city import DayName, build_city
from quietway.noise import seeded
from quietway.publish.markup import text
from quietway.reproduce.case_study import CaseStudy, Floats, Index, case_study
from quietway.reproduce.families import Answers
from quietway.reproduce.methods import FAMILIES

SIDE, EDGE, HEAD, LOW_ROW = 300, 16, 62, 26
FLOWS = 120
THICKEST, THINNEST, WIDEST_ZONE, LARGEST_CIRCLE = 5.0, 0.4, 16.0, 20.0
BEND = 0.16
WAYS = (
    ("lap rounded", "Laplace (M_Lap)"),
    ("h5", "hierarchical (M_H5)"),
    ("o5 integers", "CBDP (M_O5)"),
)
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#374151}.head{font-size:15px;font-weight:600;fill:#111827}"
    ".flow{fill:none;stroke:#b4541a;stroke-opacity:.5;stroke-linecap:round}.stop{fill:#9ca3af}.zone{fill:#17635c;fill-opacity:.75}"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Flows:
    """Trips of a day between places that stand on a plane, by origin and destination."""

    places: Floats
    trips: Floats


def gallery(*, epsilon: Fraction, day: DayName = "weekday", seed: int = 0) -> str:
    """The truth, and one run of each way, as an SVG. The trips are invented and the noise is seeded."""
    study = case_study(day)
    tables = [(f"true, {day}", study.truth), *_published(study, epsilon, seed)]
    panels = "".join(_column(i, name, cells) for i, (name, cells) in enumerate(tables))
    width, height = len(tables) * SIDE, HEAD + 2 * SIDE + LOW_ROW + 30
    note = (
        f"Above: the {FLOWS} largest flows between stops. Below: all flows between zones, circles for those within one. Widths "
        f"are shares of each panel's largest. Epsilon {float(epsilon):g}, one run."
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">'
        f"<title>Flows of the example city, true and published</title><style>{STYLE}</style>"
        f'<rect width="100%" height="100%" fill="#fff"/>{panels}<text x="{EDGE}" y="{height - 14}">{text(note)}</text></svg>\n'
    )


def _published(study: CaseStudy, epsilon: Fraction, seed: int) -> list[tuple[str, Floats]]:
    """What each way makes of the day, to the nearest non-negative integer as the paper does."""
    wanted, found = dict(WAYS), dict[str, Floats]()
    rng = seeded(seed)
    for family in FAMILIES:
        measurements = family.measured(study, epsilon, rng=rng)
        found |= {
            name: _cells(study, answers) for name, answers in family.fits(measurements) if name in wanted
        }
    return [(title, found[name]) for name, title in WAYS]


def _cells(study: CaseStudy, answers: Answers) -> Floats:
    whole = np.maximum(0.0, np.rint(answers.values))
    if answers.keys is None:
        return whole
    cells = np.zeros(study.universe.size)
    cells[answers.keys] = whole
    return cells


def _column(number: int, title: str, cells: Floats) -> str:
    stops, zones = _between_stops(cells), _between_zones(cells)
    return (
        f'<g transform="translate({number * SIDE} 0)"><text class="head" x="{EDGE}" y="24">{text(title)}</text>'
        f'<text x="{EDGE}" y="44">{cells.sum():,.0f} trips</text>'
        f'<g transform="translate(0 {HEAD})">{_stops(stops)}</g>'
        f'<g transform="translate(0 {HEAD + SIDE + LOW_ROW})">{_zones(zones)}</g></g>'
    )


def _between_stops(cells: Floats) -> Flows:
    city = build_city()
    pairs = cells.reshape(city.stops.size, city.stops.size, -1).sum(axis=2)
    return Flows(places=_on_page(city.places), trips=pairs)


def _between_zones(cells: Floats) -> Flows:
    """Zones stand in the middle of their stops."""
    stops, zone = _between_stops(cells), build_city().stops.zone.astype(np.int64)
    inside = np.eye(int(zone.max()) + 1)[zone]
    middle = (inside.T @ stops.places) / inside.sum(axis=0)[:, None]
    return Flows(places=middle, trips=inside.T @ stops.trips @ inside)


def _on_page(places: Floats) -> Floats:
    """Longitude and latitude in a square, true to shape."""
    low, high = places.min(axis=0), places.max(axis=0)
    squeeze = np.array([np.cos(np.radians((low[1] + high[1]) / 2)), 1.0])
    scale = (SIDE - 2 * EDGE) / float(((high - low) * squeeze).max())
    middle = (places - (low + high) / 2) * squeeze * (1, -1) * scale
    return middle + SIDE / 2


def _stops(flows: Flows) -> str:
    trips = flows.trips * (1 - np.eye(len(flows.trips)))
    dots = "".join(f'<circle class="stop" cx="{x:.1f}" cy="{y:.1f}" r="1.5"/>' for x, y in flows.places)
    origin, destination = _largest(trips)
    share = trips[origin, destination] / max(1.0, float(trips.max()))
    return dots + _curves(flows.places, origin, destination, np.maximum(THINNEST, THICKEST * share))


def _zones(flows: Flows) -> str:
    trips = flows.trips / max(1.0, float(flows.trips.max()))
    origin, destination = np.nonzero(1 - np.eye(len(trips)))
    curves = _curves(flows.places, origin, destination, WIDEST_ZONE * trips[origin, destination])
    circles = "".join(
        f'<circle class="zone" cx="{x:.1f}" cy="{y:.1f}" r="{LARGEST_CIRCLE * share**0.5:.1f}"/>'
        for (x, y), share in zip(flows.places, np.diag(trips), strict=True)
    )
    names = "".join(
        f'<text x="{x - 32:.1f}" y="{y:.1f}" text-anchor="end">{text(zone.name)}</text>'
        for (x, y), zone in zip(flows.places, build_city().zones, strict=True)
    )
    return curves + circles + names


def _largest(trips: Floats) -> tuple[Index, Index]:
    """The largest flows, thin ones first so that thick ones are drawn over them."""
    order = np.argsort(-trips, axis=None, kind="stable")[:FLOWS][::-1]
    origin, destination = np.divmod(order[trips.ravel()[order] > 0], trips.shape[1])
    return origin, destination


def _curves(places: Floats, origin: Index, destination: Index, widths: Floats) -> str:
    """Curves that bend to their right, so that both directions show."""
    start, end = places[origin], places[destination]
    control = (start + end) / 2 + BEND * (end - start)[:, ::-1] * (-1, 1)
    points = np.hstack((start, control, end)).round(1)
    return "".join(
        f'<path class="flow" stroke-width="{width:.1f}" d="M{a:g} {b:g}Q{c:g} {d:g} {e:g} {f:g}"/>'
        for (a, b, c, d, e, f), width in zip(points.tolist(), widths, strict=True)
    )
