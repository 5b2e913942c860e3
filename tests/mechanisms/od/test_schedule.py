"""How levels share a budget."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietway.mechanisms.od.schedule import Schedule


@given(st.integers(1, 12), st.integers(1, 10**6), st.fractions(min_value="1/1000", max_value=10))
def test_levels_spend_everything_and_no_more(levels: int, fan_out: int, epsilon: Fraction) -> None:
    """Every way down adds up to the same, whichever levels it leaves out."""
    if epsilon <= 0:
        return
    schedule = Schedule.geometric(epsilon, levels, fan_out)
    assert schedule.spent[0] == 0 and schedule.left(0) == epsilon and schedule.left(levels) == 0
    steps = [schedule.between(level, level + 1) for level in range(levels)]
    assert sum(steps) == epsilon and min(steps) > 0
    for level in range(levels):
        assert schedule.between(0, level) + schedule.left(level) == epsilon


@pytest.mark.parametrize("fan_out", [1, 2, 8, 27])
def test_deeper_levels_get_the_cube_root_more(fan_out: int) -> None:
    """Shares grow by the cube root of the fan-out, a fan-out of one included, where they are all equal."""
    schedule = Schedule.geometric(Fraction(1), 4, fan_out)
    steps = [float(schedule.between(level, level + 1)) for level in range(4)]
    for one, next_one in pairwise(steps):
        assert next_one / one == pytest.approx(fan_out ** (1 / 3), rel=0.02)


def test_the_leaves_share_is_what_is_left_of_what_there_is() -> None:
    """The last level gets the share of the optimum over what the root left, not less by what the root took."""
    schedule = Schedule.geometric(Fraction(99, 100), 2, 8)
    assert float(schedule.between(1, 2)) == pytest.approx(0.99 * 2 / 3, abs=1e-3)
