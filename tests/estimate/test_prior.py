"""What is held of the cells before anything is measured."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from quietway.estimate.prior import (
    DOUBT,
    REACHES,
    Background,
    PublicTable,
    distances,
    expectation,
    located_ends,
)
from quietway.estimate.solution import Floats
from quietway.measurement import Measurement
from quietway.universe import Axis, Partition, Universe
from tests.estimate.trees import discrete_laplace
from tests.universe.tiny import listed, universes

PLACES, HOURS, TRIPS = 20, 3, 60_000


def city(order: tuple[str, ...] = ("origin", "destination", "period")) -> Universe:
    """Trips between places, axes in any order."""
    size = {"origin": PLACES, "destination": PLACES, "period": HOURS}
    return Universe(tuple(Axis(name=name, size=size[name]) for name in order))


POINTS = np.random.default_rng(1).normal((2.35, 48.85), (0.06, 0.04), (PLACES, 2))
LOCATED = {"origin": POINTS, "destination": POINTS}


@st.composite
def tables(draw: st.DrawFn) -> PublicTable:
    """A public table over any partition of a small universe."""
    partition = draw(listed(draw(universes()))).partition
    blocks = draw(st.lists(st.integers(0, partition.blocks - 1), min_size=1, unique=True))
    values = draw(st.lists(st.floats(0.01, 1e6), min_size=len(blocks), max_size=len(blocks)))
    return PublicTable(partition=partition, blocks=np.array(blocks), values=np.array(values))


@given(tables(), st.floats(1e-6, 1))
def test_a_table_with_doubt_is_a_share_of_every_cell(table: PublicTable, doubt: float) -> None:
    """Shares are positive and sum to one, whatever the table leaves out."""
    shares = table.over_cells(doubt)
    assert shares.shape == (table.partition.universe.size,)
    assert (shares >= doubt / shares.size * (1 - 1e-9)).all()
    assert shares.sum() == pytest.approx(1)


@given(tables())
def test_a_table_without_doubt_gives_its_blocks_their_shares(table: PublicTable) -> None:
    """Evenly within a block, and nothing to those it does not list."""
    shares = table.over_cells(0.0)
    held = np.bincount(table.partition.labels(), shares, minlength=table.partition.blocks)
    np.testing.assert_allclose(held[table.blocks], table.values / table.values.sum())
    for block in range(table.partition.blocks):
        assert np.ptp(shares[table.partition.labels() == block]) < 1e-12


@given(tables(), st.floats(0.01, 100))
def test_a_table_counts_in_any_unit(table: PublicTable, times: float) -> None:
    """Only shares matter."""
    other = PublicTable(partition=table.partition, blocks=table.blocks, values=table.values * times)
    np.testing.assert_allclose(other.over_cells(DOUBT), table.over_cells(DOUBT))


@given(tables(), st.floats(1.5, 9))
def test_a_digest_tells_tables_apart(table: PublicTable, times: float) -> None:
    """The same content has the same digest, and a changed value or place another."""
    again = PublicTable(partition=table.partition, blocks=table.blocks.copy(), values=table.values.copy())
    assert again.digest == table.digest
    changed = PublicTable(partition=table.partition, blocks=table.blocks, values=table.values * times)
    moved = PublicTable(partition=table.partition, blocks=table.blocks + 1, values=table.values)
    assert len({table.digest, changed.digest, moved.digest}) == 3


def gravity_table(reach: float, order: tuple[str, ...], seed: int = 0) -> tuple[Universe, NDArray[np.int64]]:
    """True trips that thin out with distance, over places and hours."""
    usual = float(np.median(distances(POINTS, POINTS)))
    pull = np.exp(-distances(POINTS, POINTS) / (reach * usual))
    rate = np.multiply.outer(pull / pull.sum(), np.array([0.2, 0.5, 0.3]))
    universe = city(order)
    turned = rate.transpose([("origin", "destination", "period").index(name) for name in order])
    return universe, np.random.default_rng(seed).poisson(TRIPS * turned).ravel().astype(np.int64)


def telling(
    universe: Universe, true: NDArray[np.int64], axes: list[str], scale: Fraction = Fraction(5)
) -> tuple[Measurement, NDArray[np.int32]]:
    """A noisy margin of true trips, and its labels."""
    partition = Partition.margin(universe, axes)
    totals = partition.totals(np.arange(universe.size), true)
    noisy = totals + discrete_laplace(scale, totals.shape, np.random.default_rng(9))
    return Measurement(name="margin", partition=partition, noisy=noisy, scale=scale), partition.labels()


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize("order", [("origin", "destination", "period"), ("period", "destination", "origin")])
def test_the_reach_of_gravity_is_found_from_a_telling_margin(reach: float, order: tuple[str, ...]) -> None:
    """Noisy pairs of places single out the distance that trips were made with, in any order of axes."""
    universe, true = gravity_table(reach, order)
    background = Background(universe=universe, kind="gravity", places=LOCATED)
    words, cells = expectation(background, float(TRIPS), [telling(universe, true, ["origin", "destination"])])
    usual = float(np.median(distances(POINTS, POINTS)))
    assert words == f"falling by a factor e with every {reach * usual:.3g} km"
    assert cells.sum() == pytest.approx(TRIPS)
    guesses = dict(background.guesses())
    true_apart = {
        name: float(np.abs(guess / guess.sum() * TRIPS - true).sum()) for name, guess in guesses.items()
    }
    assert true_apart[words] == min(true_apart.values())


def test_even_trips_are_told_from_gravity() -> None:
    """Where distance plays no part, the even guess is taken."""
    universe = city()
    true = np.random.default_rng(4).poisson(TRIPS / universe.size, universe.size).astype(np.int64)
    background = Background(universe=universe, kind="gravity", places=LOCATED)
    words, cells = expectation(background, float(TRIPS), [telling(universe, true, ["origin", "destination"])])
    assert words == "even"
    np.testing.assert_allclose(cells, TRIPS / universe.size)


def test_without_a_telling_margin_the_even_guess_stands() -> None:
    """Nothing speaks for any distance."""
    background = Background(universe=city(), kind="gravity", places=LOCATED)
    words, cells = expectation(background, 1_200.0, [])
    assert words == "even"
    np.testing.assert_allclose(cells, 1)


@pytest.mark.parametrize("kind", ["uniform", "gravity"])
def test_every_guess_is_positive(kind: str) -> None:
    """No cell is ruled out, however far its places are apart."""
    far = np.array([[2.0, 48.0]] * (PLACES - 1) + [[9.0, 60.0]])
    background = Background(universe=city(), kind=kind, places={"origin": far, "destination": far})
    guesses = list(background.guesses())
    assert len(guesses) == (1 if kind == "uniform" else 1 + len(REACHES))
    for _, guess in guesses:
        assert (guess > 0).all()


def test_a_table_is_the_only_guess() -> None:
    """A public table leaves nothing to choose, whatever margins say."""
    universe, true = gravity_table(0.3, ("origin", "destination", "period"))
    table = PublicTable(
        partition=Partition.margin(universe, ["period"]), blocks=np.array([1]), values=np.array([7.0])
    )
    background = Background(universe=universe, kind="table", places=LOCATED, table=table)
    words, cells = expectation(background, 500.0, [telling(universe, true, ["origin", "destination"])])
    assert words == "the public table"
    held = cells.reshape(universe.shape).sum(axis=(0, 1)) / 500
    np.testing.assert_allclose(held, [DOUBT / 3, 1 - 2 * DOUBT / 3, DOUBT / 3])


def test_gravity_pulls_places_that_are_near() -> None:
    """Cells of near pairs are expected to hold more, alike in every hour."""
    guesses = dict(Background(universe=city(), kind="gravity", places=LOCATED).guesses())
    distance = distances(POINTS, POINTS).ravel()
    for words, guess in guesses.items():
        cells = guess.reshape(PLACES**2, HOURS)
        assert np.ptp(cells, axis=1).max() == 0
        if words != "even":
            assert (np.diff(cells[np.argsort(distance), 0]) <= 0).all()


def test_ends_are_located_only_if_both_are() -> None:
    """And a universe without ends has none."""
    assert located_ends(city(), LOCATED) == ("origin", "destination")
    assert located_ends(city(), {"origin": POINTS}) is None
    assert located_ends(Universe((Axis(name="mode", size=3),)), LOCATED) is None


@given(st.floats(-60, 60), st.floats(-170, 170), st.floats(-0.2, 0.2), st.floats(-0.2, 0.2))
def test_distances_are_those_on_the_globe(lat: float, lon: float, north: float, east: float) -> None:
    """Near enough over a city, and the same there and back."""
    here, there = np.array([[lon, lat]]), np.array([[lon + east, lat + north]])
    found = distances(here, there)[0, 0]
    assert found == pytest.approx(distances(there, here)[0, 0])
    assert found == pytest.approx(_on_the_globe(here[0], there[0]), rel=0.005, abs=0.005)


def _on_the_globe(here: Floats, there: Floats) -> float:
    (x, y), (u, v) = np.radians(here), np.radians(there)
    half = np.sin((v - y) / 2) ** 2 + np.cos(y) * np.cos(v) * np.sin((u - x) / 2) ** 2
    return float(2 * 6371.0 * np.arcsin(np.sqrt(half)))
