"""The tempered entropy fit is the optimum that its formula names."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from quietway.estimate.solution import Floats, sums
from quietway.estimate.tempered import SoftMargin, scaled_to, tempered
from quietway.estimate.tempering import soft_steps

MANY = 20_000


@st.composite
def problems(draw: st.DrawFn) -> tuple[Floats, list[SoftMargin], float]:
    """A prior over a few cells, up to three margins that cross, and a weight."""
    cells = draw(st.integers(2, 8))
    numbers = np.random.default_rng(draw(st.integers(0, 2**31)))
    margins = []
    for _ in range(draw(st.integers(1, 3))):
        _, label = np.unique(numbers.integers(0, draw(st.integers(1, 4)), cells), return_inverse=True)
        margins.append(
            SoftMargin(
                label=label.astype(np.int32),
                target=numbers.uniform(0, 30, label.max() + 1),
                variance=draw(st.sampled_from([0.5, 4.0, 100.0])),
                unit=1e-7,
            )
        )
    return numbers.lognormal(1, 1.5, cells), margins, draw(st.sampled_from([0.03, 0.3, 1.0]))


def loss(cells: Floats, prior: Floats, margins: list[SoftMargin], weight: float) -> float:
    """The objective as it is written."""
    apart = sum(
        float(((sums(m.label, cells, m.target.size) - m.target) ** 2).sum()) / (2 * m.variance)
        for m in margins
    )
    return apart + weight * float((cells * np.log(cells / prior) - cells + prior).sum())


def slope(cells: Floats, prior: Floats, margins: list[SoftMargin], weight: float) -> Floats:
    """Its derivative by every cell, which is zero at the optimum."""
    pull = [((sums(m.label, cells, m.target.size) - m.target) / m.variance)[m.label] for m in margins]
    return np.sum(pull, axis=0) + weight * np.log(cells / prior)


@settings(max_examples=25)
@given(problems())
def test_no_solver_finds_better(problem: tuple[Floats, list[SoftMargin], float]) -> None:
    """A general solver, begun at the prior, ends no lower."""
    prior, margins, weight = problem
    cells, _ = tempered(prior, margins, weight, turns=MANY)

    def by_logarithms(logs: Floats) -> tuple[float, Floats]:
        found = np.exp(logs)
        return loss(found, prior, margins, weight), slope(found, prior, margins, weight) * found

    start = np.log(prior)
    bounds = [(low - 40, low + 40) for low in start]
    other = minimize(
        by_logarithms, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 2000}
    )
    mine = loss(cells, prior, margins, weight)
    assert other.fun < loss(prior, prior, margins, weight) + 1e-9
    assert mine <= other.fun + 1e-6 * max(1.0, abs(other.fun))


@given(problems())
def test_at_the_end_nothing_pulls(problem: tuple[Floats, list[SoftMargin], float]) -> None:
    """The derivative by every cell is zero."""
    prior, margins, weight = problem
    cells, _ = tempered(prior, margins, weight, turns=MANY)
    np.testing.assert_allclose(slope(cells, prior, margins, weight), 0, atol=1e-5)


@given(problems(), st.integers(1, 5))
def test_cells_are_positive_wherever_the_prior_is(
    problem: tuple[Floats, list[SoftMargin], float], turns: int
) -> None:
    """After any number of turns; and what the prior rules out stays empty."""
    prior, margins, weight = problem
    cells, _ = tempered(prior, margins, weight, turns=turns)
    assert (cells > 0).all()
    without = np.r_[0.0, prior[1:]]
    assert tempered(without, margins, weight, turns=turns)[0][0] == 0


@given(problems(), st.integers(0, 40))
def test_the_prior_is_not_written_to(problem: tuple[Floats, list[SoftMargin], float], turns: int) -> None:
    """It is somebody else's."""
    prior, margins, weight = problem
    before = prior.copy()
    tempered(prior, margins, weight, turns=turns)
    np.testing.assert_array_equal(prior, before)


@given(problems())
def test_margins_that_the_prior_meets_move_nothing(problem: tuple[Floats, list[SoftMargin], float]) -> None:
    """The prior is its own nearest table."""
    prior, margins, weight = problem
    met = [
        SoftMargin(label=m.label, target=sums(m.label, prior, m.target.size), variance=m.variance)
        for m in margins
    ]
    cells, moved = tempered(prior, met, weight, turns=3)
    np.testing.assert_allclose(cells, prior)
    assert moved < 1e-9


@settings(max_examples=15)
@given(st.integers(0, 2**31), st.sampled_from([1e-9, 1e-6]))
def test_margins_that_are_nearly_sure_are_met(seed: int, variance: float) -> None:
    """Consistent totals with hardly any variance are kept, and odds between cells are the prior's."""
    draw = np.random.default_rng(seed)
    truth, prior = draw.uniform(1, 20, (4, 3)), draw.uniform(1, 20, (4, 3))
    rows, columns = (index.ravel().astype(np.int32) for index in np.indices((4, 3)))
    margins = [
        SoftMargin(label=rows, target=truth.sum(axis=1), variance=variance, unit=1e-7),
        SoftMargin(label=columns, target=truth.sum(axis=0), variance=variance, unit=1e-7),
    ]
    found = tempered(prior.ravel(), margins, 0.03, turns=MANY)[0].reshape(4, 3)
    np.testing.assert_allclose(found.sum(axis=1), truth.sum(axis=1), rtol=1e-4)
    np.testing.assert_allclose(found.sum(axis=0), truth.sum(axis=0), rtol=1e-4)
    odds = [table[1:, 1:] * table[0, 0] / (table[1:, :1] * table[:1, 1:]) for table in (found, prior)]
    np.testing.assert_allclose(odds[0], odds[1], rtol=1e-6)


def test_margins_that_say_nothing_leave_the_prior() -> None:
    """A variance beyond all totals is no evidence."""
    prior = np.array([1.0, 2.0, 3.0])
    margin = SoftMargin(label=np.array([0, 0, 1], np.int32), target=np.array([50.0, 0.0]), variance=1e9)
    np.testing.assert_allclose(tempered(prior, [margin], 1.0, turns=MANY)[0], prior, rtol=1e-6)


@given(
    st.floats(-80, 8).map(lambda power: 10.0**power),
    st.floats(0, 1e6),
    st.floats(-6, 6).map(lambda power: 10.0**power),
    st.floats(-300, 300),
)
def test_a_step_solves_its_equation(held: float, target: float, slack: float, dual: float) -> None:
    """However little a block holds, and however far it has to go."""
    duals, step = np.array([dual]), np.zeros(1)
    soft_steps(np.array([held]), np.array([target]), np.array([slack]), duals, step)
    assert duals[0] == dual + step[0]
    grown = held * np.exp(step[0])
    assert grown + slack * duals[0] == pytest.approx(
        target, rel=1e-6, abs=1e-6 * max(1.0, slack * abs(dual), held)
    )


@given(st.integers(0, 2**31))
def test_blocks_are_given_their_targets_exactly(seed: int) -> None:
    """In place, in the proportions they had."""
    draw = np.random.default_rng(seed)
    label = np.array([0, 0, 1, 2, 2, 2], np.int32)
    cells, target = draw.uniform(0.1, 9, 6), draw.uniform(0, 9, 3)
    before = cells.copy()
    scaled_to(cells, label, target)
    np.testing.assert_allclose(sums(label, cells, 3), target)
    assert cells[0] * before[1] == pytest.approx(cells[1] * before[0])
