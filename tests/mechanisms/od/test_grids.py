"""How fine the grids are, and that they cover the space."""

from __future__ import annotations

from fractions import Fraction
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from quietway.errors import ConfigError
from quietway.mechanisms.od.ebp import EntropyBasedGrid
from quietway.mechanisms.od.eug import CROSSED, ExtendedUniformGrid
from quietway.mechanisms.od.grid import RuledGrid, shared_out
from quietway.mechanisms.od.mkm import MEstimatorGrid
from quietway.noise import seeded
from quietway.noise.testing import ConstantNoise, ZeroNoise
from quietway.universe import PrivacyUnit
from tests.mechanisms.od.scenes import clustered, space


def eug(**options: object) -> ExtendedUniformGrid:
    """With shares of epsilon 1."""
    return ExtendedUniformGrid(
        epsilon_total=Fraction(1, 100),
        epsilon_blocks=Fraction(99, 100),
        unit=PrivacyUnit(),
        **options,  # type: ignore[arg-type]
    )


def error(m: float, r: float, d: int, paths: float) -> float:
    """Noise of scale 1 in a query's blocks, and a part of what its border crosses."""
    noise = sqrt(2 * r * m**d)
    return noise + r ** ((d - 1) / d) * paths / (CROSSED * m)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("share", [Fraction(1, 100), Fraction(1, 4)])
def test_the_grid_is_the_best_for_a_query_of_known_share(d: int, share: Fraction) -> None:
    """The number of parts minimises noise and crossed blocks together: a search finds no better."""
    found = eug(query_share=share).parts_of_axis(1e5, 1.0, d)
    best = minimize_scalar(
        lambda x: error(np.exp(x), float(share), d, 1e5), bounds=(-3, 12), method="bounded"
    )
    assert found == pytest.approx(np.exp(best.x), rel=1e-3)


@pytest.mark.parametrize("d", [2, 3, 4, 6])
def test_the_grid_is_the_best_on_average(d: int) -> None:
    """Without a share, it minimises the error averaged over all of them."""
    found = eug().parts_of_axis(1e5, 1.0, d)

    def average(x: float) -> float:
        return quad(lambda r: error(np.exp(x), r, d, 1e5), 0, 1)[0]

    best = minimize_scalar(average, bounds=(0, 8), method="bounded")
    assert found == pytest.approx(np.exp(best.x), rel=1e-3)


def test_known_sizes_of_grids() -> None:
    """At 100,000 paths times epsilon: in two dimensions the published grid is ours, in four it has 7 parts for our 16."""
    ours, published = eug(), eug(published=True)
    assert ours.parts_of_axis(1e5, 1.0, 2) == pytest.approx(100)
    assert published.parts_of_axis(1e5, 1.0, 2) == pytest.approx(100)
    with_share = eug(query_share=Fraction(1))
    assert with_share.parts_of_axis(1e5, 1.0, 4) == pytest.approx(17.1, abs=0.05)
    assert ours.parts_of_axis(1e5, 1.0, 4) == pytest.approx((3 / 7 * 1e4) ** (1 / 3))
    assert round(ours.parts_of_axis(1e5, 1.0, 4), 1) == 16.2
    assert round(published.parts_of_axis(1e5, 1.0, 4), 1) == 7.2


@pytest.mark.parametrize("d", [2, 3, 4])
def test_the_published_grid_is_the_mean_of_the_published_optimum(d: int) -> None:
    """Equation (13) is equation (8) averaged over the share of the query, and (8) the stationary point of (6)."""

    def printed(m: float, r: float) -> float:
        return sqrt(2 * r * m**d) + r ** (1 / d) * 1e5 / (CROSSED * m ** (d - 1))

    def optimum(r: float) -> float:
        best = minimize_scalar(lambda x: printed(np.exp(x), r), bounds=(-2, 8), method="bounded")
        return float(np.exp(best.x))

    nodes, weights = np.polynomial.legendre.leggauss(60)
    mean = sum(w / 2 * optimum((x + 1) / 2) for x, w in zip(nodes, weights, strict=True))
    assert eug(published=True).parts_of_axis(1e5, 1.0, d) == pytest.approx(mean, rel=2e-3)


def test_the_published_grid_of_one_dimension_is_no_grid() -> None:
    """Equation (8) has no parts there; the mechanism leaves the axis whole."""
    assert eug(published=True).parts_of_axis(1e5, 1.0, 1) == 0
    _, grid = eug(published=True).measure(clustered(space((1, 50)), 1000), rng=ZeroNoise())
    assert grid.shape == (1, 1) and grid.noisy.tolist() == [1000]


