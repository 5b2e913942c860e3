"""The gates of paths where trees are deep and paths have several stops: answers are forced, as any might come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.contracts import gates, path_mutants
from tests.contracts.cases import EPSILON, TRIP, USER, cube, every_unit
from tests.contracts.neighbours import Pair, canaries, counted, random_pairs
from tests.contracts.path_cases import PATH_HONEST, OverPaths, PathBuild, PathCase, every_path_case
from tests.contracts.path_mutants import broken

from quietway.mechanisms.od.privtree import PrivTree
from quietway.noise import seeded
from quietway.noise.testing import ConstantNoise, ZeroNoise
from quietway.universe import Frame, PathSpace, PrivacyUnit, Universe

Ints = NDArray[np.int64]
TWO_STOPS, DEEP, SQUARE = cube(6, 5, 4, 3), cube(64), cube(64, 64)
SHIFTS = {"all goes on": 40, "some goes on": 3, "all stops": -1}
every_shift = pytest.mark.parametrize("shift", SHIFTS.values(), ids=list(SHIFTS))


class Dividing(ZeroNoise):
    """Divides every box that can be."""

    def positive(self, true: Ints, scale: Fraction) -> NDArray[np.bool_]:
        """Yes."""
        return np.ones(true.shape, dtype=np.bool_)


def force_all(over: OverPaths, universe: Universe, unit: PrivacyUnit, shift: int) -> None:
    """A few of the canaries and a few random pairs, with the same noise on every count."""
    for pair in (*islice(canaries(universe, unit), 0, 60, 12), *random_pairs(universe, unit, 4, seed=3)):
        gates.replay(over, pair, ConstantNoise(shift))


@every_shift
@every_unit
@every_path_case
def test_no_answers_give_away_more_than_epsilon(case: PathCase, unit: PrivacyUnit, shift: int) -> None:
    """Whether boxes of two stops, or of 64 places in a row, are cut down to single cells or not at all."""
    for universe in (TWO_STOPS, DEEP):
        force_all(case.over(universe, unit, EPSILON), universe, unit, shift)


SEEN: tuple[tuple[str, PathBuild, PrivacyUnit], ...] = (
    (
        "true counts decide which boxes are too many",
        broken(path_mutants.RawLargest, "daf", most_boxes=8),
        TRIP,
    ),
    ("stops are priced for one path of a user", broken(path_mutants.StopsForOnePath, "daf"), USER),
    ("cuts of every level take what all may", broken(path_mutants.UnsplitCuts, "kdtree", depth=3), TRIP),
    ("empty boxes are cut for nothing", broken(path_mutants.FreeEmptyCuts, "kdtree", depth=3), TRIP),
    ("true counts offer cuts", broken(path_mutants.CountedCandidates, "daf-homogeneity", candidates=2), TRIP),
)


@pytest.mark.parametrize(("build", "unit"), [m[1:] for m in SEEN], ids=[m[0] for m in SEEN])
def test_forced_answers_catch(build: PathBuild, unit: PrivacyUnit) -> None:
    """Each of these mechanisms is refused for some of the answers that the honest ones pass."""
    with pytest.raises(AssertionError):
        for shift in SHIFTS.values():
            for universe in (TWO_STOPS, DEEP):
                force_all(
                    PathCase(name="broken", build=build).over(universe, unit, EPSILON), universe, unit, shift
                )


def dearest_way(over: OverPaths) -> float:
    """The largest loss where all decisions say yes, on six levels, each of two axes."""
    return max(gates.replay(over, pair, Dividing()) for pair in one_more_in_a_cell())


def one_more_in_a_cell() -> Iterator[Pair]:
    """So many paths in one cell, and one more."""
    cell = np.zeros(SQUARE.size, dtype=np.int64)
    cell[2] = 1
    for n in range(0, 90, 2):
        yield Pair(f"{n} paths", counted(SQUARE, n * cell, TRIP), counted(SQUARE, (n + 1) * cell, TRIP))


def test_the_dearest_way_of_decisions_is_paid_for() -> None:
    """And it costs nearly all of epsilon, so that little is wasted."""
    assert dearest_way(PATH_HONEST["privtree"].over(SQUARE, TRIP, EPSILON)) > 0.9 * float(EPSILON)


@pytest.mark.parametrize("mutant", [path_mutants.LoweredForTwo, path_mutants.Floorless])
def test_decisions_that_are_lowered_otherwise_are_caught_on_the_dearest_way(mutant: type[PrivTree]) -> None:
    """By less than the number of children asks for, or without a floor."""
    over = PathCase(name="broken", build=broken(mutant, "privtree")).over(SQUARE, TRIP, EPSILON)
    with pytest.raises(AssertionError, match="loss"):
        dearest_way(over)


@every_path_case
def test_zones_are_measured_like_any_cells(case: PathCase) -> None:
    """Where zones stand changes nothing of what is drawn: cells without one have noise like all others."""
    rows, columns = np.divmod(np.arange(0, 12, 2), 4)
    zones = Frame.zones(tuple("abcdef"), np.column_stack([columns, rows]).astype(np.float64))
    universe = cube(*zones.shape, *zones.shape)
    unit = TRIP
    plain = case.over(universe, unit, EPSILON)
    space = PathSpace(stops=plain.space.stops, frames=(zones, zones))
    zoned = replace(plain, honest=case.build(space, unit, EPSILON), space=space)
    table = np.random.default_rng(4).poisson(2.0, universe.size)
    counts = counted(universe, table, unit)
    for one, other in zip(
        plain.measure(counts, rng=seeded(8)), zoned.measure(counts, rng=seeded(8)), strict=True
    ):
        assert np.array_equal(one.noisy, other.noisy)
