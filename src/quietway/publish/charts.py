"""Bars with error bars as inline SVG: one small bar per table row, or columns along an ordered axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np
from numpy.typing import NDArray

from quietway.publish.markup import text
from quietway.publish.wording import whole

Floats = NDArray[np.float64]
ROW_WIDTH, ROW_HEIGHT = 300, 14


@dataclass(frozen=True, kw_only=True, eq=False)
class Series:
    """What is drawn for each block: the published total as a bar, the estimate's interval as a line."""

    published: Floats
    estimate: Floats
    low: Floats
    high: Floats

    def take(self, blocks: NDArray[np.int64]) -> Series:
        """Some of the blocks, in the order given."""
        return Series(
            published=self.published[blocks],
            estimate=self.estimate[blocks],
            low=self.low[blocks],
            high=self.high[blocks],
        )

    @property
    def extent(self) -> tuple[float, float]:
        """An interval that holds zero and everything drawn, and is never empty."""
        lowest = min([0.0, *self.low.tolist()])
        highest = max([0.0, *self.high.tolist(), *self.published.tolist()])
        return lowest, highest if highest > lowest else lowest + 1.0


def row_bars(series: Series) -> list[str]:
    """One bar per block on a common scale, each an SVG of its own for a table's row."""
    low, high = series.extent
    columns = (np.zeros(1), series.published, series.estimate, series.low, series.high)
    zero, end, dot, left, right = (1 + (ROW_WIDTH - 2) * (c - low) / (high - low) for c in columns)
    return [
        f'<svg class="row" viewBox="0 0 {ROW_WIDTH} {ROW_HEIGHT}" aria-hidden="true">'
        f'<path class="bar" d="M{zero[0]:.1f} 2H{e:.1f}V12H{zero[0]:.1f}Z"/>'
        f'<path class="err" d="M{a:.1f} 4V10M{a:.1f} 7H{b:.1f}M{b:.1f} 4V10"/>'
        f'<circle class="dot" cx="{m:.1f}" cy="7" r="2.2"/></svg>'
        for e, m, a, b in zip(end, dot, left, right, strict=True)
    ]


@dataclass(frozen=True, kw_only=True)
class Frame:
    """Where a column chart stands and what its vertical axis shows."""

    width: int = 720
    height: int = 230
    left: int = 58
    right: int = 8
    top: int = 10
    bottom: int = 26
    extent: tuple[float, float]
    names: int = 12
    ticks: int = 4

    def y(self, values: Floats) -> Floats:
        """Heights of values, downwards as SVG counts."""
        low, high = self.extent
        return (
            self.height - self.bottom - (self.height - self.bottom - self.top) * (values - low) / (high - low)
        )

    def edges(self, count: int) -> Floats:
        """The left edge of each column, and the right edge of the last."""
        return np.linspace(self.left, self.width - self.right, count + 1)


def columns(series: Series, labels: Sequence[str], frame: Frame, title: str) -> str:
    """Columns along an ordered axis, with gridlines and as many labels as fit."""
    size = f"0 0 {frame.width} {frame.height}"
    return (
        f'<svg class="chart" viewBox="{size}" role="img" aria-label="{text(title)}">'
        f"{_grid(frame)}{_bars(series, frame)}{_intervals(series, frame)}{_names(labels, frame)}</svg>"
    )


def ticks(low: float, high: float, wanted: int) -> list[float]:
    """Round values inside an interval, about as many as wanted."""
    rough = (high - low) / max(1, wanted)
    power = 10.0 ** floor(log10(rough))
    step = next(power * k for k in (1, 2, 2.5, 5, 10) if power * k >= rough * 0.999)
    if high - low >= 2:
        step = max(1.0, round(step))
    first, last = ceil(low / step), floor(high / step)
    return [step * k for k in range(first, last + 1)]


def _grid(frame: Frame) -> str:
    values = ticks(*frame.extent, frame.ticks)
    fraction = any(v != round(v) for v in values)
    across = f"H{frame.width - frame.right}"
    return "".join(
        f'<path class="{"zero" if v == 0 else "grid"}" d="M{frame.left} {y:.1f}{across}"/>'
        f'<text class="tick" x="{frame.left - 7}" y="{y + 3.5:.1f}" text-anchor="end">'
        f"{f'{v:.2g}' if fraction else whole(v)}</text>"
        for v, y in zip(values, frame.y(np.array(values)), strict=True)
    )


def _bars(series: Series, frame: Frame) -> str:
    edges = frame.edges(series.published.size)
    gap = min(3.0, 0.22 * float(edges[1] - edges[0]))
    zero = float(frame.y(np.zeros(1))[0])
    tops = frame.y(series.published)
    marks = zip(edges[:-1] + gap / 2, edges[1:] - gap / 2, tops, strict=True)
    shapes = "".join(f"M{a:.1f} {zero:.1f}V{t:.1f}H{b:.1f}V{zero:.1f}Z" for a, b, t in marks)
    return f'<path class="bar" d="{shapes}"/>'


def _intervals(series: Series, frame: Frame) -> str:
    edges = frame.edges(series.published.size)
    middle = (edges[:-1] + edges[1:]) / 2
    arm = min(3.0, 0.2 * float(edges[1] - edges[0]))
    low, mid, high = frame.y(series.low), frame.y(series.estimate), frame.y(series.high)
    lines = "".join(
        f"M{x:.1f} {a:.1f}V{b:.1f}M{x - arm:.1f} {m:.1f}h{2 * arm:.1f}"
        for x, a, m, b in zip(middle, low, mid, high, strict=True)
    )
    return f'<path class="err" d="{lines}"/>'


def _names(labels: Sequence[str], frame: Frame) -> str:
    """Every k-th label, k the smallest of 1, 2, 4, 6, 12, 24, ... that leaves room (hours stay whole)."""
    strides = (1, 2, 4, *(6 * 2**power for power in range(40)))
    stride = next(k for k in strides if -(-len(labels) // k) <= frame.names)
    edges = frame.edges(len(labels))
    middle = (edges[:-1] + edges[1:]) / 2
    return "".join(
        f'<text class="tick" x="{middle[i]:.1f}" y="{frame.height - 8}" text-anchor="middle">'
        f"{text(labels[i] if len(labels[i]) < 12 else labels[i][:10] + '…')}</text>"
        for i in range(0, len(labels), stride)
    )
