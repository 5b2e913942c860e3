"""Universes and partitions as JSON."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given

from quietway.universe import Axis, Partition, Universe, each, grouped_by_rows
from quietway.universe.record import (
    partition_from_json,
    partition_to_json,
    universe_from_json,
    universe_to_json,
)
from tests.universe.tiny import Listed, several


@given(several(1))
def test_a_partition_survives_json(drawn: tuple[Listed, ...]) -> None:
    """Blocks keep their numbers through JSON text."""
    partition = drawn[0].partition
    universe = universe_from_json(json.loads(json.dumps(universe_to_json(partition.universe))))
    again = partition_from_json(universe, json.loads(json.dumps(partition_to_json(partition))))
    keys = np.arange(universe.size)
    assert universe == partition.universe
    np.testing.assert_array_equal(again.block_of(keys), partition.block_of(keys))


def test_names_survive_json() -> None:
    """Labels, order, block names and columns are the same after JSON."""
    town = Universe(
        (Axis(name="zone", size=2, labels=("Quay", "Mill")), Axis(name="hour", size=3, ordered=True))
    )
    side = grouped_by_rows(town, ["zone"], [(["Quay"], "wet"), (["Mill"], "dry")], name="side")
    partition = Partition.by(town, [each(town, "hour"), side])
    again = partition_from_json(
        universe_from_json(json.loads(json.dumps(universe_to_json(town)))),
        json.loads(json.dumps(partition_to_json(partition))),
    )
    assert again.universe == town
    assert again.columns == partition.columns
    assert again.block_labels(np.arange(6)) == partition.block_labels(np.arange(6))
    assert again.same_blocks(partition)
