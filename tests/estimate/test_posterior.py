"""A table from noisy margins and a prior: clear margins are followed, drowned ones ignored, totals weighed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from quietway.estimate.expected import expected
from quietway.estimate.posterior import _shifted, posterior
from quietway.estimate.prior import Background, PublicTable
from quietway.estimate.settings import FitSettings
from quietway.estimate.solution import Floats, sums
from quietway.measurement import Measurement
from quietway.universe import Axis, Partition, Universe, grouped
from tests.estimate.trees import discrete_laplace

PLACES, HOURS, TRIPS = 12, 6, 40_000
CITY = Universe(
    (
        Axis(name="origin", size=PLACES),
        Axis(name="destination", size=PLACES),
        Axis(name="period", size=HOURS, ordered=True),
    )
)
TOTAL, PERIODS = Partition.total(CITY), Partition.margin(CITY, ["period"])
ZONES = Partition.by(
    CITY,
    [grouped(CITY, [end], np.arange(PLACES) // 4, name=f"{end} zone") for end in ("origin", "destination")],
)
STARTS = Partition.margin(CITY, ["origin", "period"])
PAIRS = Partition.margin(CITY, ["origin", "destination"])
CELLS = Partition.identity(CITY)
EVEN = Background(universe=CITY, kind="uniform", places={})


def wrong() -> Background:
    """A public table that holds nearly everything in one place."""
    table = PublicTable(
        partition=Partition.margin(CITY, ["origin"]), blocks=np.array([3]), values=np.array([1.0])
    )
    return Background(universe=CITY, kind="table", places={}, table=table)


def truth(seed: int) -> NDArray[np.int64]:
    """Trips of places and pairs that differ by more than chance."""
    draw = np.random.default_rng(seed)
    ends = np.multiply.outer(draw.lognormal(0, 0.7, PLACES), draw.lognormal(0, 0.7, PLACES))
    rate = (ends * draw.lognormal(0, 0.6, ends.shape))[:, :, None] * draw.lognormal(
        0, 0.5, (PLACES, 1, HOURS)
    )
    return draw.poisson(TRIPS * rate / rate.sum()).ravel().astype(np.int64)


def measured(true: NDArray[np.int64], seed: int, **scales: Fraction) -> tuple[Measurement, ...]:
    """Noisy totals of the margins named, each with its scale."""
    named = {
        "total": TOTAL,
        "again": TOTAL,
        "periods": PERIODS,
        "zones": ZONES,
        "starts": STARTS,
        "pairs": PAIRS,
        "cells": CELLS,
    }
    draw = np.random.default_rng(seed)
    keys = np.arange(CITY.size)
    return tuple(
        Measurement(
            name=name,
            partition=named[name],
            noisy=named[name].totals(keys, true) + discrete_laplace(scale, (named[name].blocks,), draw),
            scale=scale,
        )
        for name, scale in scales.items()
    )


def over(partition: Partition, cells: Floats | NDArray[np.int64]) -> Floats:
    """What a table's blocks hold."""
    return sums(partition.labels(), cells, partition.blocks)


@pytest.mark.parametrize("background", [EVEN, wrong()], ids=["even", "wrong"])
@pytest.mark.parametrize("seed", range(3))
def test_clear_margins_are_followed_whatever_the_prior(background: Background, seed: int) -> None:
    """Coarse and fine ones that cross, to within their noise."""
    true = truth(seed)
    clear = Fraction(2)
    found = posterior(measured(true, seed, total=clear, zones=clear, starts=clear, pairs=clear), background)
    for partition in (TOTAL, PERIODS, ZONES, STARTS, PAIRS):
        apart = np.sqrt(((over(partition, found.cells) - over(partition, true)) ** 2).mean())
        assert apart < 6 * np.sqrt(HOURS)


@pytest.mark.parametrize("background", [EVEN, wrong()], ids=["even", "wrong"])
def test_drowned_margins_are_ignored(background: Background) -> None:
    """Noise beyond any count moves the cells from where they were by no more than a trifle of itself."""
    loud = Fraction(200_000)
    for seed in range(4):
        true = truth(seed)
        found = posterior(measured(true, seed, total=Fraction(2), starts=loud, pairs=loud), background)
        for partition in (STARTS, PAIRS):
            moved = over(partition, found.cells) - over(partition, found.before)
            assert np.abs(moved).max() < 0.05 * float(loud)
        assert found.cells.sum() == pytest.approx(true.sum(), abs=30)


def test_a_drowned_margin_does_not_spoil_a_clear_one() -> None:
    """What is told clearly is kept, whatever noise is laid beside it."""
    true = truth(1)
    clear = {"total": Fraction(2), "zones": Fraction(2)}
    found = posterior(measured(true, 1, **clear, cells=Fraction(3_000)), EVEN)
    np.testing.assert_allclose(over(ZONES, found.cells), over(ZONES, true), atol=30)


def test_a_prior_that_is_right_is_better_than_none() -> None:
    """Where margins tell little, cells are nearer to the truth with it."""
    true, earlier = truth(2), np.random.default_rng(5).poisson(truth(2))
    keys = np.flatnonzero(earlier)
    table = PublicTable(partition=CELLS, blocks=keys, values=earlier[keys].astype(np.float64))
    right = Background(universe=CITY, kind="table", places={}, table=table)
    margins = measured(true, 2, total=Fraction(100), zones=Fraction(300))
    apart = [
        np.abs(posterior(margins, background).cells - true).sum() for background in (right, EVEN, wrong())
    ]
    assert apart[0] < 0.5 * apart[1] < apart[2]


