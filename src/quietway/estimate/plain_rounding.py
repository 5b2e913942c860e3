"""From real values to integers, so that every run of cells keeps its sum to within one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.solution import Floats
from quietway.universe import Partition


@dataclass(frozen=True, kw_only=True, eq=False)
class Rounded:
    """Integers in place of values, and by how much each feature's totals differ from the real ones at most."""

    counts: NDArray[np.int64]
    off: dict[str, float]
    status: str


def round_consistently(
    keys: NDArray[np.int64], values: Floats, features: Sequence[tuple[str, Partition]]
) -> Rounded:
    """Running sums are rounded, and their steps are the integers: each next to its value, the total the real one's.

    Cells run in the order of the features' blocks, the first feature's together, and so on within.
    """
    order = np.lexsort([keys, *(partition.block_of(keys) for _, partition in reversed(features))])
    counts = np.empty(len(keys), dtype=np.int64)
    counts[order] = np.diff(np.rint(np.r_[0.0, np.cumsum(values[order])])).astype(np.int64)
    off = {name: _furthest(partition.block_of(keys), counts - values) for name, partition in features}
    return Rounded(counts=counts, off=off, status=_status(off))


def _furthest(block: NDArray[np.int64], gap: Floats) -> float:
    _, number = np.unique(block, return_inverse=True)
    return float(np.abs(np.bincount(number, gap)).max(initial=0.0))


def _status(off: dict[str, float]) -> str:
    if not off:
        return "rounded to integers"
    name = max(off, key=lambda name: off[name])
    return f"rounded to integers, which moves no total by more than {off[name]:.3g} (in '{name}')"
