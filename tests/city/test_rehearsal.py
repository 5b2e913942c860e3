"""Invented trips fit any universe, have a plausible shape, and are made from public structure alone."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise
from math import gcd

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quietway.city import City, synthetic_trips
from quietway.city.draws import Draws
from quietway.city.habits import _coprime, _zipf
from quietway.errors import InputError, UniverseError
from quietway.universe import Axis, Universe

PERIODS = tuple(f"{hour:02d}:{minute:02d}" for hour in range(24) for minute in (0, 30))
DAY = Axis(name="period", size=48, labels=PERIODS, ordered=True)


def _zones(size: int) -> Universe:
    return Universe((Axis(name="origin", size=size), Axis(name="destination", size=size), DAY))


def _places(size: int) -> np.ndarray:
    return Draws(4).uniform(2 * size).reshape(-1, 2) * (0.2, 0.1) + (2.3, 48.8)


def _marginal(universe: Universe, name: str, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    axis = universe.position(name)
    return np.bincount(universe.coordinates(keys)[axis], weights=values, minlength=universe.shape[axis])


@given(
    sizes=st.lists(st.integers(1, 10**4), min_size=1, max_size=4),
    trips=st.integers(0, 300),
    each=st.floats(1, 10),
    seed=st.integers(0, 99),
)
@settings(deadline=None)
def test_counts_fit_any_universe(sizes: list[int], trips: int, each: float, seed: int) -> None:
    """Keys are sorted, distinct and inside; values are positive and add up to the guess."""
    universe = Universe(tuple(Axis(name=f"axis {i}", size=size) for i, size in enumerate(sizes)))
    keys, values = synthetic_trips(universe, trips=trips, trips_per_user=each, seed=seed)
    assert keys.dtype == values.dtype == np.int64
    assert (np.diff(keys) > 0).all()
    assert ((keys >= 0) & (keys < universe.size)).all()
    assert (values > 0).all()
    assert values.sum() == trips


def test_a_universe_of_a_trillion_cells_is_ordinary() -> None:
    """Memory follows the trips: 10^12 cells, a hundred thousand trips, less than 200 MB."""
    universe, size = _zones(150_000), 150_000
    places = {"origin": _places(size), "destination": _places(size)}
    tracemalloc.start()
    keys, values = synthetic_trips(universe, trips=100_000, places=places)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert universe.size > 10**12
    assert values.sum() == 100_000
    assert keys[-1] < universe.size
    assert np.unique(universe.coordinates(keys)[0]).size > 1000
    assert peak < 200e6


def test_batches_add_up() -> None:
    """More trips than one batch holds are all there, each cell once."""
    keys, values = synthetic_trips(_zones(3), trips=600_000)
    assert values.sum() == 600_000
    assert (np.diff(keys) > 0).all()


def test_the_same_arguments_give_the_same_trips() -> None:
    """The seed decides: the same one repeats, another differs."""
    first, again, other = (synthetic_trips(_zones(50), trips=500, seed=seed) for seed in (1, 1, 2))
    assert (first[0] == again[0]).all()
    assert (first[1] == again[1]).all()
    assert not np.array_equal(first[0], other[0])


def test_periods_follow_a_usual_day() -> None:
    """Where labels are times, the night is quiet and the rush hours are busy."""
    universe = _zones(50)
    by_period = _marginal(universe, "period", *synthetic_trips(universe, trips=50_000))
    assert by_period[4:10].sum() < 0.01 * 50_000
    assert by_period[16] > 1.05 * by_period[22]
    assert by_period[34:36].min() > by_period[24:28].max()


def test_places_attract_by_gravity() -> None:
    """With coordinates, trips are shorter than the same popularity without them would give."""
    universe, at = _zones(400), _places(400)

    def length(**places: np.ndarray) -> float:
        keys, values = synthetic_trips(universe, trips=20_000, places=places)
        o, d, _ = universe.coordinates(keys)
        return float(np.average(np.linalg.norm(at[o] - at[d], axis=1), weights=values))

    assert length(origin=at, destination=at) < 0.8 * length()


def test_people_go_back_the_way_they_came() -> None:
    """With two trips each, every flow there is matched by one back; with one each, it is not."""
    universe = Universe(_zones(200).axes[:2])

    def asymmetry(each: float) -> float:
        keys, values = synthetic_trips(universe, trips=2_000, trips_per_user=each)
        flows = np.zeros(universe.shape)
        flows[universe.coordinates(keys)] = values
        return float(np.abs(flows - flows.T).sum() / flows.sum())

    assert asymmetry(2) == 0.0
    assert asymmetry(1) > 0.5


@pytest.mark.parametrize("seed", range(12))
def test_people_make_their_trips_in_order_of_time(seed: int) -> None:
    """The first trip goes the habit's way, and the trip back is never before it."""
    universe = _zones(10**6)
    (o, d, period), out = (
        universe.coordinates(synthetic_trips(universe, trips=trips, trips_per_user=2, seed=seed)[0])
        for trips in (2, 1)
    )
    first = int(np.flatnonzero(o == out[0])[0])
    assert (o[1 - first], d[1 - first]) == (d[first], o[first])
    assert period[first] <= period[1 - first]


