"""Figures 4 to 8 as one SVG of small panels: the error of each method, upward in decades."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log10

from quietway.publish.markup import text
from quietway.reproduce.od.case import RANDOM, Case, Figure, Results

WIDTH, HEIGHT, LEFT, TOP, ACROSS, DOWN, COLUMNS, KEY = 230, 170, 52, 34, 62, 74, 4, 30
LINES = {
    "IDENTITY": ("#9ca3af", ""),
    "MKM": ("#6b7280", "5 3"),
    "EUG": ("#e59866", ""),
    "EBP": ("#ca6f1e", ""),
    "DAF-Entropy": ("#7fb3d5", ""),
    "DAF-Homogeneity": ("#2e86c1", "5 3"),
    "uniform": ("#111827", "2 3"),
    "privtree": ("#7d3c98", "5 3"),
    "daf": ("#117a65", ""),
}
STYLE = (
    "text{font:11px system-ui,sans-serif;fill:#374151}.title{font-size:11px;font-weight:600}"
    ".grid{stroke:#e5e7eb}.line{fill:none;stroke-width:1.8}"
)


@dataclass(frozen=True, kw_only=True)
class Panel:
    """Cases side by side, one column each."""

    title: str
    along: str
    columns: tuple[str, ...]
    errors: dict[str, tuple[float, ...]]

    @property
    def decades(self) -> tuple[int, int]:
        """The powers of ten around all errors."""
        every = [error for errors in self.errors.values() for error in errors if error > 0] or [1.0]
        low = floor(log10(min(every)))
        return low, max(ceil(log10(max(every))), low + 1)


def plot(results: Results) -> str:
    """All panels, row after row."""
    every = list(panels(results))
    rows = ceil(len(every) / COLUMNS)
    width, height = LEFT + COLUMNS * (WIDTH + ACROSS), TOP + rows * (HEIGHT + DOWN) + KEY
    drawn = "".join(
        _panel(panel, LEFT + i % COLUMNS * (WIDTH + ACROSS), TOP + i // COLUMNS * (HEIGHT + DOWN))
        for i, panel in enumerate(every)
    )
    shown = [method for method in LINES if any(method in panel.errors for panel in every)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">'
        f"<title>Mean relative error of each method, percent</title><style>{STYLE}</style>"
        f'<rect width="100%" height="100%" fill="#fff"/>{drawn}{_key(shown, height - KEY / 2)}</svg>\n'
    )


def panels(results: Results) -> Iterator[Panel]:
    """Figure 4 at every epsilon; the others at the smallest."""
    least = results.settings.epsilons[0]
    for figure in Figure:
        cases = results.cases(lambda case, f=figure: case.figure == f)
        for data, dimensions in dict.fromkeys((case.data, case.dimensions) for case in cases):
            for epsilon in results.settings.epsilons if figure == Figure.GAUSSIAN else (least,):
                chosen = [
                    case
                    for case in cases
                    if (case.data, case.dimensions, case.epsilon) == (data, dimensions, epsilon)
                ]
                yield _of(results, figure, f"{data} {dimensions}-D", epsilon, chosen)


def _of(results: Results, figure: Figure, what: str, epsilon: Fraction, cases: Sequence[Case]) -> Panel:
    ordered = sorted(cases, key=lambda case: (case.skew, case.coverage or 2.0))
    along = {Figure.GAUSSIAN: "deviation / width", Figure.ZIPF: "exponent"}.get(figure, "side of queries")
    return Panel(
        title=f"{figure}: {what}",
        along=f"{along}, ε {float(epsilon):g}",
        columns=tuple(_column(case) for case in ordered),
        errors={
            method: tuple(results.mean(case, method) for case in ordered)
            for method in LINES
            if method in results.found[ordered[0]]
        },
    )


def _column(case: Case) -> str:
    if case.figure in (Figure.GAUSSIAN, Figure.ZIPF):
        return f"{case.skew:g}"
    return "random" if case.coverage == RANDOM else f"{case.coverage:.0%}"


def _panel(panel: Panel, left: float, top: float) -> str:
    low, high = panel.decades
    step = WIDTH / max(1, len(panel.columns))
    xs = [left + step * (i + 0.5) for i in range(len(panel.columns))]

    def y(error: float) -> float:
        return top + HEIGHT * (high - log10(max(error, 10.0**low))) / (high - low)

    grid = "".join(
        f'<path class="grid" d="M{left} {y(10.0**power):.1f}h{WIDTH}"/>'
        f'<text x="{left - 6}" y="{y(10.0**power) + 4:.1f}" text-anchor="end">{10.0**power:g}</text>'
        for power in range(low, high + 1)
    )
    labels = "".join(
        f'<text x="{x:.1f}" y="{top + HEIGHT + 15}" text-anchor="middle">{text(column)}</text>'
        for x, column in zip(xs, panel.columns, strict=True)
    )
    lines = "".join(
        _line(list(zip(xs, map(y, errors), strict=True)), method) for method, errors in panel.errors.items()
    )
    middle = left + WIDTH / 2
    return (
        f'<text class="title" x="{middle:.0f}" y="{top - 10}" text-anchor="middle">{text(panel.title)}</text>{grid}{labels}{lines}'
        f'<text x="{middle:.0f}" y="{top + HEIGHT + 31}" text-anchor="middle">{text(panel.along)}</text>'
    )


def _line(points: Sequence[tuple[float, float]], method: str) -> str:
    colour, dashes = LINES[method]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.2" fill="{colour}"/>' for x, y in points)
    return f'<path class="line" stroke="{colour}" stroke-dasharray="{dashes}" d="{path}"/>{dots}'


def _key(methods: Sequence[str], y: float) -> str:
    drawn, x = list[str](), float(LEFT)
    for method in methods:
        colour, dashes = LINES[method]
        drawn.append(
            f'<path class="line" stroke="{colour}" stroke-dasharray="{dashes}" d="M{x} {y - 4}h24"/>'
            f'<text x="{x + 30}" y="{y}">{text(method)}</text>'
        )
        x += 50 + 7 * len(method)
    return "".join(drawn)