@pytest.mark.parametrize("scale", [Fraction(20), Fraction(80)])
def test_the_posterior_is_nearer_to_the_truth_than_noise_and_prior(scale: Fraction) -> None:
    """In mean squared error over many cities, of every margin that was measured."""
    for name, partition in {"starts": STARTS, "pairs": PAIRS, "cells": CELLS}.items():
        apart = np.zeros(3)
        for seed in range(6):
            true = truth(seed)
            margins = measured(true, seed, **{"total": Fraction(20), "zones": scale, name: scale})
            found = posterior(margins, EVEN)
            held = over(partition, true)
            for i, guess in enumerate(
                (over(partition, found.cells), margins[-1].noisy, over(partition, found.before))
            ):
                apart[i] += ((guess - held) ** 2).mean()
        assert apart[0] < apart[1]
        assert apart[0] < apart[2]


@given(
    st.lists(
        st.tuples(st.integers(-1_000, 10**6), st.fractions(Fraction(1, 10), 1_000)), min_size=1, max_size=4
    )
)
def test_totals_are_weighed_by_their_precision(totals: list[tuple[int, Fraction]]) -> None:
    """Counted more than once, all trips are their mean by inverse variance, and at least one."""
    margins = tuple(
        Measurement(name=f"total {i}", partition=TOTAL, noisy=np.array([value]), scale=scale)
        for i, (value, scale) in enumerate(totals)
    )
    found = posterior(margins, EVEN)
    precision = [1 / margin.variance for margin in margins]
    mean = np.average([value for value, _ in totals], weights=precision)
    assert found.cells.sum() == pytest.approx(max(1.0, mean))
    assert found.learned[0].noise == pytest.approx(1 / sum(precision))
    assert len(found.learned) == 1


@settings(max_examples=10)
@given(st.permutations(["total", "again", "zones", "starts", "pairs"]), st.integers(0, 99))
def test_the_order_of_measurements_does_not_matter(order: list[str], seed: int) -> None:
    """Margins are learned from coarse to fine, however they are listed."""
    margins = {m.name: m for m in measured(truth(seed), seed, **dict.fromkeys(sorted(order), Fraction(5)))}
    cells = [posterior([margins[name] for name in names], EVEN).cells for names in (sorted(order), order)]
    np.testing.assert_allclose(cells[0], cells[1], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("scale", [Fraction(1, 5), Fraction(3), Fraction(100), Fraction(3_000)])
@pytest.mark.parametrize("seed", range(3))
def test_a_posterior_is_a_table_near_its_total(scale: Fraction, seed: int) -> None:
    """No cell is negative or endless, and no total runs away, be the noise faint or a flood."""
    names = ("total", "zones", "starts", "pairs", "cells")
    for background in (EVEN, wrong()):
        margins = measured(truth(seed) // 20, seed, **dict.fromkeys(names, scale))
        found = posterior(margins, background)
        assert np.isfinite(found.cells).all()
        assert (found.cells >= 0).all()
        trips = max(1.0, float(margins[0].noisy[0]))
        assert found.cells.sum() == pytest.approx(trips, rel=0.01, abs=float(scale))
        for learned in found.learned:
            assert learned.target.sum() == pytest.approx(trips, rel=1e-6)
        assert found.moved < 100


def test_children_of_nothing_reach_their_parent() -> None:
    """Believed totals that are all zero share what their parent holds, however little is known of it."""
    parent = np.array([0, 0, 0, 1])
    variance = np.array([5_937.6, 44_430.5, 377_522.8, 1.0])
    found = _shifted(np.zeros(4), variance, parent, np.array([129.1878, 0.0]))
    np.testing.assert_allclose(sums(parent, found, 2), [129.1878, 0.0], atol=1e-6)
    np.testing.assert_allclose(found[:3], 129.1878 * variance[:3] / variance[:3].sum())


@settings(max_examples=200)
@given(st.integers(0, 2**31), st.integers(1, 12), st.integers(1, 4), st.booleans())
def test_believed_totals_are_moved_to_what_their_parents_hold(
    seed: int, children: int, parents: int, empty: bool
) -> None:
    """Never below zero, and those known better by less."""
    draw = np.random.default_rng(seed)
    _, parent = np.unique(draw.integers(0, parents, children), return_inverse=True)
    mean = np.zeros(children) if empty else np.maximum(0, draw.normal(5, 20, children))
    variance = 10.0 ** draw.uniform(-3, 6, children)
    target = draw.uniform(0, 500, parent.max() + 1)
    found = _shifted(mean, variance, parent, target)
    assert (found >= 0).all()
    np.testing.assert_allclose(sums(parent, found, target.size), target, rtol=1e-6, atol=1e-6)


def test_the_published_table_keeps_the_margins() -> None:
    """Rounded to integers, no measured total strays from the fit's by more than a trip or so."""
    true = truth(4)
    margins = measured(true, 4, total=Fraction(2), zones=Fraction(5), starts=Fraction(5))
    found = posterior(margins, EVEN)
    solution = expected(margins, FitSettings(background=EVEN))
    table = np.zeros(CITY.size)
    table[solution.keys] = solution.counts
    assert (solution.counts > 0).all()
    for margin in margins:
        assert np.abs(over(margin.partition, table) - over(margin.partition, found.cells)).max() < 2
    assert "cells expected by even and 2 noisy margins" in solution.status
