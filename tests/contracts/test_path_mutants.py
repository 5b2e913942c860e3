"""The gates of paths can fail: every mistake is noticed, by the gate that is there for it."""

from __future__ import annotations

import pytest
from tests.contracts import gates, mutants, path_mutants
from tests.contracts.cases import EPSILON, TRIP, TRIP_REPLACED, USER, Build, cube, every_unit
from tests.contracts.exact import exact
from tests.contracts.neighbours import canaries, pairs_at
from tests.contracts.path_cases import PATH_HONEST, OverPaths, PathBuild, PathCase

from quietway.mechanisms.od.daf_entropy import DafEntropy
from quietway.universe import PrivacyUnit


def noised(make: type[mutants.Mutant], name: str) -> Build:
    """A case with another source of noise."""
    return lambda universe, unit, epsilon: make(honest=PATH_HONEST[name].over(universe, unit, epsilon))  # type: ignore[arg-type]


def over(build: PathBuild) -> Build:
    """A broken mechanism for paths at the gates of counts."""
    return PathCase(name="broken", build=build).over  # type: ignore[return-value]


def printed(rule: int) -> Build:
    """Algorithm 3's noise with so many candidates."""
    return over(path_mutants.broken(path_mutants.PrintedNoise, "daf-homogeneity", candidates=rule))


CAUGHT: tuple[tuple[str, Build, PrivacyUnit], ...] = (
    ("halved scale, total", noised(mutants.HalvedScale, "uniform"), TRIP),
    ("halved scale, cells", noised(mutants.HalvedScale, "identity"), TRIP),
    ("halved scale, grid", noised(mutants.HalvedScale, "eug"), TRIP_REPLACED),
    ("halved scale, tree", noised(mutants.HalvedScale, "daf-entropy"), USER),
    ("halved scale, choices", noised(mutants.HalvedScale, "daf-homogeneity"), TRIP),
    ("a user counts as one path, cells", noised(mutants.ScaleForOneTrip, "identity"), USER),
    ("a user counts as one path, tree", noised(mutants.ScaleForOneTrip, "daf-entropy"), USER),
    ("replacing counts as adding, grid", noised(mutants.ScaleForOneTrip, "mkm"), TRIP_REPLACED),
    ("no split, total and blocks", noised(mutants.UnsplitBudget, "ebp"), TRIP),
    ("no split, levels", over(path_mutants.broken(path_mutants.UnsplitLevels, "daf-entropy")), TRIP),
    ("the root for nothing", over(path_mutants.broken(path_mutants.FreeRoot, "daf-entropy")), TRIP),
    ("a raw count stops", over(path_mutants.broken(path_mutants.RawStop, "daf-entropy")), TRIP),
    ("a raw count rules a grid", over(path_mutants.broken(path_mutants.RawGrid, "ebp")), TRIP),
    (
        "choices for nothing",
        over(path_mutants.broken(path_mutants.FreeChoice, "daf-homogeneity", candidates=2)),
        TRIP,
    ),
    ("the noise of scores as printed", printed(8), TRIP),
    (
        "choices four times too sure",
        over(path_mutants.broken(path_mutants.HalfTheScores, "daf-homogeneity", candidates=2)),
        TRIP,
    ),
    ("halved scale, adaptive trees", noised(mutants.HalvedScale, "daf"), TRIP),
    ("a user counts as one path, adaptive trees", noised(mutants.ScaleForOneTrip, "daf, impatient"), USER),
    (
        "a raw count quarters",
        over(path_mutants.broken(path_mutants.RawQuarters, "daf", patience=0.2)),
        TRIP,
    ),
    ("leaves for nothing", over(path_mutants.broken(path_mutants.FreeLeaves, "daf")), TRIP),
    ("halved scale, decisions", noised(mutants.HalvedScale, "privtree"), TRIP),
    ("halved scale, k-d tree", noised(mutants.HalvedScale, "kdtree"), TRIP),
    ("halved scale, quadtree", noised(mutants.HalvedScale, "quadtree"), TRIP_REPLACED),
    ("occupied cells only", over(path_mutants.broken(path_mutants.OccupiedCells, "identity")), TRIP),
)
DEEP = ("no split, levels",)  # one axis has one level, so there is nothing to split
every_mutant = pytest.mark.parametrize(("build", "unit"), [m[1:] for m in CAUGHT], ids=[m[0] for m in CAUGHT])


