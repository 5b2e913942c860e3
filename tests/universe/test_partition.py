"""Partitions, against a listing of their blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quietway.errors import UniverseError
from quietway.universe import Axis, Partition, Universe, each, grouped, grouped_by_rows
from tests.universe.tiny import Listed, cells_of, finer, joined, listed, met, several, universes

ONE, TWO, THREE = several(1), several(2), several(3)
HUGE = Universe(tuple(Axis(name=name, size=1_000_000) for name in "abc"))
TOWN = Universe(
    (
        Axis(name="origin", size=3, labels=("Quay", "Mill", "Fort")),
        Axis(name="destination", size=3, labels=("Quay", "Mill", "Fort")),
        Axis(name="period", size=2, labels=("am", "pm"), ordered=True),
    )
)


@given(ONE)
def test_blocks_are_those_of_the_listing(drawn: tuple[Listed, ...]) -> None:
    """Block numbers tell apart exactly what the rules tell apart."""
    (one,) = drawn
    assert cells_of(one.partition) == one.cells


@given(ONE)
def test_blocks_are_numbered_without_gaps(drawn: tuple[Listed, ...]) -> None:
    """Blocks cover the universe, and every number from zero up to `blocks` is used."""
    numbers = drawn[0].partition.block_of(np.arange(drawn[0].partition.universe.size))
    assert set(numbers.tolist()) == set(range(drawn[0].partition.blocks))


@given(TWO)
@settings(max_examples=300)
def test_refines_is_inclusion_of_blocks(drawn: tuple[Listed, ...]) -> None:
    """One partition refines another if each block lies inside one block."""
    left, right = drawn
    assert left.partition.refines(right.partition) == finer(left.cells, right.cells)


@given(TWO)
def test_same_blocks_ignores_names_and_numbers(drawn: tuple[Listed, ...]) -> None:
    """Two partitions are alike if their blocks hold the same cells."""
    left, right = drawn
    assert left.partition.same_blocks(right.partition) == (left.cells == right.cells)


@given(TWO)
@settings(max_examples=300)
def test_refine_is_the_coarsest_common_refinement(drawn: tuple[Listed, ...]) -> None:
    """The blocks of `refine` are the overlaps."""
    left, right = drawn
    assert cells_of(left.partition.refine(right.partition)) == met(left.cells, right.cells)


@given(TWO)
@settings(max_examples=300)
def test_merge_is_the_finest_common_coarsening(drawn: tuple[Listed, ...]) -> None:
    """The blocks of `merge` are the chains of overlapping blocks."""
    left, right = drawn
    assert cells_of(left.partition.merge(right.partition)) == joined(left.cells, right.cells)


@given(THREE)
def test_refine_and_merge_are_a_lattice(drawn: tuple[Listed, ...]) -> None:
    """Both are idempotent, commutative, associative, and absorb each other."""
    a, b, c = (one.partition for one in drawn)
    for combine in (Partition.refine, Partition.merge):
        assert combine(a, a).same_blocks(a)
        assert combine(a, b).same_blocks(combine(b, a))
        assert combine(combine(a, b), c).same_blocks(combine(a, combine(b, c)))
    assert a.refine(a.merge(b)).same_blocks(a)
    assert a.merge(a.refine(b)).same_blocks(a)


@given(ONE)
def test_total_and_identity_are_the_ends_of_the_lattice(drawn: tuple[Listed, ...]) -> None:
    """Everything refines the total, and the cells refine everything."""
    partition = drawn[0].partition
    assert partition.refines(Partition.total(partition.universe))
    assert Partition.identity(partition.universe).refines(partition)


@given(universes().flatmap(lambda u: st.tuples(listed(u), st.sets(st.sampled_from(u.names)))))
def test_project_is_the_finest_coarsening_on_some_axes(drawn: tuple[Listed, set[str]]) -> None:
    """Projecting merges with the margin of the named axes."""
    one, axes = drawn
    margin = Partition.margin(one.partition.universe, sorted(axes))
    projected = one.partition.project(sorted(axes))
    assert cells_of(projected) == joined(one.cells, cells_of(margin))
    assert {i for rule in projected.rules for i in rule.axes} <= {margin.universe.position(a) for a in axes}


@given(ONE)
def test_totals_are_sums_over_blocks(drawn: tuple[Listed, ...]) -> None:
    """Totals of sparse cells equal the sums over the listed blocks."""
    partition = drawn[0].partition
    values = np.arange(1, partition.universe.size + 1)
    keys = np.arange(partition.universe.size)
    assert sorted(partition.totals(keys, values)) == sorted(
        int(values[list(block)].sum()) for block in drawn[0].cells
    )


@given(ONE)
def test_shares_are_block_sizes(drawn: tuple[Listed, ...]) -> None:
    """A block's share is its cells over all cells, numbered as its totals are."""
    partition = drawn[0].partition
    cells = partition.totals(
        np.arange(partition.universe.size), np.ones(partition.universe.size, dtype=np.int64)
    )
    np.testing.assert_allclose(partition.shares() * partition.universe.size, cells)


