"""Figure 5(a, b) as one SVG: errors of the methods at each epsilon, on logarithmic scales, the printed numbers beside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from quietway.city import DAYS, DayName
from quietway.publish.markup import text
from quietway.reproduce.cbdp import Case, Results
from quietway.reproduce.paper import METHODS, TABLE_2, TABLE_2_EPSILONS
from quietway.reproduce.scores import RMS

WIDTH, HEIGHT, TOP, BOTTOM, LEFT, GAP, KEY = 430, 330, 44, 46, 52, 30, 168
LINES = {
    "lap rounded": ("#6b7280", ""),
    "h3": ("#f0b27a", ""),
    "h4": ("#dc7633", ""),
    "h5": ("#a04000", ""),
    "o3": ("#7fb3d5", ""),
    "o4": ("#2e86c1", ""),
    "o5": ("#1a5276", ""),
    "zero": ("#111827", "5 4"),
}
PRINTED = ("o5", "h5")
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#374151}.title{font-size:14px;font-weight:600}"
    ".grid{stroke:#e5e7eb}.line{fill:none;stroke-width:2}"
)


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One day's axes: epsilon from large to small, the error upward."""

    day: DayName
    left: float
    epsilons: tuple[float, ...]
    low: int
    high: int

    def x(self, epsilon: float) -> float:
        """Evenly in the logarithm; one epsilon alone stands in the middle."""
        first, last = log10(max(self.epsilons)), log10(min(self.epsilons))
        share = 0.5 if first == last else (first - log10(epsilon)) / (first - last)
        return self.left + 14 + share * (WIDTH - 28)

    def y(self, error: float) -> float:
        """In decades."""
        return TOP + HEIGHT * (self.high - log10(max(error, 10.0**self.low))) / (self.high - self.low)


def plot(results: Results, score: str = RMS) -> str:
    """Both days beside each other."""
    low, high = _decades(results, score)
    width = LEFT + 2 * WIDTH + GAP + KEY
    panels = [
        Panel(
            day=day,
            left=LEFT + i * (WIDTH + GAP),
            epsilons=tuple(float(epsilon) for epsilon in results.settings.epsilons),
            low=low,
            high=high,
        )
        for i, day in enumerate(DAYS)
    ]
    drawn = "".join(_panel(results, panel, score, first=i == 0) for i, panel in enumerate(panels))
    size = f'width="{width}" height="{TOP + HEIGHT + BOTTOM}" viewBox="0 0 {width} {TOP + HEIGHT + BOTTOM}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>Error of each method, {text(score)}</title>'
        f'<style>{STYLE}</style><rect width="100%" height="100%" fill="#fff"/>{drawn}{_key(width - KEY + 22)}</svg>\n'
    )


def _decades(results: Results, score: str) -> tuple[int, int]:
    ours = [results.mean(case, method, score) for case in results.cases() for method in LINES]
    printed = [error for _, _, error in _printed(results)]
    every = [error for error in (*ours, *printed) if error > 0]
    return floor(log10(min(every))), max(ceil(log10(max(every))), floor(log10(min(every))) + 1)


def _printed(results: Results) -> Iterable[tuple[Case, str, float]]:
    """What Table 2 says of the cases that were run."""
    for case in results.cases():
        if case.epsilon in TABLE_2_EPSILONS:
            for method in PRINTED:
                yield case, method, TABLE_2[method][case.day][TABLE_2_EPSILONS.index(case.epsilon)]


def _panel(results: Results, panel: Panel, score: str, *, first: bool) -> str:
    cases = [case for case in results.cases() if case.day == panel.day]
    lines = "".join(
        _line(
            [(panel.x(float(case.epsilon)), panel.y(results.mean(case, method, score))) for case in cases],
            method,
        )
        for method in LINES
    )
    rings = "".join(
        f'<circle cx="{panel.x(float(case.epsilon)):.1f}" cy="{panel.y(error):.1f}" r="5" fill="none" '
        f'stroke="{LINES[method][0]}" stroke-width="1.6"/>'
        for case, method, error in _printed(results)
        if case.day == panel.day
    )
    middle = panel.left + WIDTH / 2
    return (
        f'<text class="title" x="{middle:.0f}" y="20" text-anchor="middle">{text(panel.day.capitalize())}: {text(score)}</text>'
        f"{_grid(panel, numbered=first)}{lines}{rings}"
        f'<text x="{middle:.0f}" y="{TOP + HEIGHT + 38}" text-anchor="middle">epsilon</text>'
    )


def _grid(panel: Panel, *, numbered: bool) -> str:
    rows = "".join(
        f'<path class="grid" d="M{panel.left} {panel.y(10.0**power):.1f}h{WIDTH}"/>'
        + (
            f'<text x="{panel.left - 8}" y="{panel.y(10.0**power) + 4:.1f}" text-anchor="end">{10.0**power:g}</text>'
            if numbered
            else ""
        )
        for power in range(panel.low, panel.high + 1)
    )
    columns = "".join(
        f'<path class="grid" d="M{panel.x(e):.1f} {TOP}v{HEIGHT}"/>'
        f'<text x="{panel.x(e):.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{e:g}</text>'
        for e in panel.epsilons
    )
    return rows + columns


def _line(points: Sequence[tuple[float, float]], method: str) -> str:
    colour, dashes = LINES[method]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>' for x, y in points)
    return f'<path class="line" stroke="{colour}" stroke-dasharray="{dashes}" d="{path}"/>{dots}'


def _key(left: float) -> str:
    rows = [
        f'<path class="line" stroke="{colour}" stroke-dasharray="{dashes}" d="M{left} {TOP + 8 + 20 * i}h24"/>'
        f'<text x="{left + 32}" y="{TOP + 12 + 20 * i}">{text(METHODS[method].name)}</text>'
        for i, (method, (colour, dashes)) in enumerate(LINES.items())
    ]
    below = TOP + 12 + 20 * len(LINES)
    rows.append(
        f'<circle cx="{left + 12}" cy="{below - 4}" r="5" fill="none" stroke="#374151" stroke-width="1.6"/>'
        f'<text x="{left + 32}" y="{below}">printed (Table 2)</text>'
    )
    return "".join(rows)
