"""Universes and partitions as plain JSON, for the published folder."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from quietway.errors import UniverseError
from quietway.universe.axis import Axis
from quietway.universe.partition import Partition
from quietway.universe.rule import Rule
from quietway.universe.universe import Universe


def universe_to_json(universe: Universe) -> list[dict[str, Any]]:
    """One record per axis."""
    return [
        {
            "name": axis.name,
            "size": axis.size,
            "ordered": axis.ordered,
            "labels": None if axis.labels is None else list(axis.labels),
        }
        for axis in universe.axes
    ]


def universe_from_json(records: list[dict[str, Any]]) -> Universe:
    """The inverse of `universe_to_json`."""
    return Universe(
        tuple(
            Axis(
                name=record["name"],
                size=record["size"],
                ordered=record["ordered"],
                labels=None if record["labels"] is None else tuple(record["labels"]),
            )
            for record in records
        )
    )


def partition_to_json(partition: Partition) -> list[dict[str, Any]]:
    """One record per rule; tables are listed, so this is for partitions of published size."""
    return [
        {
            "axes": list(rule.axes),
            "name": rule.name,
            "blocks": rule.blocks,
            "labels": None if rule.labels is None else rule.labels.tolist(),
            "block_names": rule.block_names and list(rule.block_names),
        }
        for rule in partition.rules
    ]


def partition_from_json(universe: Universe, records: list[dict[str, Any]]) -> Partition:
    """The inverse of `partition_to_json`."""
    return Partition(universe, tuple(_rule(universe, record) for record in records))


def _rule(universe: Universe, record: dict[str, Any]) -> Rule:
    """The inverse for one rule; what does not fit the universe is an error, not a wrong answer later."""
    axes, blocks = tuple(record["axes"]), record["blocks"]
    sizes = [universe.axes[i].size for i in axes]
    labels = None if record["labels"] is None else np.array(record["labels"], dtype=np.int64)
    fits = blocks == sizes[0] if labels is None else labels.size == prod(sizes)
    if not fits or (labels is not None and not (labels.min() >= 0 and labels.max() == blocks - 1)):
        raise UniverseError(f"the rule '{record['name']}' does not fit the axes it is for")
    names = record["block_names"]
    return Rule(universe, axes, labels, blocks, record["name"], None if names is None else tuple(names))