@given(ONE)
def test_sizes_count_the_cells_of_each_block(drawn: tuple[Listed, ...]) -> None:
    """Exact numbers, in the order of the blocks' numbers."""
    partition = drawn[0].partition
    numbers = partition.block_of(np.arange(partition.universe.size))
    assert partition.sizes().tolist() == np.bincount(numbers, minlength=partition.blocks).tolist()


@given(ONE)
def test_labels_are_the_block_of_every_cell(drawn: tuple[Listed, ...]) -> None:
    """Labels list, in key order, what `block_of` finds cell by cell."""
    partition = drawn[0].partition
    assert partition.labels().tolist() == partition.block_of(np.arange(partition.universe.size)).tolist()


@given(TWO)
def test_overlapping_rules_are_refined(drawn: tuple[Listed, ...]) -> None:
    """Rules that share axes combine into one partition that tells apart what either does."""
    left, right = drawn
    both = Partition.by(left.partition.universe, [*left.partition.rules, *right.partition.rules])
    assert cells_of(both) == met(left.cells, right.cells)


def test_identity_numbers_are_keys() -> None:
    """The identity's block numbers are the keys themselves, even of 10^18 cells."""
    keys = np.array([0, 5, HUGE.size - 1])
    assert Partition.identity(HUGE).is_identity
    np.testing.assert_array_equal(Partition.identity(HUGE).block_of(keys), keys)


def test_an_identity_in_another_order_is_not_the_identity() -> None:
    """Only the universe's own order numbers blocks by key."""
    assert not Partition.margin(TOWN, ["destination", "origin", "period"]).is_identity


def test_a_huge_universe_is_partitioned() -> None:
    """The algebra's cost follows the rules, not the 10^18 cells."""
    by_b = Partition.margin(HUGE, ["b"])
    assert Partition.identity(HUGE).refines(by_b)
    assert not by_b.refines(Partition.margin(HUGE, ["c"]))
    assert by_b.refine(Partition.margin(HUGE, ["c"])).blocks == 10**12
    assert by_b.merge(Partition.margin(HUGE, ["c"])).blocks == 1
    key = HUGE.keys([np.array([3]), np.array([14]), np.array([159])])
    assert by_b.block_of(key).tolist() == [14]


def test_an_axis_too_big_for_a_table_is_compared_by_number_of_blocks() -> None:
    """The total does not refine an axis of a billion elements, and no table is made to find out."""
    wide = Universe((Axis(name="a", size=10**9), Axis(name="b", size=2)))
    assert not Partition.total(wide).refines(Partition.margin(wide, ["a"]))


def test_too_many_blocks_are_not_listed() -> None:
    """A total per block of 10^18 is refused with advice, before any memory is asked for."""
    with pytest.raises(UniverseError, match=r"too big to list .* make it coarser"):
        Partition.identity(HUGE).totals(np.array([0]), np.array([1]))


