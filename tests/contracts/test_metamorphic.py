"""What must stay the same, or change in step, when the question changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.contracts import gates
from tests.contracts.cases import (
    EPSILON,
    TRIP,
    UNITS,
    Case,
    cube,
    every_case,
    every_case_of_fixed_scales,
    every_method,
    every_planning_case,
    every_unit,
)
from tests.contracts.neighbours import counted
from tests.contracts.transcript import Draw, Recording, dense, filtered, hidden
from tests.contracts.turning import turning_plans

from quietway.budget import Ledger
from quietway.counts import Counts
from quietway.errors import BudgetError, PrivacyError
from quietway.estimate.registry import FITS
from quietway.measurement import Measurement
from quietway.mechanisms import Mechanism
from quietway.mechanisms.planned import PlannedMargins
from quietway.noise import HiddenCells, Survivors, seeded
from quietway.noise.testing import ListedCells, ZeroNoise
from quietway.universe import Partition, PrivacyUnit
from quietway.universe.members import Members

Ints = NDArray[np.int64]
UNIVERSE = cube(5, 4, 3)
TABLE = np.random.default_rng(8).poisson(1.5, 60)


def drawn(mechanism: Mechanism, counts: Counts) -> list[Draw]:
    """The transcript of one run."""
    recording = Recording(source=seeded(4), counts=counts)
    mechanism.measure(counts, rng=recording)
    return recording.draws


@every_unit
@every_case
def test_the_cost_is_what_is_drawn(case: Case, unit: PrivacyUnit) -> None:
    """Declared epsilon = cost = sum of parts = sum over the draws of sensitivity / scale, exactly."""
    for epsilon in (EPSILON, Fraction(1, 3), Fraction(5)):
        gates.cost_is_spent(case.build(UNIVERSE, unit, epsilon), counted(UNIVERSE, TABLE, unit), epsilon)


@every_unit
@every_planning_case
def test_whatever_is_planned_costs_the_same(case: Case, unit: PrivacyUnit) -> None:
    """On either side of every total that changes the plan, the draws are worth the declared epsilon, exactly."""
    mechanism = case.build(UNIVERSE, unit, EPSILON)
    assert isinstance(mechanism, PlannedMargins)
    lengths = set[int]()
    for total in {turn + more for turn in turning_plans(mechanism) for more in (0, 1)}:
        counts = counted(UNIVERSE, np.r_[total, np.zeros(59, dtype=np.int64)], unit)
        recording = Recording(source=ZeroNoise(), counts=counts)
        lengths.add(len(mechanism.measure(counts, rng=recording)))
        worth = sum((gates.price(draw, unit) for draw in recording.draws), Fraction(0))
        assert worth == mechanism.cost.epsilon == EPSILON
    assert len(lengths) > 1


@every_unit
@every_case_of_fixed_scales
def test_half_the_epsilon_doubles_every_scale(case: Case, unit: PrivacyUnit) -> None:
    """Scales are inversely proportional to epsilon."""
    counts = counted(UNIVERSE, TABLE, unit)
    whole, half = (drawn(case.build(UNIVERSE, unit, epsilon), counts) for epsilon in (EPSILON, EPSILON / 2))
    assert [2 * draw.scale for draw in whole] == [draw.scale for draw in half]


@pytest.mark.parametrize("times", [2, 7])
@every_method
def test_more_trips_are_worth_more_epsilon(case: Case, times: int) -> None:
    """(epsilon, k x) and (k epsilon, x) differ in units only: every draw's true / scale is the same."""
    many = drawn(case.build(UNIVERSE, TRIP, EPSILON), counted(UNIVERSE, TABLE * times, TRIP))
    few = drawn(case.build(UNIVERSE, TRIP, EPSILON * times), counted(UNIVERSE, TABLE, TRIP))
    for one, other in zip(many, few, strict=True):
        assert np.array_equal(one.true, times * other.true)
        assert one.scale == times * other.scale


@dataclass(frozen=True, kw_only=True)
class Moved:
    """Answers with the noise of another transcript, each block's noise where the block has gone."""

    transcript: Sequence[Draw]
    targets: Sequence[Ints]
    counts: Counts
    used: list[Ints] = field(default_factory=list)

    @property
    def private(self) -> bool:
        """Never."""
        return False

    def laplace(self, true: Ints, scale: Fraction) -> Ints:
        """The same noise, moved."""
        draw, target = self.transcript[len(self.used)], self.targets[len(self.used)]
        noise = np.empty_like(true)
        noise[target] = draw.answer - draw.true
        self.used.append(noise)
        return true + noise

    def laplace_above(self, true: Ints, empty: int, threshold: int, scale: Fraction) -> Survivors:
        """The same noise on every cell, moved and filtered."""
        return filtered(self.counts, self.laplace(dense(self.counts, true, empty), scale), threshold)

    def hide(self, true: Ints, where: Ints, sizes: Ints, scale: Fraction) -> HiddenCells:
        """The same noise on every cell, moved and hidden."""
        return ListedCells(self.laplace(hidden(self.counts, true, where, sizes), scale), sizes)

    def select(self, scores: Ints, scale: Fraction) -> int:
        """Not asked for."""
        raise NotImplementedError

    choose = select