def test_habits_repeat() -> None:
    """The more trips each user makes, the fewer distinct pairs there are."""
    universe = Universe(_zones(1000).axes[:2])
    cells = [synthetic_trips(universe, trips=5_000, trips_per_user=each)[0].size for each in (1, 4, 16)]
    assert all(more > fewer for more, fewer in pairwise(cells))


def test_other_axes_follow_zipf() -> None:
    """The share of the most popular element is that of Zipf's law, and every element can occur."""
    counts = np.sort(np.bincount(_zipf(50, 50_000, Draws(1)), minlength=50))[::-1]
    ranks = np.arange(1, 51)
    assert counts / 50_000 == pytest.approx(np.log1p(1 / ranks) / np.log(51), abs=0.01)
    assert counts.min() > 0


def test_axes_too_large_to_list_are_no_trouble() -> None:
    """An axis of 2^60 elements is drawn from without listing it."""
    universe = Universe((Axis(name="cell", size=2**60),))
    keys, values = synthetic_trips(universe, trips=1_000, trips_per_user=1)
    assert values.sum() == 1_000
    assert ((keys >= 0) & (keys < universe.size)).all()


def test_missing_coordinates_do_no_harm(city: City) -> None:
    """Places without a position are drawn by popularity alone, whether a few or all."""
    universe = _zones(130)
    some, none = city.places.copy(), np.full((130, 2), np.nan)
    some[::7] = np.nan
    for at in (some, none):
        _, values = synthetic_trips(universe, trips=1_000, places={"origin": at, "destination": at})
        assert values.sum() == 1_000


def test_known_places_attract_where_others_are_missing() -> None:
    """A few missing coordinates neither switch gravity off for the rest, nor keep people away from them."""
    universe, at = _zones(400), _places(400)
    known = at.copy()
    known[::10] = np.nan
    lengths, visits = list[float](), list[float]()
    for places in ({"origin": known, "destination": known}, {}):
        keys, values = synthetic_trips(universe, trips=20_000, trips_per_user=1, places=places)
        o, d, _ = universe.coordinates(keys)
        length = np.linalg.norm(known[o] - known[d], axis=1)
        seen = ~np.isnan(length)
        lengths.append(float(np.average(length[seen], weights=values[seen])))
        visits.append(float(values[d % 10 == 0].sum()))
    assert lengths[0] < 0.85 * lengths[1]
    assert visits[0] > 0.6 * visits[1]


@given(size=st.integers(1, 2**62))
def test_popularity_is_scattered_one_to_one(size: int) -> None:
    """Ranks map to elements by a multiplier that is coprime to the size and never overflows."""
    step = _coprime(size)
    assert gcd(step, size) == 1
    assert step * (size - 1) < 2**63


def test_guesses_without_sense_are_refused(city: City) -> None:
    """Bad guesses, places of the wrong shape and universes without keys each say what to give."""
    universe = _zones(10)
    with pytest.raises(InputError, match="0 or more"):
        synthetic_trips(universe, trips=-1)
    with pytest.raises(InputError, match="1 or more"):
        synthetic_trips(universe, trips=5, trips_per_user=0.5)
    with pytest.raises(InputError, match="axis 'origin'"):
        synthetic_trips(universe, trips=5, places={"origin": city.places})
    with pytest.raises(UniverseError, match="64-bit"):
        synthetic_trips(_zones(2**40), trips=5)
