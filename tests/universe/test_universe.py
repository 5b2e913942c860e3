"""Universes: cells, keys and sizes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietway.errors import UniverseError
from quietway.universe import Axis, Universe
from tests.universe.tiny import universes


def huge(*sizes: int) -> Universe:
    """Axes of these sizes."""
    return Universe(tuple(Axis(name=f"a{i}", size=size) for i, size in enumerate(sizes)))


@given(universes())
def test_keys_list_the_cells_in_row_major_order(universe: Universe) -> None:
    """The keys of all coordinates, the last axis fastest, count from zero without gaps."""
    grid = np.indices(universe.shape).reshape(len(universe.shape), -1)
    np.testing.assert_array_equal(universe.keys(list(grid)), np.arange(universe.size))


@given(st.lists(st.integers(1, 2000), min_size=1, max_size=5), st.data())
def test_coordinates_are_the_inverse_of_keys(sizes: list[int], data: st.DataObject) -> None:
    """Keys to coordinates and back gives the same keys, whatever the sizes."""
    universe = huge(*sizes)
    keys = np.array(data.draw(st.lists(st.integers(0, universe.size - 1), min_size=1, max_size=9)))
    coordinates = universe.coordinates(keys)
    assert all(
        (index >= 0).all() and (index < size).all() for index, size in zip(coordinates, sizes, strict=True)
    )
    np.testing.assert_array_equal(universe.keys(coordinates), keys)


@pytest.mark.parametrize("sizes", [(10**6, 10**6, 10**6), (2**31, 2**31), (2**63 - 1,)])
def test_the_last_cell_of_a_huge_universe_has_a_key(sizes: tuple[int, ...]) -> None:
    """Up to 2^63 - 1 cells, the last coordinates and the last key are each other's."""
    universe = huge(*sizes)
    last = [np.array([size - 1]) for size in sizes]
    assert universe.keys(last).tolist() == [universe.size - 1]
    assert [int(index[0]) for index in universe.coordinates(np.array([universe.size - 1]))] == [
        s - 1 for s in sizes
    ]


@pytest.mark.parametrize(("sizes", "says"), [((2**32, 2**31), "9.2e18"), ((10**6,) * 60, "1.0e360")])
def test_beyond_64_bits_there_are_no_keys(sizes: tuple[int, ...], says: str) -> None:
    """A universe of any size exists and knows its exact size, but refuses keys it cannot have."""
    universe = huge(*sizes)
    assert universe.size == np.prod([int(s) for s in sizes], dtype=object)
    with pytest.raises(UniverseError, match=f"about {says} cells"):
        universe.keys([np.array([0])] * len(sizes))


def test_two_axes_cannot_share_a_name() -> None:
    """The name that stands twice is told."""
    with pytest.raises(UniverseError, match="two axes are named 'zone'"):
        Universe((Axis(name="zone", size=2), Axis(name="time", size=2), Axis(name="zone", size=3)))


def test_an_unknown_axis_lists_the_known() -> None:
    """Asking for an axis that is not there says which are."""
    with pytest.raises(UniverseError, match="no axis 'c'; the axes are a0, a1"):
        huge(2, 3).axis("c")


def test_project_keeps_axes_in_the_order_asked_for() -> None:
    """A projection is a universe of its own."""
    assert huge(2, 3, 4).project(["a2", "a0"]).shape == (4, 2)