@every_method
def test_permuting_cells_permutes_outputs(case: Case) -> None:
    """Renumbering an axis renumbers every measurement, and changes nothing else: no cell is special."""
    order = np.array([3, 0, 4, 1, 2])
    cell = np.arange(UNIVERSE.size)
    first, *rest = UNIVERSE.coordinates(cell)
    there = UNIVERSE.keys((order[first], *rest))
    moved_table = np.empty_like(TABLE)
    moved_table[there] = TABLE
    before, after = (counted(UNIVERSE, table, TRIP) for table in (TABLE, moved_table))
    mechanism = case.build(UNIVERSE, TRIP, EPSILON)
    recording = Recording(source=seeded(4), counts=before)
    plain = mechanism.measure(before, rng=recording)
    targets = [_blocks_go(measurement.partition, cell, there) for measurement in plain]
    places = [_places_go(one, target) for one, target in zip(plain, targets, strict=True)]
    moved = mechanism.measure(after, rng=Moved(transcript=recording.draws, targets=places, counts=after))
    for one, other, target in zip(plain, moved, targets, strict=True):
        assert _by_block(one, target) == _by_block(other, np.arange(other.partition.blocks))


def _blocks_go(partition: Partition, cell: Ints, there: Ints) -> Ints:
    target = np.empty(partition.blocks, dtype=np.int64)
    target[partition.block_of(cell)] = partition.block_of(there)
    return target


def _places_go(measurement: Measurement, target: Ints) -> Ints:
    """Where the noise of each block goes; hidden cells are numbered group after group."""
    if measurement.floors is None:
        return target
    members = Members(measurement.floors.groups)
    return members.positions(target[members.keys(np.arange(len(target)))])


def _by_block(measurement: Measurement, target: Ints) -> dict[int, int]:
    blocks = np.arange(measurement.partition.blocks) if measurement.blocks is None else measurement.blocks
    return dict(zip(target[blocks].tolist(), measurement.noisy.tolist(), strict=True))


@every_method
def test_fitting_again_changes_nothing(case: Case) -> None:
    """A fit is a function of its measurements, and fitting exact measurements of its own table gives the table."""
    mechanism = case.build(UNIVERSE, TRIP, EPSILON)
    measured = mechanism.measure(counted(UNIVERSE, TABLE, TRIP), rng=seeded(6))
    for name in case.fits:
        once, again = FITS[name](measured), FITS[name](measured)
        assert np.array_equal(once.keys, again.keys) and np.array_equal(once.counts, again.counts)
        published = Counts(UNIVERSE, once.keys, once.counts, TRIP)
        twice = FITS[name](mechanism.measure(published, rng=ZeroNoise()))
        if measured[-1].threshold is None:
            assert np.array_equal(twice.keys, once.keys) and np.array_equal(twice.counts, once.counts)


@every_unit
@every_case
def test_the_ledger_holds_the_declared_epsilon(
    case: Case, unit: PrivacyUnit, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Two charges are granted, a third is refused, and the ledger has moved by exactly what was granted."""
    ledger = Ledger.open(tmp_path_factory.mktemp("ledger") / "ledger.sqlite")
    ledger.limit("trips", EPSILON * 5 / 2)
    mechanism = case.build(UNIVERSE, unit, EPSILON)
    for granted in (1, 2):
        ledger.charge("trips", mechanism.cost, purpose="test", spec_hash="0")
        assert ledger.account("trips").spent == granted * EPSILON
    with pytest.raises(BudgetError):
        ledger.charge("trips", mechanism.cost, purpose="test", spec_hash="0")
    assert ledger.account("trips").spent == 2 * EPSILON


@every_method
def test_counts_for_one_unit_are_not_measured_for_another(case: Case) -> None:
    """A mechanism priced for one unit refuses counts that were bounded for another."""
    for unit in UNITS[1:]:
        with pytest.raises(PrivacyError, match="priced"):
            case.build(UNIVERSE, TRIP, EPSILON).measure(counted(UNIVERSE, TABLE, unit), rng=ZeroNoise())
