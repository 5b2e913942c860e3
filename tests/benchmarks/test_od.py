"""The benchmarks on paths run, and their ratios are what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def _beside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def test_the_default_is_compared_with_the_best_single_method(capsys: pytest.CaptureFixture[str]) -> None:
    """Best on average over all data sets, though another is better on one; the ratio is a geometric mean."""
    from od_errors import print_scores, ratios

    found = {
        ("Gaussian", 2): {"daf": 2.0, "DAF-Entropy": 4.0, "daf-entropy": 4.0, "eug": 4.0, "mkm": 1.0},
        ("Town", 4): {"daf": 1.0, "DAF-Entropy": 4.0, "daf-entropy": 2.0, "eug": 2.0, "mkm": 100.0},
    }
    told = ratios(found)
    assert "best single baseline: eug" in capsys.readouterr().out
    assert told["default_vs_best_baseline_mre"] == pytest.approx(0.5)
    assert told["default_vs_best_baseline_mre_real_data"] == pytest.approx(0.5)
    assert told["default_vs_daf_entropy_mre"] == pytest.approx((0.5 * 0.25) ** 0.5)
    print_scores(found)
    assert "Town 4-D" in capsys.readouterr().out


def test_no_ratio_is_told_without_the_default() -> None:
    """Nothing stands in for it."""
    from od_errors import ratios

    assert ratios({("Town", 4): {"DAF-Entropy": 4.0, "eug": 2.0}}) == {}


def test_partitioning_is_timed_beside_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every method once beside it, with times above zero."""
    import od_partition

    for name, small in (("POINTS", 2_000), ("PATHS", 2_000), ("SIZES", (500, 2_000)), ("SIDE", 50)):
        monkeypatch.setattr(od_partition, name, small)
    rows = od_partition.beside_histogramdd()
    assert [row["method"] for row in rows] == ["numpy.histogramdd", *od_partition.tried()]
    assert rows[0]["ratio"] == 1 and all(float(row["wall"]) > 0 for row in rows)
    points = od_partition.in_points()
    assert len(points) == 2 * len(od_partition.tried()) and all(float(row["kept"]) >= 1 for row in points)
