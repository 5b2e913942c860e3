"""Cells in groups: numbering, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from quietway.errors import UniverseError
from quietway.noise.groups import Groups

SIZES = np.array([2, 0, 3], dtype=np.int64)


def ints(*values: int) -> NDArray[np.int64]:
    """A vector of integers."""
    return np.array(values, dtype=np.int64)


def test_cells_are_numbered_group_after_group() -> None:
    """Five cells in three groups, the middle one empty."""
    groups = Groups.of(SIZES)
    assert (groups.cells, groups.starts.tolist()) == (5, [0, 2, 2])
    assert groups.group_of(np.arange(5)).tolist() == [0, 0, 2, 2, 2]
    assert Groups.of(SIZES[:0]).cells == 0


def test_occupied_cells_know_their_group() -> None:
    """Positions and values stay, groups are found."""
    cells = Groups.of(SIZES).occupied(ints(7, 8), ints(1, 4))
    assert [part.tolist() for part in cells] == [[1, 4], [0, 2], [7, 8]]


def test_only_cells_at_their_level_are_shown() -> None:
    """Each group has a level of its own, and reaching it is enough."""
    cells = Groups.of(SIZES).occupied(ints(7, 8, 9), ints(1, 3, 4))
    shown = cells.at_least(ints(7, 0, 9))
    assert (shown.positions.tolist(), shown.noisy.tolist()) == ([1, 4], [7, 9])


@pytest.mark.parametrize(
    "sizes", [ints(3, -1), ints(2**61, 2**61, 1), ints(2**62, 2**62, 2**62, 2**62), np.ones((2, 2), np.int64)]
)
def test_sizes_that_cannot_be_numbered_are_refused(sizes: NDArray[np.int64]) -> None:
    """Negative sizes, tables, and sums that 64 bits would wrap."""
    with pytest.raises(UniverseError, match="group sizes"):
        Groups.of(sizes)


@pytest.mark.parametrize("where", [ints(1, 1), ints(3, 2), ints(-1, 0), ints(0, 5)])
def test_positions_are_sorted_distinct_and_inside(where: NDArray[np.int64]) -> None:
    """Anything else is no set of cells."""
    with pytest.raises(UniverseError, match="sorted, distinct and inside"):
        Groups.of(SIZES).occupied(ints(1, 1), where)


def test_each_value_has_a_position_and_each_group_a_level() -> None:
    """Lengths must agree, and levels stay far from the ends of 64 bits."""
    groups = Groups.of(SIZES)
    with pytest.raises(UniverseError, match="one position for each value"):
        groups.occupied(ints(1), ints(0, 1))
    with pytest.raises(UniverseError, match="3 groups need as many levels, not 2"):
        groups.checked(ints(0, 0))
    with pytest.raises(UniverseError, match="between"):
        groups.checked(ints(0, 0, 2**62 + 1))
