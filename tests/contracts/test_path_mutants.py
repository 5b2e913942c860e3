"""The gates of paths can fail: every mistake is noticed, by the gate that is there for it."""

from __future__ import annotations

import pytest
from tests.contracts import gates, mutants, path_mutants
from tests.contracts.cases import EPSILON, TRIP, TRIP_REPLACED, USER, Build, cube
from tests.contracts.neighbours import canaries
from tests.contracts.path_cases import PATH_HONEST, PathBuild, PathCase

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
    (
        "a raw count divides the budget",
        over(path_mutants.broken(path_mutants.RawFanOut, "daf-entropy")),
        TRIP,
    ),
    ("a raw count rules a grid", over(path_mutants.broken(path_mutants.RawGrid, "ebp")), TRIP),
    ("choices for nothing", over(path_mutants.broken(path_mutants.FreeChoice, "daf-homogeneity")), TRIP),
    ("the noise of scores as printed", printed(8), TRIP),
    ("occupied cells only", over(path_mutants.broken(path_mutants.OccupiedCells, "identity")), TRIP),
)
every_mutant = pytest.mark.parametrize(("build", "unit"), [m[1:] for m in CAUGHT], ids=[m[0] for m in CAUGHT])


@every_mutant
def test_replay_catches(build: Build, unit: PrivacyUnit) -> None:
    """Replay refuses every mutant on the pairs that the honest mechanisms pass."""
    universe = cube(6, 5)
    with pytest.raises(AssertionError):
        gates.replay_all(build(universe, unit, EPSILON), canaries(universe, unit))
