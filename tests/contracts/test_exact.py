"""Exact likelihood ratios on tiny universes."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from tests.contracts import laws
from tests.contracts.cases import EPSILON, TRIP, UNITS, Case, cube, every_case, every_unit
from tests.contracts.exact import exact
from tests.contracts.neighbours import all_tables, are_neighbours

from quietway.universe import PrivacyUnit


@every_unit
@every_case
def test_no_outcome_is_likelier_than_promised(case: Case, unit: PrivacyUnit) -> None:
    """Between any two neighbours of three cells, no outcome's probability changes by more than e^epsilon."""
    exact(case.build(cube(3), unit, EPSILON), cube(3), unit)


@every_case
def test_the_promise_is_not_wasted(case: Case) -> None:
    """For single trips the worst outcome changes by e^epsilon exactly, so no noise is drawn in vain."""
    found = exact(case.build(cube(2, 1), TRIP, EPSILON), cube(2, 1), TRIP)
    assert found == pytest.approx(float(EPSILON), abs=1e-9) or (
        case.method is None and found > float(EPSILON) / 2
    )


@pytest.mark.parametrize("kind", ["select", "choose"])
@pytest.mark.parametrize("bound", [1, 3])
def test_a_selection_is_worth_its_epsilon(kind: str, bound: int) -> None:
    """With scale 2 * bound / epsilon, no choice changes by more than e^epsilon when every score moves by the bound."""
    scale = Fraction(2 * bound) / EPSILON
    tables = [np.array(scores) for scores in product(range(0, 5, 2), repeat=3)]
    moves = [np.array(move) for move in product((-bound, 0, bound), repeat=3)]
    logs = {tuple(table): np.log(laws.selection(kind, table, scale)) for table in tables}
    worst = max(
        np.abs(logs[tuple(table)] - np.log(laws.selection(kind, table + move, scale))).max()
        for table in tables
        for move in moves
    )
    assert float(EPSILON) / 2 < worst <= float(EPSILON) + 1e-9


@pytest.mark.parametrize("kind", ["select", "choose"])
def test_selection_probabilities_add_up(kind: str) -> None:
    """The exact laws of both selections are probabilities, and prefer better scores."""
    chances = laws.selection(kind, np.array([4, 0, 2, 2, -7]), Fraction(3, 2))
    assert chances.sum() == pytest.approx(1, abs=1e-12)
    assert chances[2] == pytest.approx(chances[3])
    assert chances[0] > chances[2] > chances[1] > chances[4] > 0


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(30, 7)])
def test_noise_probabilities_add_up(scale: Fraction) -> None:
    """The exact law of the noise is a probability, and its distribution function is its sum."""
    z = np.arange(-400, 401)
    assert laws.pmf(z, scale).sum() == pytest.approx(1, abs=1e-12)
    for cut in (-3, 0, 1, 6):
        assert np.exp(laws.log_below(np.array([cut]), scale)[0]) == pytest.approx(
            laws.pmf(z[z < cut], scale).sum()
        )


@every_unit
def test_neighbours_are_symmetric(unit: PrivacyUnit) -> None:
    """If one data set is a neighbour of another, so is the other of the one, and none is its own."""
    tables = all_tables(cube(3), 2)
    for one, other in product(tables, repeat=2):
        assert are_neighbours(one, other, unit) == are_neighbours(other, one, unit)
    assert not any(are_neighbours(table, table, unit) for table in tables)


def test_units_differ_in_their_neighbours() -> None:
    """Users reach further than trips, and replacing further than adding."""
    tables = all_tables(cube(3), 2)
    reached = [sum(are_neighbours(one, other, unit) for one in tables for other in tables) for unit in UNITS]
    assert reached[0] < reached[1] < reached[3] and reached[0] < reached[2] < reached[3]
