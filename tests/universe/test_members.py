"""Cells in the order of a partition, against listing and sorting them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quietway.universe import Axis, Partition, Universe, each, grouped
from quietway.universe.members import Members
from tests.universe.tiny import Listed, several

ONE = several(1)


@given(ONE)
def test_cells_stand_block_after_block(drawn: tuple[Listed, ...]) -> None:
    """In the order of positions, blocks come one after the other, each as large as it is."""
    partition = drawn[0].partition
    members = Members(partition)
    keys = members.keys(np.arange(partition.universe.size))
    blocks = partition.block_of(keys)
    assert np.array_equal(blocks, np.repeat(np.arange(partition.blocks), members.sizes))
    assert np.array_equal(members.starts, np.searchsorted(blocks, np.arange(partition.blocks)))


@given(ONE)
def test_keys_and_positions_are_inverse(drawn: tuple[Listed, ...]) -> None:
    """Every cell has one position, and every position one cell."""
    members = Members(drawn[0].partition)
    every = np.arange(drawn[0].partition.universe.size)
    assert np.array_equal(members.positions(members.keys(every)), every)
    assert np.array_equal(members.keys(members.positions(every)), every)


@given(ONE, st.integers(0, 2**32))
def test_some_cells_are_found_as_all_are(drawn: tuple[Listed, ...], seed: int) -> None:
    """Whatever else is asked for, a cell's position is its own."""
    members = Members(drawn[0].partition)
    size = drawn[0].partition.universe.size
    some = np.random.default_rng(seed).integers(0, size, 5)
    assert np.array_equal(members.positions(some), members.positions(np.arange(size))[some])


def test_a_huge_universe_is_not_listed() -> None:
    """10^5 x 10^5 x 96 cells in areas and periods: positions of far cells lead back to them."""
    zones, random = 100_000, np.random.default_rng(4)
    universe = Universe(
        (Axis(name="o", size=zones), Axis(name="d", size=zones), Axis(name="t", size=96, ordered=True))
    )
    area = random.integers(0, 40, zones)
    partition = Partition.by(
        universe, [*(grouped(universe, [axis], area, name=axis) for axis in "od"), each(universe, "t")]
    )
    members = Members(partition)
    keys = np.r_[0, universe.size - 1, random.integers(0, universe.size, 10_000)]
    positions = members.positions(keys)
    assert np.array_equal(members.keys(positions), keys)
    block = np.searchsorted(members.starts, positions, side="right") - 1
    assert np.array_equal(block, partition.block_of(keys))
    assert members.sizes.sum() == universe.size