@pytest.mark.parametrize("d", [1, 2, 4, 8])
def test_entropy_asks_for_the_same_number_of_blocks_in_any_dimensions(d: int) -> None:
    """(N / (sqrt(2) scale))^(2/3): 1,710 blocks for 100,000, 41 by 41 in two dimensions where the uniform grid has 100."""
    grid = EntropyBasedGrid(
        epsilon_total=Fraction(1, 100), epsilon_blocks=Fraction(99, 100), unit=PrivacyUnit()
    )
    parts = grid.parts_of_axis(1e5, 1.0, d)
    assert parts**d == pytest.approx((1e5 / sqrt(2)) ** (2 / 3))
    assert d != 2 or round(parts) == 41


def test_mkm_forgets_epsilon() -> None:
    """Its parts follow the number of paths alone, and very few paths are no trouble."""
    grid = MEstimatorGrid(
        epsilon_total=Fraction(1, 100), epsilon_blocks=Fraction(99, 100), unit=PrivacyUnit()
    )
    assert grid.parts_of_axis(1e5, 1.0, 2) == grid.parts_of_axis(1e5, 50.0, 2)
    assert grid.parts_of_axis(1e5, 1.0, 4) == pytest.approx((1e5 / sqrt(log(1e5))) ** (1 / 3))
    assert grid.parts_of_axis(1.0, 1.0, 2) > 0


@given(
    st.lists(st.integers(1, 1000), min_size=1, max_size=8),
    st.floats(1, 1e9),
    st.integers(1, 10**6),
)
def test_axes_share_blocks_out(shape: list[int], blocks: float, most: int) -> None:
    """Never more than an axis has room for, nor more blocks than allowed."""
    parts = shared_out(shape, blocks, most)
    assert all(1 <= part <= side for part, side in zip(parts, shape, strict=True))
    assert np.prod(parts, dtype=object) <= most


def test_what_a_short_axis_has_no_room_for_goes_to_the_others() -> None:
    """10,000 blocks over sides of 2, 1000, 1, 1000 are 2 by 71 by 70."""
    assert shared_out((2, 1000, 1, 1000), 10_000, 10**6) == (2, 71, 1, 70)
    assert shared_out((3, 1000, 1000), 300, 10**6) == (3, 10, 10)


@pytest.mark.parametrize("rule", [ExtendedUniformGrid, EntropyBasedGrid, MEstimatorGrid])
def test_blocks_count_what_is_in_them(rule: type[RuledGrid]) -> None:
    """Row-major, and every path in one of them."""
    paths = clustered(space((9, 14), (1, 30)), 5000)
    grid = rule(epsilon_total=Fraction(1, 10), epsilon_blocks=Fraction(9, 10), unit=PrivacyUnit())
    _, measured = grid.measure(paths, rng=ZeroNoise())
    expected, _ = np.histogramdd(paths.points, bins=[edges - 0.5 for edges in measured.edges])
    assert np.array_equal(measured.noisy.reshape(measured.shape), expected)
    assert measured.noisy.sum() == 5000 and len(measured.noisy) > 4


@pytest.mark.parametrize("noise", [-(10**9), 10**15])
@pytest.mark.parametrize("rule", [ExtendedUniformGrid, EntropyBasedGrid, MEstimatorGrid])
def test_no_noisy_total_breaks_a_grid(rule: type[RuledGrid], noise: int) -> None:
    """A negative total is one path; one beyond all bounds gives no more blocks than allowed."""
    grid = rule(
        epsilon_total=Fraction(1, 10), epsilon_blocks=Fraction(9, 10), unit=PrivacyUnit(), most_blocks=5000
    )
    _, measured = grid.measure(clustered(space((60, 70), (80, 90)), 100), rng=ConstantNoise(noise))
    assert len(measured.noisy) <= 5000
    assert (noise < 0) == (len(measured.noisy) < 20)


def test_six_dimensions_in_no_time() -> None:
    """300,000 paths of three stops on 1000 by 1000 places each."""
    paths = clustered(space(*[(1000, 1000)] * 3), 300_000)
    _, measured = eug().measure(paths, rng=seeded(1))
    assert len(measured.shape) == 6 and 10_000 < len(measured.noisy) < 10**7


def test_a_share_that_is_none_is_refused() -> None:
    """It is a part of the space."""
    for share in (Fraction(0), Fraction(3, 2)):
        with pytest.raises(ConfigError, match="query_share"):
            eug(query_share=share)
