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
    method,
)
from tests.contracts.neighbours import canaries, pairs_at, random_pairs
from tests.contracts.turning import turning_plans, turning_totals

from quietway.counts import Counts
from quietway.estimate import newton
from quietway.estimate.leaves import HIGHEST_LEVEL
from quietway.mechanisms import Mechanism, ThresholdCells
from quietway.mechanisms.planned import PlannedMargins
from quietway.mechanisms.threshold import quiet_threshold
from quietway.noise import seeded
from quietway.universe import Axis, PrivacyUnit, Universe

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


@every_unit
def test_a_plan_of_trip_ends_follows_the_noisy_total_alone(unit: PrivacyUnit) -> None:
    """The same where trips go from places to places, so that trip ends and pairs may be measured or left out."""
    universe = Universe(
        tuple(Axis(name=name, size=size) for name, size in (("origin", 6), ("destination", 6), ("period", 3)))
    )
    mechanism = method("cbdp", prior="uniform")(universe, unit, EPSILON)
    assert isinstance(mechanism, PlannedMargins)
    totals = turning_plans(mechanism)
    planned = {name for total in totals for name, _ in mechanism.plan(total + 1)}
    assert {"origin", "origin by period", "origin by destination", "cells"} <= planned
    gates.replay_all(mechanism, pairs_at(universe, unit, totals))


@pytest.mark.parametrize("most_steps", [8, 15])
@every_unit
def test_a_fit_that_fails_fails_by_noisy_numbers_alone(
    unit: PrivacyUnit, most_steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the fit of hidden cells gives up, slows down or lists nothing, a neighbour's with the same answers does too."""
    monkeypatch.setattr(newton, "MOST_STEPS", most_steps)
    universe = cube(6, 5)
    mechanism = HONEST["cbdp, hidden cells"].build(universe, unit, EPSILON)
    assert {_is_listed(mechanism, pair.one) for pair in canaries(universe, unit)} == {True, False}
    gates.replay_all(mechanism, canaries(universe, unit))


def _is_listed(mechanism: Mechanism, counts: Counts) -> bool:
    floors = mechanism.measure(counts, rng=seeded(1))[-1].floors
    assert floors is not None
    return bool((floors.levels < HIGHEST_LEVEL).any())


def test_the_totals_that_are_tried_are_where_the_threshold_moves() -> None:
    """For single trips in 64 cells, the 1,816th trip takes the threshold from 3 to 2 and the 3,409th to 1."""
    mechanism = HONEST["threshold by the noisy total"].build(cube(8, 8), TRIP, EPSILON)
    assert isinstance(mechanism, ThresholdCells)
    scale = mechanism.unit.sensitivity / mechanism.epsilon_cells
    assert turning_totals(mechanism) == (1815, 3408)
    assert [quiet_threshold(64, scale, n) for n in (1815, 1816, 3408, 3409)] == [3, 2, 2, 1]
