"""Hidden cells: what is listed has the law of noising every cell, and is enough for the fit of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from quietway.counts import Counts
from quietway.errors import FitError, PrivacyError
from quietway.estimate import newton
from quietway.estimate.constraint import cbdp, fitted
from quietway.estimate.leaves import HIGHEST_LEVEL
from quietway.estimate.problem import Problem
from quietway.estimate.weights import PUBLISHED, Weights
from quietway.measurement import Measurement
from quietway.mechanisms import ConstraintBased
from quietway.noise import HiddenCells, NoiseSource, Revealed, seeded
from quietway.noise.hidden import SlicedCells
from quietway.noise.testing import ListedCells, listed
from quietway.universe import Axis, Partition, PrivacyUnit, Universe, grouped
from quietway.universe.members import Members
from tests.noise.samples import IMPOSSIBLE, WRONG, p_value
from tests.universe import tiny

Ints = NDArray[np.int64]
UNIT = PrivacyUnit()
WORLDS, REACH = 2000, 5


@dataclass
class Forced:
    """Features get given totals, cells the noise of a source, or given noise on each."""

    totals: Iterator[Sequence[int]]
    noise: NoiseSource | Sequence[int]

    @property
    def private(self) -> bool:
        """Never."""
        return False

    def laplace(self, true: Ints, scale: Fraction) -> Ints:
        """The next given totals."""
        found = np.array(next(self.totals))
        assert found.shape == true.shape
        return found

    def hide(self, true: Ints, where: Ints, sizes: Ints, scale: Fraction) -> HiddenCells:
        """Cells drawn as they are asked for, or all noised beforehand."""
        if isinstance(self.noise, Sequence):
            return ListedCells(listed(true, where, sizes) + np.array(self.noise), sizes)
        return self.noise.hide(true, where, sizes, scale)


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Three cells, the second of which holds two trips, in groups; and noisy totals of the features."""

    groups: tuple[int, ...]
    totals: tuple[tuple[int, ...], ...]

    def outcome(self, noise: NoiseSource | Sequence[int], scale: Fraction) -> tuple[bytes, ...]:
        """What is published of the cells: floors, keys and values."""
        universe = Universe((Axis(name="a", size=3),))
        features = [("total", Partition.total(universe))]
        if len(set(self.groups)) > 1:
            rule = grouped(universe, ["a"], np.array(self.groups), name="side")
            features.append(("sides", Partition.by(universe, [rule])))
        mechanism = ConstraintBased(
            features=tuple(features),
            epsilons=(*(Fraction(1) for _ in features), 1 / scale),
            unit=UNIT,
            most_dense=0,
        )
        counts = Counts(universe, np.array([1]), np.array([2]), UNIT)
        *_, cells = mechanism.measure(counts, rng=Forced(iter(self.totals), noise))
        assert cells.floors is not None and cells.blocks is not None
        return cells.floors.levels.tobytes(), cells.blocks.tobytes(), cells.noisy.tobytes()


SCENES = {
    "one group": Scene(groups=(0, 0, 0), totals=((2,),)),
    "one group, more trips than seen": Scene(groups=(0, 0, 0), totals=((9,),)),
    "two groups that pull apart": Scene(groups=(0, 0, 1), totals=((3,), (5, -2))),
}


@pytest.mark.parametrize("name", SCENES)
def test_what_is_listed_has_the_law_of_noising_every_cell(name: str) -> None:
    """The solver itself asks, by what it was shown: floors, places and values have their exact joint probability."""
    scene, scale, source = SCENES[name], Fraction(1, 2), seeded(23)
    tables = list(product(range(-REACH, REACH + 1), repeat=3))
    codes = dict[tuple[bytes, ...], int]()
    code = np.array([codes.setdefault(scene.outcome(table, scale), len(codes)) for table in tables])
    assert len({floors for floors, *_ in codes}) > 1, "the floors do not follow what is shown"
    seen = [codes.get(scene.outcome(source, scale), len(codes)) for _ in range(WORLDS)]
    observed = np.bincount(seen, minlength=len(codes) + 1)
    for drawn, right in ((scale, True), (scale * WRONG, False)):
        ratio = np.exp(-1 / float(drawn))
        chance = ((1 - ratio) / (1 + ratio)) ** 3 * ratio ** np.abs(np.array(tables)).sum(axis=1)
        expected = np.append(np.bincount(code, chance), 1 - chance.sum())
        assert (p_value(observed, expected) > IMPOSSIBLE) == right


@st.composite
def mechanisms(draw: st.DrawFn) -> ConstraintBased:
    """One to three features of a small universe, nested or crossing, with shares and weights."""
    universe = draw(tiny.universes())
    partitions = [draw(tiny.listed(universe)).partition for _ in range(draw(st.integers(1, 3)))]
    shares = st.sampled_from([Fraction(1, 30), Fraction(1, 3), Fraction(2)])
    weights = st.sampled_from([PUBLISHED, Weights(rule="inverse-variance"), Weights(rule="uniform")])
    return ConstraintBased(
        features=tuple((f"feature {i}", partition) for i, partition in enumerate(partitions)),
        epsilons=tuple(draw(shares) for _ in range(len(partitions) + 1)),
        unit=UNIT,
        weights=draw(weights),
        most_dense=0,
    )


