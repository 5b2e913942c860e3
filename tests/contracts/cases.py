"""Every mechanism that must keep the promise, one line each.

A mechanism joins all the contract tests with its line in `CASES`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest
from tests.contracts.toys import SelectedBlock

from quietway.budget import split
from quietway.mechanisms import ConstraintBased, Mechanism, ThresholdCells
from quietway.mechanisms.plan import Candidate
from quietway.mechanisms.planned import PlannedMargins
from quietway.mechanisms.registry import METHODS, Request
from quietway.universe import Axis, Neighbours, Partition, PrivacyUnit, Protects, Universe

Build = Callable[[Universe, PrivacyUnit, Fraction], Mechanism]
EPSILON = Fraction(7, 10)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A mechanism: how it is built for a universe, a unit and an epsilon, and which method it is, if one."""

    name: str
    build: Build
    method: str | None = None
    hidden: bool = False

    @property
    def fits(self) -> tuple[str, ...]:
        """The fits that suit the method without a prior; where cells are hidden, those that need not see them all."""
        assert self.method is not None
        every = tuple(fit for fit in METHODS[self.method].fits if fit != "tempered")
        return ("cbdp",) if self.hidden else every


def cube(*shape: int) -> Universe:
    """A universe of that shape, its axes named a, b, c, .."""
    return Universe(tuple(Axis(name="abcdefgh"[i], size=size) for i, size in enumerate(shape)))


def method(
    name: str,
    budget: str = "uniform",
    *,
    threshold: int | None = None,
    prior: str = "none",
    named: bool = False,
) -> Build:
    """A method of the registry, with the margin of every axis as its features; `named` asks for just these."""

    def build(universe: Universe, unit: PrivacyUnit, epsilon: Fraction) -> Mechanism:
        features = tuple((axis, Partition.margin(universe, [axis])) for axis in universe.names)
        shares: dict[str, Callable[[Sequence[int]], tuple[Fraction, ...]]] = {
            "cube-root": lambda sizes: split.cube_root(epsilon, sizes),
            "geometric": lambda sizes: split.geometric(epsilon, len(sizes)),
        }
        request = Request(
            universe=universe,
            features=features,
            unit=unit,
            epsilon=epsilon,
            split=shares.get(budget),
            threshold=threshold,
            prior=prior,
            measured=tuple(axis.name for axis in universe.axes if axis.size > 1) if named else None,
        )
        return METHODS[name].build(request)

    return build


def eager(margin: Candidate) -> Candidate:
    """The same, worth measuring also of as few trips as the exact gates reach."""
    return replace(margin, loudest=4 * margin.loudest, instead=tuple(map(eager, margin.instead)))


def planning(build: Build) -> Build:
    """The same with a plan that measures margins of few trips."""

    def planned(universe: Universe, unit: PrivacyUnit, epsilon: Fraction) -> Mechanism:
        mechanism = build(universe, unit, epsilon)
        assert isinstance(mechanism, PlannedMargins)
        return replace(mechanism, candidates=tuple(map(eager, mechanism.candidates)))

    return planned


def hiding(build: Build) -> Build:
    """The same with cells that are hidden, however few they are."""

    def hidden(universe: Universe, unit: PrivacyUnit, epsilon: Fraction) -> Mechanism:
        mechanism = build(universe, unit, epsilon)
        assert isinstance(mechanism, ConstraintBased)
        return replace(mechanism, most_dense=0)

    return hidden


CASES = (
    Case(name="cbdp", build=method("cbdp"), method="cbdp"),
    Case(name="cbdp, cube-root shares", build=method("cbdp", "cube-root"), method="cbdp"),
    Case(name="cbdp, hidden cells", build=hiding(method("cbdp")), method="cbdp", hidden=True),
    Case(name="cbdp, margins planned by the noisy total", build=method("cbdp", prior="uniform")),
    Case(name="cbdp, margins planned of few trips", build=planning(method("cbdp", prior="uniform"))),
    Case(name="cbdp, margins named", build=method("cbdp", prior="uniform", named=True)),
    Case(
        name="cbdp, margins named, cube-root shares",
        build=method("cbdp", "cube-root", prior="uniform", named=True),
    ),
    Case(name="uniform", build=method("uniform"), method="uniform"),
    Case(name="identity", build=method("identity"), method="identity"),
    Case(name="laplace", build=method("laplace"), method="laplace"),
    Case(name="laplace, cube-root shares", build=method("laplace", "cube-root"), method="laplace"),
    Case(name="hierarchy", build=method("hierarchy"), method="hierarchy"),
    Case(name="hierarchy, geometric shares", build=method("hierarchy", "geometric"), method="hierarchy"),
    Case(name="threshold 3", build=method("threshold", threshold=3), method="threshold"),
    Case(name="threshold by the noisy total", build=method("threshold"), method="threshold"),
    Case(name="threshold, cube-root shares", build=method("threshold", "cube-root"), method="threshold"),
    Case(name="selected block (of these tests)", build=SelectedBlock.build),
)

HONEST = {case.name: case for case in CASES}

UNITS = tuple(
    PrivacyUnit(protects=protects, max_trips=max_trips, neighbours=neighbours)
    for protects, max_trips in ((Protects.TRIP, None), (Protects.USER, 3))
    for neighbours in Neighbours
)
TRIP, TRIP_REPLACED, USER, USER_REPLACED = UNITS


def follows_total(case: Case) -> bool:
    """Whether the mechanism derives a threshold from what it has measured."""
    mechanism = case.build(cube(2), TRIP, EPSILON)
    return isinstance(mechanism, ThresholdCells) and mechanism.threshold is None


def plans(case: Case) -> bool:
    """Whether the mechanism decides by what it has measured into how many parts it divides epsilon."""
    return isinstance(case.build(cube(2), TRIP, EPSILON), PlannedMargins)


def over(cases: Sequence[Case]) -> pytest.MarkDecorator:
    """Run a test once for each case."""
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name)


every_case = over(CASES)
every_case_of_fixed_scales = over([case for case in CASES if not plans(case)])
every_method = over([case for case in CASES if case.method])
every_linear_method = over(
    [case for case in CASES if case.method not in (None, "threshold") and not case.hidden]
)
every_adaptive_case = over([case for case in CASES if follows_total(case)])
every_planning_case = over([case for case in CASES if plans(case)])
every_unit = pytest.mark.parametrize("unit", UNITS, ids=lambda unit: f"{unit.protects}, {unit.neighbours}")
