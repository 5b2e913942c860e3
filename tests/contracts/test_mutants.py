"""The gates can fail: every mistake of `mutants` is noticed, by the gate that is there for it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from tests.contracts import gates, mutants
from tests.contracts.cases import (
    CASES,
    EPSILON,
    HONEST,
    TRIP,
    TRIP_REPLACED,
    UNITS,
    USER,
    USER_REPLACED,
    Build,
    cube,
    every_unit,
)
from tests.contracts.exact import exact
from tests.contracts.neighbours import canaries, counted, pairs_at, random_pairs
from tests.contracts.turning import turning_plans, turning_totals

from quietway.mechanisms import Mechanism
from quietway.mechanisms.planned import PlannedMargins
from quietway.mechanisms.registry import METHODS
from quietway.universe import PrivacyUnit, Universe

Make = Callable[[Mechanism], Mechanism]


def mutate(make: Callable[..., Mechanism], build: Build) -> Build:
    """Build the honest mechanism, and break it."""
    return lambda universe, unit, epsilon: make(honest=build(universe, unit, epsilon))


def of(name: str) -> Build:
    """How a registered mechanism is built."""
    return HONEST[name].build


MUTANTS: tuple[tuple[str, Build, PrivacyUnit], ...] = (
    ("halved scale, cells", mutate(mutants.HalvedScale, of("identity")), TRIP),
    ("halved scale, tree", mutate(mutants.HalvedScale, of("hierarchy")), USER),
    ("halved scale, sparse", mutate(mutants.HalvedScale, of("threshold 3")), TRIP_REPLACED),
    (
        "halved scale, selection",
        mutate(mutants.HalvedScale, of("selected block (of these tests)")),
        TRIP_REPLACED,
    ),
    ("a user counts as one trip", mutate(mutants.ScaleForOneTrip, of("laplace")), USER),
    ("replacing counts as adding", mutate(mutants.ScaleForOneTrip, of("laplace")), TRIP_REPLACED),
    ("no split, features", mutate(mutants.UnsplitBudget, of("laplace")), TRIP),
    ("no split, levels", mutate(mutants.UnsplitBudget, of("hierarchy, geometric shares")), USER_REPLACED),
    ("occupied cells only", mutate(mutants.OccupiedOnly, mutants.cells_only), TRIP),
    ("occupied cells only, sparse", mutate(mutants.OccupiedOnlyAbove, mutants.cells_only), TRIP),
    ("halved scale, hidden", mutate(mutants.HalvedScale, of("cbdp, hidden cells")), TRIP),
    ("no split, constraints", mutate(mutants.UnsplitBudget, of("cbdp")), TRIP),
    ("no split, hidden", mutate(mutants.UnsplitBudget, of("cbdp, hidden cells")), USER),
    ("a user counts as one trip, hidden", mutate(mutants.ScaleForOneTrip, of("cbdp, hidden cells")), USER),
    (
        "halved scale, planned",
        mutate(mutants.HalvedScale, of("cbdp, margins planned by the noisy total")),
        TRIP,
    ),
    (
        "a user counts as one trip, planned",
        mutate(mutants.ScaleForOneTrip, of("cbdp, margins planned by the noisy total")),
        USER,
    ),
    ("halved scale, margins named", mutate(mutants.HalvedScale, of("cbdp, margins named")), TRIP),
    (
        "no split, margins named",
        mutate(mutants.UnsplitBudget, of("cbdp, margins named, cube-root shares")),
        USER,
    ),
    ("margins planned and not split", mutants.unsplit_plan, TRIP),
    (
        "a plan that forgets the rough total",
        mutate(mutants.FreePlan, of("cbdp, margins planned by the noisy total")),
        TRIP,
    ),
    ("a fit that sees the records", mutants.raw_fit, TRIP),
    ("occupied cells only, hidden", mutate(mutants.OccupiedOnlyHidden, mutants.cells_only), TRIP),
    ("occupied cells first, hidden", mutate(mutants.OccupiedFirst, mutants.cells_only), TRIP),
    ("a raw level", mutate(mutants.RawLevel, mutants.cells_only), TRIP),
    ("a raw look", mutate(mutants.RawPeek, mutants.cells_only), TRIP),
    ("a raw count steers the run", mutate(mutants.RawBranch, of("laplace")), TRIP),
    ("a raw count in the output", mutate(mutants.RawScale, of("identity")), TRIP),
    ("a raw threshold", mutants.raw_threshold, TRIP),
    ("a look at the records afterwards", mutate(mutants.RawRounding, of("hierarchy")), TRIP),
)
UNSEEN = (
    "a raw look"  # the outputs have the right law, so only the replay, which sees every look, can refuse it
)
every_mutant = pytest.mark.parametrize(
    ("build", "unit"), [m[1:] for m in MUTANTS], ids=[m[0] for m in MUTANTS]
)


@every_mutant
def test_replay_catches(build: Build, unit: PrivacyUnit) -> None:
    """Replay refuses every mutant on the pairs that the honest mechanisms pass."""
    universe = cube(6, 5)
    with pytest.raises(AssertionError):
        gates.replay_all(build(universe, unit, EPSILON), canaries(universe, unit))


@pytest.mark.parametrize(
    ("build", "unit"),
    [m[1:] for m in MUTANTS if m[0] != UNSEEN],
    ids=[m[0] for m in MUTANTS if m[0] != UNSEEN],
)
def test_exact_ratios_catch(build: Build, unit: PrivacyUnit) -> None:
    """Exact enumeration refuses every mutant."""
    with pytest.raises(AssertionError):
        exact(build(cube(3), unit, EPSILON), cube(3), unit)


@every_unit
def test_a_raw_total_is_caught_where_the_threshold_moves(unit: PrivacyUnit) -> None:
    """A threshold that follows the true total, not the noisy one, is refused for every unit."""
    mutant = mutants.raw_total(cube(8, 8), unit, EPSILON)
    for total in turning_totals(mutant):
        with pytest.raises(AssertionError, match="structural mismatch"):
            gates.replay_all(mutant, pairs_at(cube(8, 8), unit, [total]))


@every_unit
def test_a_plan_by_the_raw_total_is_caught_where_it_changes(unit: PrivacyUnit) -> None:
    """Margins chosen by the true total, not the noisy one, are refused for every unit."""
    honest = of("cbdp, margins planned by the noisy total")(cube(8, 8), unit, EPSILON)
    assert isinstance(honest, PlannedMargins)
    for total in turning_plans(honest):
        with pytest.raises(AssertionError, match="structural mismatch"):
            gates.replay_all(mutants.RawPlan.of(honest), pairs_at(cube(8, 8), unit, [total]))


@pytest.mark.parametrize("name", ["halved scale, cells", "halved scale, tree", "no split, features"])
def test_random_pairs_catch_wrong_scales(name: str) -> None:
    """A scale that is too small shows on ordinary neighbours, without a canary."""
    _, build, unit = next(mutant for mutant in MUTANTS if mutant[0] == name)
    with pytest.raises(AssertionError):
        gates.replay_all(build(cube(8, 8), unit, EPSILON), random_pairs(cube(8, 8), unit, 20, seed=11))


@pytest.mark.parametrize("name", ["halved scale, cells", "halved scale, sparse", "no split, levels"])
def test_the_price_of_the_draws_catches_wrong_scales(name: str) -> None:
    """What is drawn is worth more than what is declared."""
    _, build, unit = next(mutant for mutant in MUTANTS if mutant[0] == name)
    universe = cube(4, 3)
    with pytest.raises(AssertionError, match="draws are worth"):
        gates.cost_is_spent(build(universe, unit, EPSILON), counted(universe, np.arange(12), unit), EPSILON)


def test_a_price_that_is_not_the_declared_one_is_caught() -> None:
    """A mechanism that costs less or more than was declared is refused."""
    universe = cube(4, 3)
    counts = counted(universe, np.arange(12), TRIP)
    with pytest.raises(AssertionError, match="not the declared"):
        gates.cost_is_spent(of("laplace")(universe, TRIP, EPSILON / 2), counts, EPSILON)


def test_floats_in_a_draw_are_caught() -> None:
    """A source that is asked to noise floats notices."""
    universe = cube(3)
    mechanism = mutate(mutants.FloatDraw, mutants.cells_only)(universe, TRIP, EPSILON)
    with pytest.raises(AssertionError, match="int64"):
        gates.replay_all(mechanism, canaries(universe, TRIP))


def test_wrong_units_are_not_excused_by_the_right_ones() -> None:
    """A scale for one trip is right for single trips, so only the other units may refuse it."""
    build = mutate(mutants.ScaleForOneTrip, of("laplace"))
    passed = [unit for unit in UNITS if _passes(build, cube(6, 5), unit)]
    assert passed == [TRIP]


def _passes(build: Build, universe: Universe, unit: PrivacyUnit) -> bool:
    try:
        gates.replay_all(build(universe, unit, Fraction(1)), canaries(universe, unit))
    except AssertionError:
        return False
    return True


def test_every_method_stands_at_the_gates() -> None:
    """A method that may be named in a release file and has no line in CASES is not allowed."""
    assert set(METHODS) <= {case.method for case in CASES}
