"""The transport measure against transport costs from a linear program."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array, hstack, identity, kron

from quietway.errors import InputError
from quietway.reproduce.measures import Comparison
from quietway.reproduce.transport import LEVELS, diameter, kilometres, moved_kilometres
from quietway.universe import Axis, Universe

Floats = NDArray[np.float64]
PLACES = 8


def town(periods: int) -> Universe:
    axes = [Axis(name="origin", size=PLACES), Axis(name="destination", size=PLACES)]
    return Universe((*axes, Axis(name="period", size=periods)) if periods else tuple(axes))


def somewhere(seed: int) -> Floats:
    """Places within some 20 kilometres."""
    return np.array([-83.7, 42.3]) + 0.1 * np.random.default_rng(seed).uniform(-1, 1, (PLACES, 2))


def compare(universe: Universe, truth: Floats, published: Floats) -> Comparison:
    tables = [(np.flatnonzero(table), table[np.flatnonzero(table)]) for table in (truth, published)]
    return Comparison.of(universe, truth=tables[0], published=tables[1])


def exact(places: Floats, truth: Floats, published: Floats) -> float:
    """The least cost of turning one table without periods into the other, per true trip.

    One place more, `diameter` away from everything, takes and gives surplus trips.
    """
    flat = kilometres(places)
    apart = np.linalg.norm(flat[:, None] - flat, axis=2)
    cost = np.add.outer(apart, apart).transpose(0, 2, 1, 3).reshape(PLACES**2, PLACES**2)
    rows, columns = np.flatnonzero(published), np.flatnonzero(truth)
    most = diameter(places)
    cost = np.block(
        [
            [cost[np.ix_(rows, columns)], np.full((len(rows), 1), most)],
            [np.full((1, len(columns)), most), 0.0],
        ]
    )
    give = np.append(published[rows], truth.sum())
    take = np.append(truth[columns], published.sum())
    n, m = cost.shape
    constraints = hstack([kron(identity(n), np.ones((1, m))).T, kron(np.ones((1, n)), identity(m)).T]).T
    answer = linprog(cost.ravel(), A_eq=csr_array(constraints), b_eq=np.append(give, take))
    return float(answer.fun) / truth.sum()


def draw(seed: int, trips: int) -> Floats:
    return np.bincount(np.random.default_rng(seed).integers(0, PLACES**2, trips), minlength=PLACES**2) * 1.0


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("trips", [10, 15])
def test_it_is_never_below_the_exact_cost_and_within_its_factor(seed: int, trips: int) -> None:
    """Tree distances are at least map distances, and on average over shifts not much more."""
    places, truth, published = somewhere(seed), draw(seed, 10), draw(seed + 100, trips)
    least = exact(places, truth, published)
    measured = moved_kilometres(compare(town(0), truth, published), places, shifts=40)
    assert least - 1e-9 <= measured <= 8 * LEVELS * least
    assert measured <= 5 * least


def test_nothing_published_costs_the_diameter() -> None:
    """Every trip is missing, and a missing trip costs the most a trip can be moved."""
    places, truth = somewhere(1), draw(1, 10)
    nothing = compare(town(0), truth, np.zeros(PLACES**2))
    assert moved_kilometres(nothing, places) == pytest.approx(diameter(places))
    assert moved_kilometres(compare(town(0), truth, truth), places) == 0


def test_a_trip_in_a_wrong_period_counts_twice() -> None:
    """Trips are not moved in time: one is missing, one too many."""
    places, universe = somewhere(2), town(3)
    truth, published = np.zeros(universe.size), np.zeros(universe.size)
    truth[0], published[1] = 1, 1
    assert moved_kilometres(compare(universe, truth, published), places) == pytest.approx(
        2 * diameter(places)
    )


def test_nearer_is_better() -> None:
    """A wrong destination next door costs less than one across town."""
    places = np.array([[0.0, 0.0], [0.001, 0.0], [0.2, 0.2], *[[0.1, 0.1 + i / 100] for i in range(5)]])
    truth, near, far = np.zeros((3, PLACES**2))
    truth[0], near[1], far[2] = 1, 1, 1
    scores = [moved_kilometres(compare(town(0), truth, table), places, shifts=20) for table in (near, far)]
    assert scores[0] < scores[1] / 5


def test_moving_no_trip_is_dearer_than_leaving_it_out() -> None:
    """Even the worst place for a trip of the right period costs at most the diameter."""
    places, truth = somewhere(3), draw(3, 10)
    worst = np.zeros(PLACES**2)
    worst[int(np.argmin(truth))] = 10
    assert moved_kilometres(compare(town(0), truth, worst), places) <= diameter(places) + 1e-9


def test_other_geographies_are_refused() -> None:
    """The table's places and the map's must be the same."""
    comparison = compare(town(0), draw(1, 10), draw(2, 10))
    with pytest.raises(InputError, match="origin and destination"):
        moved_kilometres(comparison, somewhere(1)[:-1])
    with pytest.raises(InputError, match="longitude, latitude"):
        kilometres(np.zeros(4))
