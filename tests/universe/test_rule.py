"""Rules: what is refused, and what the refusal says."""

from __future__ import annotations

import numpy as np
import pytest

from quietway.errors import UniverseError
from quietway.universe import Axis, Universe, each, grouped, grouped_by_rows

ZONES = ("Quay", "Mill", "Fort")
TOWN = Universe((Axis(name="origin", size=3, labels=ZONES), Axis(name="destination", size=3, labels=ZONES)))
HUGE = Universe((Axis(name="a", size=10**6), Axis(name="b", size=10**6)))


def test_every_combination_needs_a_block() -> None:
    """A listing with holes says how many, on which axes, and shows one."""
    rows = [(["Quay"], "wet"), (["Mill"], "wet")]
    with pytest.raises(
        UniverseError, match=r"'side' does not cover .* 1 of 3 combinations of origin .* instance Fort"
    ):
        grouped_by_rows(TOWN, ["origin"], rows, name="side")


def test_no_combination_has_two_blocks() -> None:
    """A combination that is listed twice differently is shown with both blocks."""
    rows = [(["Quay"], "wet"), (["Mill"], "dry"), (["Fort"], "dry"), (["Quay"], "dry")]
    with pytest.raises(UniverseError, match="maps Quay to two blocks, 'wet' and 'dry'; keep one"):
        grouped_by_rows(TOWN, ["origin"], rows, name="side")


def test_a_row_may_be_repeated() -> None:
    """Listing the same thing twice is not a contradiction."""
    rows = [([zone], "all") for zone in (*ZONES, "Quay")]
    assert grouped_by_rows(TOWN, ["origin"], rows, name="side").blocks == 1


def test_an_unknown_label_is_answered_with_the_nearest() -> None:
    """A misspelt label names its axis and the label that was probably meant."""
    with pytest.raises(UniverseError, match="axis 'origin' has no element 'Mil'; did you mean 'Mill'"):
        grouped_by_rows(TOWN, ["origin"], [(["Mil"], "wet")], name="side")


def test_a_listing_reads_its_axes_in_its_own_order() -> None:
    """Axes may be listed in another order than the universe's."""
    rows = [([b, a], f"{a}-{b}") for a in ZONES for b in ZONES]
    rule = grouped_by_rows(TOWN, ["destination", "origin"], rows, name="pair")
    pair = {0: np.array([1]), 1: np.array([2])}
    assert rule.block_name(int(rule.block_of(pair)[0])) == "Mill-Fort"


def test_an_axis_is_named_once() -> None:
    """A rule cannot read an axis twice."""
    with pytest.raises(UniverseError, match="'r' names an axis twice"):
        grouped(TOWN, ["origin", "origin"], np.zeros((3, 3), dtype=np.int64), name="r")


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        ([0, 1], "gives 2 block numbers for 3 combinations of 1 axes"),
        ([0, -1, 0], "leaves elements without a block"),
        ([0, 2, 2], "a block without elements, 1"),
        ([0, 10**15, 1], "a block without elements, 2"),
    ],
)
def test_a_table_must_number_blocks_without_gaps(labels: list[int], says: str) -> None:
    """Too few numbers, negative ones, and numbers that skip blocks are refused without counting up to them."""
    with pytest.raises(UniverseError, match=says):
        grouped(TOWN, ["origin"], np.array(labels), name="r")


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (("wet",), "uses block 1 but names only 1"),
        (("wet", "dry", "odd"), "a block without elements, 'odd'"),
        (("wet", "wet"), "two blocks the same name"),
    ],
)
def test_block_names_match_the_blocks(names: tuple[str, ...], says: str) -> None:
    """There is one name for each block that occurs, and no name twice."""
    with pytest.raises(UniverseError, match=says):
        grouped(TOWN, ["origin"], np.array([0, 1, 1]), name="r", block_names=names)


def test_a_rule_reads_some_axis() -> None:
    """A table over no axes is refused."""
    with pytest.raises(UniverseError, match="name at least one axis"):
        grouped(TOWN, [], np.array(0), name="r")


def test_a_table_must_fit_in_memory() -> None:
    """A table of 10^12 combinations is refused with the way out."""
    with pytest.raises(UniverseError, match=r"1,000,000,000,000 combinations .* group each axis on its own"):
        grouped_by_rows(HUGE, ["a", "b"], [], name="r")


def test_keeping_an_unknown_axis_names_the_known_ones() -> None:
    """A rule on an axis that is not there lists those that are."""
    with pytest.raises(UniverseError, match="no axis 'orgin'; the axes are origin, destination"):
        each(TOWN, "orgin")
