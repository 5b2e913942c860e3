"""What mechanisms for paths cost, and what must stay the same, or change in step, when the question changes."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from tests.contracts import gates
from tests.contracts.cases import EPSILON, TRIP, UNITS, cube, every_unit
from tests.contracts.neighbours import counted
from tests.contracts.path_cases import (
    PATH_HONEST,
    OverPaths,
    PathCase,
    every_exchangeable_case,
    every_fixed_case,
    every_path_case,
    paths_of,
)
from tests.contracts.path_spending import Choices, spent_on_every_way
from tests.contracts.test_noise_law import LEAST_P, p_value

from quietway.budget import Ledger
from quietway.errors import BudgetError, PrivacyError
from quietway.measurement import NoisyBoxes, NoisyCells, NoisyGrid
from quietway.mechanisms.od.grid import block_counts
from quietway.mechanisms.od.mechanism import NoisyPaths
from quietway.mechanisms.od.privtree import PrivTree
from quietway.noise import secure, seeded
from quietway.noise.testing import ZeroNoise
from quietway.universe import PrivacyUnit

UNIVERSE = cube(5, 4, 3, 2)
TABLE = np.random.default_rng(8).poisson(3.0, UNIVERSE.size)


def scales(measured: tuple[NoisyPaths, ...]) -> list[Fraction]:
    """Of everything drawn, in order."""
    return [
        scale
        for part in measured
        for scale in (part.scales if isinstance(part, NoisyBoxes) else (part.scale,))
    ]


@every_unit
@every_path_case
def test_every_way_down_costs_what_is_declared(case: PathCase, unit: PrivacyUnit) -> None:
    """Declared epsilon = cost = sum of parts = draws and choices from the root to any leaf, exactly."""
    for epsilon in (Fraction(1, 3), EPSILON, Fraction(5)):
        mechanism = case.over(UNIVERSE, unit, epsilon)
        source = Choices(source=seeded(3))
        measured = mechanism.measure(counted(UNIVERSE, TABLE, unit), rng=source)
        assert mechanism.cost.epsilon == epsilon == sum(part for _, part in mechanism.parts)
        assert mechanism.cost.unit == unit
        spent = spent_on_every_way(measured, source.scales, unit, apart=case.apart)
        if isinstance(mechanism.honest, PrivTree):  # its decisions cost what they do together, not one by one
            assert spent == {mechanism.honest.epsilon_leaves}
        elif "published" in case.name and "daf" in case.name:
            assert max(spent) <= epsilon  # of all draws, it tells the last of each leaf
        else:
            assert spent == {epsilon}


@every_unit
@every_fixed_case
def test_half_the_epsilon_doubles_every_scale(case: PathCase, unit: PrivacyUnit) -> None:
    """Scales are inversely proportional to epsilon."""
    counts = counted(UNIVERSE, TABLE, unit)
    whole, half = (
        case.over(UNIVERSE, unit, epsilon).measure(counts, rng=ZeroNoise())
        for epsilon in (EPSILON, EPSILON / 2)
    )
    assert [2 * scale for scale in scales(whole)] == scales(half)


@pytest.mark.parametrize("times", [2, 7])
@every_exchangeable_case
def test_more_paths_are_worth_more_epsilon(case: PathCase, times: int) -> None:
    """(epsilon, k x) and (k epsilon, x) differ in units only: the same boxes, counts and scales k times as large."""
    many, few = (
        case.over(UNIVERSE, TRIP, EPSILON * more).measure(counted(UNIVERSE, table, TRIP), rng=ZeroNoise())
        for more, table in ((1, TABLE * times), (times, TABLE))
    )
    assert scales(many) == [times * scale for scale in scales(few)]
    for one, other in zip(many, few, strict=True):
        assert np.array_equal(one.noisy, times * other.noisy)
        if isinstance(one, NoisyBoxes) and isinstance(other, NoisyBoxes):
            assert np.array_equal(one.low, other.low) and np.array_equal(one.high, other.high)


@every_path_case
def test_leaves_hold_every_path(case: PathCase) -> None:
    """Without noise, what is measured of all parts together is the number of paths: no part vanishes."""
    measured = case.over(UNIVERSE, TRIP, Fraction(9)).measure(counted(UNIVERSE, TABLE, TRIP), rng=ZeroNoise())
    for part in measured:
        if isinstance(part, NoisyBoxes):
            last = np.zeros(len(part.parent), dtype=np.int64)
            last[part.node] = part.noisy
            assert last[part.leaves].sum() == TABLE.sum()
        elif isinstance(part, NoisyGrid):
            assert part.noisy.sum() == TABLE.sum()
            assert [edges[-1] for edges in part.edges] == list(part.space.shape)
        else:
            listed = TABLE[part.threshold <= TABLE]
            assert np.array_equal(part.noisy, listed)


@every_unit
@every_path_case
def test_the_ledger_holds_the_declared_epsilon(
    case: PathCase, unit: PrivacyUnit, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Two charges are granted, a third is refused, and the ledger has moved by exactly what was granted."""
    ledger = Ledger.open(tmp_path_factory.mktemp("ledger") / "ledger.sqlite")
    ledger.limit("paths", EPSILON * 5 / 2)
    mechanism = case.over(UNIVERSE, unit, EPSILON)
    for granted in (1, 2):
        ledger.charge("paths", mechanism.cost, purpose="test", spec_hash="0")
        assert ledger.account("paths").spent == granted * EPSILON
    with pytest.raises(BudgetError):
        ledger.charge("paths", mechanism.cost, purpose="test", spec_hash="0")
    assert ledger.account("paths").spent == 2 * EPSILON


