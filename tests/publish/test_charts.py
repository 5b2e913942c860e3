"""Bars and columns."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietway.publish.charts import ROW_WIDTH, Frame, Series, columns, row_bars, ticks

from .page import Page


def series(published: list[float]) -> Series:
    """Bars with intervals ten to either side."""
    bars = np.array(published, dtype=np.float64)
    return Series(published=bars, estimate=bars + 1, low=np.maximum(0, bars - 10), high=bars + 10)


def test_bars_are_as_long_as_their_numbers() -> None:
    """Lengths on the page are in proportion to the published trips."""
    ends = [float(re.search(r"H([\d.]+)V12", bar)[1]) - 1 for bar in row_bars(series([90.0, 45.0, 0.0]))]
    assert ends[0] == pytest.approx(2 * ends[1], abs=0.2)
    assert ends[0] == pytest.approx(0.9 * (ROW_WIDTH - 2), abs=0.2)
    assert ends[2] == 0


def test_columns_rise_with_their_numbers() -> None:
    """Higher counts stand higher, and every column has a shape."""
    drawn = series([10.0, 30.0, 20.0])
    svg = columns(drawn, ["a", "b", "<c>"], Frame(extent=drawn.extent), 'by "hour"')
    tops = [float(top) for top in re.findall(r"V([\d.]+)H[\d.]+V[\d.]+Z", svg)]
    assert tops[1] < tops[2] < tops[0]
    assert Page(svg).text.endswith("a b <c>") or "<c>" in Page(svg).text


def test_labels_thin_out_to_whole_hours() -> None:
    """Of 48 half hours as many are named as fit, evenly."""
    drawn = series([1.0] * 48)
    svg = columns(drawn, [f"t{i}" for i in range(48)], Frame(extent=drawn.extent), "t")
    assert re.findall(r">t(\d+)<", svg) == [str(i) for i in range(0, 48, 4)]


def test_nothing_to_draw_still_has_a_scale() -> None:
    """All zeros make bars of no length, and no division by zero."""
    flat = Series(**{name: np.zeros(3) for name in ("published", "estimate", "low", "high")})
    assert flat.extent == (0.0, 1.0)
    assert "nan" not in "".join(row_bars(flat)) + columns(
        flat, ["a", "b", "c"], Frame(extent=flat.extent), "t"
    )


@given(st.floats(-1e6, 0), st.floats(0.01, 1e9), st.integers(1, 8))
def test_ticks_are_round_and_inside(low: float, high: float, wanted: int) -> None:
    """Ticks lie inside the interval, evenly, and are not many more than wanted."""
    found = ticks(low, high, wanted)
    assert all(low - 1e-6 <= tick <= high + 1e-6 for tick in found)
    assert len(found) <= 2 * wanted + 2
    assert len(set(np.round(np.diff(found), 6).tolist())) <= 1