def test_too_many_blocks_are_not_numbered() -> None:
    """More blocks than 64 bits can number are refused, however many."""
    axes = tuple(Axis(name=f"a{i}", size=1_000_000) for i in range(60))
    partition = Partition.margin(Universe(axes), [axis.name for axis in axes[:-1]])
    with pytest.raises(UniverseError, match=r"1\.0e354 blocks has too many to number"):
        partition.block_of(np.array([0]))


def test_a_margin_names_each_axis_once() -> None:
    """An axis named twice is kept once, so blocks stay disjoint and none is empty."""
    assert Partition.margin(TOWN, ["origin", "origin"]).blocks == 3


def test_partitions_of_other_universes_do_not_mix() -> None:
    """Comparing or combining across universes is an error, and so is borrowing a rule."""
    other = Partition.total(HUGE)
    for combine in (Partition.refines, Partition.same_blocks, Partition.refine, Partition.merge):
        with pytest.raises(UniverseError, match="two different universes"):
            combine(Partition.total(TOWN), other)
    with pytest.raises(UniverseError, match="two different universes"):
        Partition.by(TOWN, [each(HUGE, "a")])


def test_labels_follow_the_rules() -> None:
    """A block is called after each of its rules' blocks."""
    side = grouped_by_rows(
        TOWN, ["origin"], [(["Quay"], "wet"), (["Mill"], "wet"), (["Fort"], "dry")], name="side"
    )
    partition = Partition.by(TOWN, [each(TOWN, "period"), side])
    assert partition.columns == ("period", "side")
    assert partition.block_labels(np.array([0, 1, 3])) == [("am", "wet"), ("am", "dry"), ("pm", "dry")]


def test_the_total_has_no_labels() -> None:
    """The one block of the total has a label of no parts."""
    assert Partition.total(TOWN).block_labels(np.array([0])) == [()]


def test_a_table_without_names_labels_blocks_by_number() -> None:
    """Blocks nobody named are called by their numbers."""
    halves = grouped(TOWN, ["origin"], np.array([0, 0, 1]), name="half")
    assert Partition.by(TOWN, [halves]).block_labels(np.array([1])) == [("1",)]


def test_a_refinement_is_called_after_what_meets_in_it() -> None:
    """Where rules cross on shared axes, each new block carries the names of both."""
    mode = grouped_by_rows(
        TOWN,
        ["origin", "destination"],
        [
            ([a, b], "walk" if a == b else "bus")
            for a in TOWN.axes[0].labels or ()
            for b in TOWN.axes[0].labels or ()
        ],
        name="mode",
    )
    crossed = Partition.by(TOWN, [each(TOWN, "origin"), mode])
    assert crossed.blocks == 6
    assert crossed.columns == ("origin x mode",)
    assert {label for (label,) in crossed.block_labels(np.arange(6))} == {
        f"{place} / {mode}" for place in ("Quay", "Mill", "Fort") for mode in ("walk", "bus")
    }
    pair = TOWN.keys([np.array([1]), np.array([1]), np.array([0])])
    assert crossed.block_labels(crossed.block_of(pair)) == [("Mill / walk",)]


def test_combining_with_what_is_already_known_keeps_names() -> None:
    """Refining by something coarser, or merging with something finer, changes nothing, names included."""
    side = grouped_by_rows(
        TOWN, ["origin"], [(["Quay"], "wet"), (["Mill"], "wet"), (["Fort"], "dry")], name="side"
    )
    corner = grouped_by_rows(
        TOWN, ["origin"], [(["Quay"], "one"), (["Mill"], "two"), (["Fort"], "three")], name="corner"
    )
    by_side, by_corner = Partition.by(TOWN, [side]), Partition.by(TOWN, [corner])
    apart = Partition.margin(TOWN, ["period"])
    assert by_corner.refine(by_side).block_labels(np.array([2])) == [("three",)]
    assert by_corner.merge(by_side).block_labels(np.array([1])) == [("dry",)]
    assert by_side.refine(apart).block_labels(np.array([1])) == [("wet", "pm")]