@every_path_case
def test_paths_for_one_unit_are_not_measured_for_another(case: PathCase) -> None:
    """A mechanism priced for one unit refuses paths that were bounded for another."""
    for unit in UNITS[1:]:
        with pytest.raises(PrivacyError, match="priced"):
            case.over(UNIVERSE, TRIP, EPSILON).measure(counted(UNIVERSE, TABLE, unit), rng=ZeroNoise())


@every_path_case
def test_what_is_measured_is_integer(case: PathCase) -> None:
    """With the source that protects people, every noisy value is an int64 and every scale an exact rational."""
    for part in case.over(UNIVERSE, TRIP, EPSILON).measure(counted(UNIVERSE, TABLE, TRIP), rng=secure()):
        assert part.noisy.dtype == np.int64
        assert all(type(scale) is Fraction for scale in scales((part,)))


@every_path_case
def test_two_runs_differ(case: PathCase) -> None:
    """The source that protects people never repeats itself."""
    mechanism = case.over(UNIVERSE, TRIP, Fraction(1, 10**6))
    one, other = (mechanism.measure(counted(UNIVERSE, TABLE, TRIP), rng=secure()) for _ in range(2))
    with pytest.raises(AssertionError):
        gates.require_alike(one, other)


@every_path_case
def test_noise_has_the_scale_it_reports(case: PathCase) -> None:
    """Over many runs the noise of the commonest scales fits the law of that scale, and not one 30 % off."""
    noise = noise_by_scale(case.over(cube(5, 4), TRIP, Fraction(2)), runs=250)
    commonest = sorted(noise, key=lambda key: -len(noise[key]))[:2]
    for scale, threshold in commonest:
        drawn = np.array(noise[scale, threshold])
        assert p_value(drawn, scale, threshold) > LEAST_P
        if len(drawn) > 4000:
            for wrong in (Fraction(13, 10), Fraction(10, 13)):
                assert p_value(drawn, scale * wrong, threshold) < LEAST_P


def noise_by_scale(mechanism: OverPaths, *, runs: int) -> dict[tuple[Fraction, int | None], list[int]]:
    """Noisy less true, for every draw that is told."""
    counts = counted(cube(5, 4), np.full(20, 40), TRIP)
    points = paths_of(mechanism.space, counts).points
    found, source = defaultdict[tuple[Fraction, int | None], list[int]](list), seeded(29)
    for _ in range(runs):
        for part in mechanism.measure(counts, rng=source):
            if isinstance(part, NoisyBoxes):
                inside = [
                    ((points >= a) & (points < b)).all(axis=1).sum()
                    for a, b in zip(part.low, part.high, strict=True)
                ]
                for node, noisy, drawn in zip(part.node, part.noisy, part.drawn, strict=True):
                    found[part.scales[drawn], None].append(int(noisy - inside[node]))
            elif isinstance(part, NoisyGrid):
                found[part.scale, None] += (part.noisy - block_counts(points, part.edges)).tolist()
    return found


@pytest.mark.parametrize("name", ["identity, threshold 3"])
def test_cells_that_are_listed_have_the_noise_they_report(name: str) -> None:
    """What empty cells show above the threshold is geometric, as of noise on every cell."""
    mechanism = PATH_HONEST[name].over(cube(50, 40), TRIP, Fraction(2, 3))
    cells = mechanism.measure(counted(cube(50, 40), np.zeros(2000, dtype=np.int64), TRIP), rng=seeded(5))[1]
    assert isinstance(cells, NoisyCells) and len(cells.noisy) > 200
    assert p_value(cells.noisy, cells.scale, cells.threshold) > LEAST_P
    assert p_value(cells.noisy, cells.scale * 2, cells.threshold) < LEAST_P