@every_mutant
def test_replay_catches(build: Build, unit: PrivacyUnit) -> None:
    """Replay refuses every mutant on the pairs that the honest mechanisms pass."""
    universe = cube(6, 5)
    with pytest.raises(AssertionError):
        gates.replay_all(build(universe, unit, EPSILON), canaries(universe, unit))


@pytest.mark.parametrize(
    ("build", "unit", "deep"), [(*m[1:], m[0] in DEEP) for m in CAUGHT], ids=[m[0] for m in CAUGHT]
)
def test_exact_ratios_catch(build: Build, unit: PrivacyUnit, deep: bool) -> None:
    """Exact enumeration refuses every mutant."""
    universe, most = (cube(2, 2), 1) if deep else (cube(3), 2)
    with pytest.raises(AssertionError):
        exact(build(universe, unit, EPSILON), universe, unit, most=most)


@every_unit
def test_a_raw_total_that_divides_the_budget_is_caught_where_it_turns(unit: PrivacyUnit) -> None:
    """Where one contributor more changes the shares of a tree that knew the true total, the answers decide them all the same."""
    universe = cube(6, 5)
    honest = PATH_HONEST["daf-entropy"].over(universe, unit, EPSILON)
    mutant = over(path_mutants.broken(path_mutants.RawFanOut, "daf-entropy"))(universe, unit, EPSILON)
    totals = turning_schedules(honest)
    assert totals, "no total changes the shares, so nothing is tried"
    gates.replay_all(honest, pairs_at(universe, unit, totals))
    for total in totals:
        with pytest.raises(AssertionError, match="structural mismatch"):
            gates.replay_all(mutant, pairs_at(universe, unit, [total]))


def turning_schedules(over_paths: OverPaths) -> tuple[int, ...]:
    """Every n below 400 where n paths would divide the budget otherwise than n + 1."""
    honest = over_paths.honest
    assert isinstance(honest, DafEntropy)
    schedules = [honest._schedule(total, 2) for total in range(401)]
    return tuple(n for n in range(400) if schedules[n] != schedules[n + 1])


@pytest.mark.parametrize("candidates", [2, 4, 8])
def test_printed_noise_gives_away_more_the_more_candidates_there_are(candidates: int) -> None:
    """The noise of scores as printed shrinks with their number: whatever it is, replay refuses it."""
    universe = cube(6, 5)
    with pytest.raises(AssertionError):
        gates.replay_all(printed(candidates)(universe, TRIP, EPSILON), canaries(universe, TRIP))


def test_counts_that_are_not_lowered_with_depth_are_caught_in_deep_trees() -> None:
    """Decisions at one biased count over many levels cost more than PrivTree pays for: replay refuses them."""
    universe = cube(64)
    pairs = list(pairs_at(universe, TRIP, range(1, 24)))
    gates.replay_all(PATH_HONEST["privtree"].over(universe, TRIP, EPSILON), pairs)
    mutant = over(path_mutants.broken(path_mutants.Unbiased, "privtree"))(universe, TRIP, EPSILON)
    with pytest.raises(AssertionError):
        for seed in range(40):
            gates.replay_all(mutant, pairs, seed=seed)


def test_stops_that_all_take_what_they_have_together_are_caught() -> None:
    """Two stops at the price of one: replay refuses them."""
    universe = cube(3, 3, 3, 3)
    honest = PATH_HONEST["daf"].over(universe, TRIP, EPSILON)
    gates.replay_all(honest, canaries(universe, TRIP))
    mutant = over(path_mutants.broken(path_mutants.FreeStops, "daf"))(universe, TRIP, EPSILON)
    with pytest.raises(AssertionError):
        gates.replay_all(mutant, canaries(universe, TRIP))


def test_looking_at_the_counts_behind_decisions_is_caught_in_deep_trees() -> None:
    """PrivTree pays for yes and no alone: replay refuses it with the noisy counts told."""
    universe = cube(64)
    mutant = over(path_mutants.broken(path_mutants.ToldDecisions, "privtree"))(universe, TRIP, EPSILON)
    with pytest.raises(AssertionError):
        gates.replay_all(mutant, pairs_at(universe, TRIP, range(10, 200, 10)))
