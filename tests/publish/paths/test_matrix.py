"""Paths of two stops as a matrix for transport models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openmatrix
import pytest

from quietway.errors import OutputError
from quietway.publish.paths.matrix import is_matrix, shared_out, write_matrix, zone_pairs
from quietway.universe import Frame

from .cases import NAMES, PLACES, TOWN, ZONES, bare, halved, release, space, town, zoned


def test_the_pairs_add_up_to_the_total() -> None:
    """Whole numbers, none below zero."""
    published = zoned()
    pairs = zone_pairs(published)
    assert pairs.dtype == np.int64 and (pairs >= 0).all()
    assert pairs.sum() == published.total


def test_a_box_shares_its_paths_out_as_the_estimates_stand() -> None:
    """What a box holds stays in it, and no pair is further than one path from its part."""
    published = zoned(depth=3)
    pairs = zone_pairs(published).reshape(6, 6)
    cell = ZONES.cell
    assert cell is not None
    alone = [[published.query({"start": [a], "end": [b]}).estimate for b in NAMES] for a in NAMES]
    for low, high, count in zip(
        published.boxes.low, published.boxes.high, published.boxes.count.tolist(), strict=True
    ):
        starts, ends = (((cell >= low[i : i + 2]) & (cell < high[i : i + 2])).all(axis=1) for i in (0, 2))
        shared, estimates = (np.array(table)[np.ix_(starts, ends)] for table in (pairs, alone))
        if shared.size and count:
            assert shared.sum() == count
            assert np.abs(shared - count * estimates / estimates.sum()).max() <= 1 + 1e-9


@pytest.mark.parametrize(
    ("count", "weights", "parts"),
    [
        (7, [1.0, 1.0, 1.0], [2, 3, 2]),
        (3, [0.0, 0.0], [2, 1]),
        (0, [0.5, 1.0], [0, 0]),
        (10, [1.0, 0.0, 9.0], [1, 0, 9]),
        (5, [], []),
    ],
)
def test_whole_numbers_are_shared_out_whole(count: int, weights: list[float], parts: list[int]) -> None:
    """In proportion, nothing lost; evenly where nothing is said of any part."""
    assert shared_out(count, np.array(weights)).tolist() == parts


def test_what_was_measured_of_each_pair_comes_back() -> None:
    """Boxes that hold one pair each, drawn without noise, are the matrix of the paths themselves."""
    within = space(ZONES, ZONES)
    cell = ZONES.cell
    assert cell is not None
    draw = np.random.default_rng(1)
    true = draw.integers(0, 30, (6, 6))
    start, end = (np.repeat(index.ravel(), true.ravel()) for index in np.indices((6, 6)))
    published = release([halved(within, np.hstack([cell[start], cell[end]]), depth=16)])
    assert np.array_equal(zone_pairs(published).reshape(6, 6), true)


def test_the_reference_reader_gets_the_matrix_back(tmp_path: Path) -> None:
    """With the zones in their order, and their names."""
    published = zoned()
    write_matrix(published, tmp_path / "paths.omx")
    with openmatrix.open_file(str(tmp_path / "paths.omx")) as file:
        assert np.array_equal(np.array(file["paths"]), zone_pairs(published).reshape(6, 6))
        assert [name.decode() for name in file.root.lookup.zone_label[:]] == list(NAMES)


def test_zones_that_share_a_cell_share_its_paths() -> None:
    """Two zones at one point are alike."""
    frame = Frame.zones(NAMES, np.vstack([PLACES[:5], PLACES[:1]]))
    within = space(frame, frame)
    assert frame.cell is not None
    points = np.tile(np.concatenate([frame.cell[0], frame.cell[1]]), (100, 1))
    pairs = zone_pairs(release([halved(within, points, depth=16)])).reshape(6, 6)
    assert pairs[0, 1] + pairs[5, 1] == pairs.sum() == 100 and abs(pairs[0, 1] - pairs[5, 1]) <= 1


def test_other_paths_are_no_matrix(tmp_path: Path) -> None:
    """Grids, other zones at the other end, and more stops have none."""
    others = Frame.zones(NAMES[:3], PLACES[:3])
    assert is_matrix(space(ZONES, ZONES))
    for within in (
        space(TOWN, TOWN),
        space(ZONES, others),
        space(ZONES),
        space(ZONES, ZONES, ZONES),
        bare().space,
    ):
        assert not is_matrix(within)
    with pytest.raises(OutputError, match="two stops over the same zones"):
        write_matrix(town(), tmp_path / "paths.omx")
