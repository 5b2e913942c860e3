"""What follows what: each run of consecutive places of one traveller is a path."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]


def windows(group: Index, order: Index, length: int) -> Index:
    """The rows of every `length` consecutive entries of a group, by `order`; equals keep the order they come in."""
    sequence = np.lexsort((order, group))
    ordered = group[sequence]
    starts = np.arange(max(0, len(sequence) - length + 1))
    whole = ordered[starts] == ordered[starts + length - 1]
    return sequence[starts[whole, None] + np.arange(length)]


def first_windows(group: Index, order: Index, length: int) -> Index:
    """Of each group with so many entries the first `length`."""
    found = windows(group, order, length)
    _, first = np.unique(group[found[:, 0]], return_index=True)
    return found[first]