@settings(max_examples=150, deadline=None)
@given(mechanisms(), st.integers(0, 2**31))
def test_the_fit_of_the_listed_cells_is_the_fit_of_all(mechanism: ConstraintBased, seed: int) -> None:
    """The published floors leave out no cell that any table near the totals would hold."""
    universe, draw = mechanism.universe, np.random.default_rng(seed)
    keys = np.flatnonzero(draw.random(universe.size) < 0.4)
    counts = Counts(universe, keys, draw.integers(1, 30, keys.size), UNIT)
    scale = UNIT.sensitivity / mechanism.epsilons[-1]
    noise = seeded(seed).laplace(np.zeros(universe.size, dtype=np.int64), scale)
    totals = [
        seeded(seed + 1).laplace(partition.totals(counts.keys, counts.values), 1 / epsilon)
        for (_, partition), epsilon in zip(mechanism.features, mechanism.epsilons, strict=False)
    ]
    *features, cells = mechanism.measure(counts, rng=Forced(iter(totals), tuple(noise.tolist())))
    assert cells.floors is not None
    every = np.empty(universe.size, dtype=np.int64)
    members = Members(cells.floors.groups)
    every[members.keys(np.arange(universe.size))] = noise
    whole = Measurement(
        name="cells", partition=Partition.identity(universe), noisy=counts.dense() + every, scale=scale
    )
    shown = np.flatnonzero(whole.noisy >= cells.floors.levels[cells.floors.groups.labels()])
    np.testing.assert_array_equal(cells.blocks, shown)
    np.testing.assert_array_equal(cells.noisy, whole.noisy[shown])
    some, all_ = (fitted([*features, one], mechanism.weights) for one in (cells, whole))
    table = np.zeros((2, universe.size))
    table[0, some.keys], table[1, all_.keys] = some.values, all_.values
    unit = max(1.0, *(float(np.abs(one.noisy).max()) for one in features))
    np.testing.assert_allclose(table[0], table[1], atol=1e-7 * unit)


def _hiding() -> tuple[ConstraintBased, Counts]:
    universe = Universe((Axis(name="a", size=30),))
    mechanism = ConstraintBased(
        features=(("total", Partition.total(universe)),),
        epsilons=(Fraction(1, 2), Fraction(1, 2)),
        unit=UNIT,
        most_dense=0,
    )
    return mechanism, Counts(universe, np.array([4]), np.array([9]), UNIT)


def test_a_fit_that_finds_no_optimum_keeps_the_features(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their noisy totals are what they would have been, no cell is listed, and fitting says what to change."""
    mechanism, counts = _hiding()
    usual = mechanism.measure(counts, rng=seeded(1))
    monkeypatch.setattr(newton, "MOST_STEPS", 0)
    total, cells = mechanism.measure(counts, rng=seeded(1))
    assert np.array_equal(total.noisy, usual[0].noisy) and len(usual[1].noisy)
    assert cells.floors is not None and (cells.floors.levels == HIGHEST_LEVEL).all()
    assert cells.blocks is not None and not cells.blocks.size and not cells.noisy.size
    with pytest.raises(FitError, match="kept with what was paid for"):
        cbdp((total, cells))


def test_a_broken_promise_is_no_failed_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stops noise from being shown in the wrong place stops the release, and no other search is begun."""
    mechanism, counts = _hiding()
    asked = list[Ints]()

    def stopped(cells: SlicedCells, levels: Ints) -> Revealed:
        asked.append(levels)
        raise PrivacyError("no")

    monkeypatch.setattr(SlicedCells, "reveal", stopped)
    with pytest.raises(PrivacyError):
        mechanism.measure(counts, rng=seeded(1))
    assert len(asked) == 1


def test_a_table_found_at_the_slower_pace_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the first search has looked at cells and failed, the second lists what it needs, and fitting that agrees."""
    searched, (usual, _) = newton._searched, newton.HARDER

    def failing(problem: Problem, harder: float) -> newton.Optimum:
        found = searched(problem, harder)
        if harder == usual:
            raise FitError("no")
        return found

    universe = Universe((Axis(name="a", size=6), Axis(name="b", size=5)))
    margins = [(name, Partition.margin(universe, [name])) for name in universe.names]
    mechanism = ConstraintBased(
        features=(("total", Partition.total(universe)), *margins),
        epsilons=(Fraction(7, 40),) * 4,
        unit=UNIT,
        most_dense=0,
    )
    counts = Counts(universe, np.array([2, 11, 17]), np.array([30, 4, 9]), UNIT)
    for seed in range(20):
        at_once = fitted(mechanism.measure(counts, rng=seeded(seed)), PUBLISHED)
        with monkeypatch.context() as patch:
            patch.setattr(newton, "_searched", failing)
            measured = mechanism.measure(counts, rng=seeded(seed))
            again = fitted(measured, PUBLISHED)
        assert measured[-1].floors is not None
        assert (measured[-1].floors.levels < HIGHEST_LEVEL).all()
        assert np.array_equal(at_once.keys, again.keys)
        assert np.allclose(at_once.values, again.values, atol=1e-6)
