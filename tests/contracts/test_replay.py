"""Transcript replay: the answers of one data set forced upon its neighbour."""

from __future__ import annotations

import pytest
from tests.contracts import gates
from tests.contracts.cases import EPSILON, Case, cube, every_case, every_unit
from tests.contracts.neighbours import canaries, random_pairs

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
