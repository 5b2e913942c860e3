"""Transcript replay: the answers of one data set forced upon its neighbour."""

from __future__ import annotations

import pytest
from tests.contracts import gates
from tests.contracts.cases import (
    EPSILON,
    HONEST,
    TRIP,
    Case,
    cube,
    every_adaptive_case,
    every_case,
    every_planning_case,
    every_unit,
)
from tests.contracts.neighbours import canaries, pairs_at, random_pairs
from tests.contracts.turning import turning_plans, turning_totals

from quietway.mechanisms import ThresholdCells
from quietway.mechanisms.planned import PlannedMargins
from quietway.mechanisms.threshold import quiet_threshold
from quietway.universe import PrivacyUnit

PAIRS = 120


@pytest.mark.parametrize("shape", [(8, 8), (4, 4, 4)], ids=str)
@every_unit
@every_case
def test_the_loss_of_any_transcript_is_at_most_epsilon(
    case: Case, unit: PrivacyUnit, shape: tuple[int, ...]
) -> None:
    """Answers drawn for one data set are at most e^epsilon times less likely for its neighbours."""
    universe = cube(*shape)
    mechanism = case.build(universe, unit, EPSILON)
    gates.replay_all(mechanism, random_pairs(universe, unit, PAIRS, seed=11))


@every_unit
@every_case
def test_canaries_are_hidden(case: Case, unit: PrivacyUnit) -> None:
    """Empty cells, thresholds, one more trip, people with all their trips in one place: the loss stays in bounds."""
    universe = cube(6, 5)
    gates.replay_all(case.build(universe, unit, EPSILON), canaries(universe, unit))


@every_unit
@every_adaptive_case
def test_a_threshold_follows_the_noisy_total_alone(case: Case, unit: PrivacyUnit) -> None:
    """Where one more trip would move a threshold that knew the true total, the answers decide it all the same."""
    universe = cube(8, 8)
    mechanism = case.build(universe, unit, EPSILON)
    assert isinstance(mechanism, ThresholdCells) and mechanism.threshold is None
    totals = turning_totals(mechanism)
    scale = unit.sensitivity / mechanism.epsilon_cells
    assert totals, "no total moves the threshold, so nothing is tried"
    for n in totals:
        assert quiet_threshold(universe.size, scale, n) != quiet_threshold(universe.size, scale, n + 1)
    gates.replay_all(mechanism, pairs_at(universe, unit, totals))


@every_unit
@every_planning_case
def test_a_plan_follows_the_noisy_total_alone(case: Case, unit: PrivacyUnit) -> None:
    """Where one more trip would change the margins of a plan that knew the true total, the answers decide it all the same."""
    universe = cube(8, 8)
    mechanism = case.build(universe, unit, EPSILON)
    assert isinstance(mechanism, PlannedMargins)
    totals = turning_plans(mechanism)
    assert totals, "no total changes the plan, so nothing is tried"
    gates.replay_all(mechanism, pairs_at(universe, unit, totals))


def test_the_totals_that_are_tried_are_where_the_threshold_moves() -> None:
    """For single trips in 64 cells, the 1,816th trip takes the threshold from 3 to 2 and the 3,409th to 1."""
    mechanism = HONEST["threshold by the noisy total"].build(cube(8, 8), TRIP, EPSILON)
    assert isinstance(mechanism, ThresholdCells)
    scale = mechanism.unit.sensitivity / mechanism.epsilon_cells
    assert turning_totals(mechanism) == (1815, 3408)
    assert [quiet_threshold(64, scale, n) for n in (1815, 1816, 3408, 3409)] == [3, 2, 2, 1]
