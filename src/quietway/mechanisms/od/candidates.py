"""Sets of cuts to choose from, known to everyone.

Where candidates lie must only not depend on the records, so they need no secret: they come from a public sequence,
the same in every run.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quietway.mechanisms.od.cutting import Cuts, Places, ends_of, numbered

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]


def scattered(node: Ints, low: Places, high: Places, parts: Ints, candidate: int) -> Cuts:
    """One candidate for each of several boxes: its inner places fall into parts - 1 even runs, and each gives one cut.

    So cuts are distinct, strictly inside, and one fewer than parts.

    Source: Shaham, Ghinita and Shahabi (2022), section 4.3, cuts at uniformly
        random places of even intervals. Departure: there, m intervals give m
        cuts and so m + 1 parts, of which Algorithm 3 keeps m.
    """
    box, run = numbered(parts - 1)
    runs, inner = np.maximum(parts - 1, 1)[box], (high.astype(np.int64) - low - 1)[box]
    first, last = run * inner // runs, (run + 1) * inner // runs
    word = mixed(mixed(node[box].astype(np.uint64), np.uint64(candidate)), run.astype(np.uint64))
    place = (word >> np.uint64(32)) * (last - first).astype(np.uint64) >> np.uint64(32)
    return Cuts(low[box].astype(np.int64) + 1 + first + place.astype(np.int64), ends_of(parts - 1))


def mixed(word: Words, other: Words | np.uint64) -> Words:
    """Two words made one that looks random.

    Source: the finalizer of SplitMix64, Steele, Lea and Flood (2014).
    """
    mix = (word * np.uint64(0x9E3779B97F4A7C15) + other + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mix = (mix ^ (mix >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mix = (mix ^ (mix >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mix ^ (mix >> np.uint64(31))
