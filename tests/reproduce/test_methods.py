"""The paper's methods: what they spend, and what they make of noise."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import numpy as np
import pytest

from quietway.noise import seeded
from quietway.noise.testing import ZeroNoise
from quietway.reproduce.case_study import CaseStudy
from quietway.reproduce.families import GRAINS, laplace_in_parts
from quietway.reproduce.methods import FAMILIES, as_printed, evenly, geometrically

HALF = Fraction(1, 2)


def test_no_method_spends_more_than_epsilon(weekday: CaseStudy) -> None:
    """A trip is as many grains as it is counted in; together they cost epsilon. The printed shares alone leave some."""
    spent = [
        family.mechanism(weekday, HALF / family.grains).cost.epsilon * family.grains for family in FAMILIES
    ]
    (less,) = [epsilon for epsilon in spent if epsilon != HALF]
    assert HALF / 2 < less < HALF


def test_without_noise_every_method_but_the_trivial_ones_gives_the_truth(weekday: CaseStudy) -> None:
    """Fits of exact measurements are exact."""
    for family in FAMILIES:
        for name, answers in family.fits(family.measured(weekday, HALF, rng=ZeroNoise())):
            cells = np.zeros(weekday.universe.size)
            cells[slice(None) if answers.keys is None else answers.keys] = answers.values
            off = np.abs(cells - weekday.truth).max()
            assert off < 1e-6 or name in ("uniform", "zero"), name


@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(1, 10)])
def test_laplace_in_parts_of_a_trip_is_real_laplace_noise(weekday: CaseStudy, epsilon: Fraction) -> None:
    """Empty cells gain what real noise of scale 1/epsilon makes of them, rounded and truncated; not what 1.3 times it would."""
    family = laplace_in_parts()
    answers = dict(family.fits(family.measured(weekday, epsilon, rng=seeded(5))))
    empty = weekday.truth == 0
    for name, shift in (("lap rounded", 0.5), ("lap truncated", 0.0)):
        gained = float(answers[name].values[empty].mean())
        assert gained == pytest.approx(_gain(1 / float(epsilon), shift), rel=0.01)
        assert gained != pytest.approx(_gain(1.3 / float(epsilon), shift), rel=0.05)


def _gain(scale: float, shift: float) -> float:
    return exp(-(1 - shift) / scale) / (1 - exp(-1 / scale)) / 2


def test_no_grain_lies_halfway_between_two_trips() -> None:
    """Else rounding halves to even would bias what is counted."""
    assert GRAINS % 2 == 1


def test_printed_shares_leave_a_part_unspent() -> None:
    """They are those of six levels, without the two coarsest; the others are all spent."""
    sizes = (48, 768, 4416, 811_200)
    assert sum(evenly(HALF, sizes)) == sum(geometrically(HALF, sizes)) == HALF
    printed = as_printed(HALF, sizes)
    assert float(printed[-1] / HALF) == pytest.approx(0.27506, abs=5e-4)
    assert float(sum(printed) / HALF) == pytest.approx(
        1 - (1 + 2 ** (1 / 3)) * (2 ** (1 / 3) - 1) / 3, abs=1e-3
    )
