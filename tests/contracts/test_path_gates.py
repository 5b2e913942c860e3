"""Mechanisms for paths at the gates: exact likelihood ratios, transcript replay, canaries."""

from __future__ import annotations

import pytest
from tests.contracts import gates
from tests.contracts.cases import EPSILON, TRIP, cube, every_unit
from tests.contracts.exact import exact
from tests.contracts.neighbours import canaries, pairs_at, random_pairs
from tests.contracts.path_cases import PATH_CASES, PathCase, every_path_case, over_paths

from quietway.mechanisms.od.registry import PATH_METHODS
from quietway.universe import PrivacyUnit

PAIRS = 120


@every_unit
@every_path_case
def test_no_outcome_is_likelier_than_promised(case: PathCase, unit: PrivacyUnit) -> None:
    """Between any two neighbours of three cells, no outcome's probability changes by more than e^epsilon.

    Nor is the promise wasted: for single paths the worst outcome changes by
    that much. Choices and decisions waste some, among counts so small.
    """
    found = exact(case.over(cube(3), unit, EPSILON), cube(3), unit)
    if unit == TRIP:
        least = float(EPSILON) * case.used
        assert found > least if case.used < 1 else found == pytest.approx(least, abs=1e-9)


@over_paths([case for case in PATH_CASES if case.method or "entropy" in case.name])
def test_two_axes_keep_the_promise(case: PathCase) -> None:
    """The same of a stop in two by two places, where trees have levels, with at most one path in each."""
    exact(case.over(cube(2, 2), TRIP, EPSILON), cube(2, 2), TRIP, most=1)


@pytest.mark.parametrize("shape", [(8, 8), (4, 4, 4)], ids=str)
@every_unit
@every_path_case
def test_the_loss_of_any_transcript_is_at_most_epsilon(
    case: PathCase, unit: PrivacyUnit, shape: tuple[int, ...]
) -> None:
    """Answers drawn for one data set are at most e^epsilon times less likely for its neighbours."""
    universe = cube(*shape)
    gates.replay_all(case.over(universe, unit, EPSILON), random_pairs(universe, unit, PAIRS, seed=11))


@every_unit
@every_path_case
def test_canaries_are_hidden(case: PathCase, unit: PrivacyUnit) -> None:
    """Empty cells, thresholds, one more path, people with all their paths in one place: the loss stays in bounds."""
    universe = cube(6, 5)
    gates.replay_all(case.over(universe, unit, EPSILON), canaries(universe, unit))


@every_unit
@every_path_case
def test_counts_that_straddle_a_decision_are_hidden(case: PathCase, unit: PrivacyUnit) -> None:
    """Whatever number of paths decides to stop, to split or to list, one contributor more decides nothing."""
    universe = cube(4, 4)
    gates.replay_all(case.over(universe, unit, EPSILON), pairs_at(universe, unit, range(0, 60, 3)))


def test_every_method_for_paths_stands_at_the_gates() -> None:
    """A method that may be named in a release file and has no line in PATH_CASES is not allowed."""
    assert set(PATH_METHODS) <= {case.method for case in PATH_CASES}
