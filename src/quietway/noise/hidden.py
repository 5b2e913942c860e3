"""Noise on every cell of a huge universe, drawn as far down as it is looked at.

Each cell's noisy value is there from the start, as it were. The occupied
cells' are drawn at once and kept; an empty cell's noise Z is only known to be
below a level h of its group. When the level falls to l, every such cell rises
into [l, h) independently, with probability Pr(l <= Z < h) / Pr(Z < h). Those
that do are found by the gaps between them, and given their value.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from fractions import Fraction
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from quietway.errors import PrivacyError, UniverseError
from quietway.noise.groups import Cells, Groups, Revealed
from quietway.noise.keystream import Keystream
from quietway.noise.laplace import add_noise, sampler_for
from quietway.noise.sparse import survivors

Ints = NDArray[np.int64]

_UNBOUNDED = 2**63 - 1
_MOST_SHOWN = 50_000_000


class SlicedCells:
    """Hidden cells over one keystream; the empty ones are drawn slice by slice, as their levels fall.

    Privacy: what `reveal` has shown is a function of the noisy values of all
        cells and of the levels asked for, with exactly the joint law of
        noising every cell first. It is as private as all of them together,
        if every level is public or follows from what was shown before.
    """

    def __init__(self, words: Keystream, true: Ints, where: Ints, groups: Groups, scale: Fraction) -> None:
        self._words, self._groups, self._scale = words, groups, scale
        self._process = os.getpid()
        self._floors = np.full(groups.sizes.size, _UNBOUNDED, dtype=np.int64)
        occupied = groups.occupied(true, where)
        self._known = occupied._replace(noisy=occupied.noisy.copy())
        with words.hold():
            add_noise(sampler_for(scale, self._known.noisy.size), words, self._known.noisy)

    def reveal(self, levels: Ints) -> Revealed:
        """Every cell whose noisy value is at least the level of its group."""
        wanted = self._groups.checked(levels)
        with self._words.hold():
            self._require_own_process()
            floors = np.minimum(self._floors, wanted)
            _require_few(self._groups.sizes, floors, self._scale)
            # A fall past zero is made in two, so that each slice lies on one side of the law's peak.
            self._fall(np.minimum(self._floors, np.maximum(floors, 0)))
            self._fall(floors)
            return self._known.at_least(wanted)

    def _fall(self, floors: Ints) -> None:
        """Draw what lies between the floors so far and lower ones, none of them across zero."""
        runs = [run for groups in _alike(floors, self._floors) for run in self._risen(groups, floors)]
        if not runs:
            return
        positions, groups = (np.concatenate(parts) for parts in zip(*runs, strict=True))
        known = self._known.positions.size
        every = np.concatenate([self._known.positions, positions])
        order = _first_of_each(every)
        fresh = order >= known
        groups = np.concatenate([self._known.groups, groups])[order]
        noisy = np.empty(order.size, dtype=np.int64)
        noisy[~fresh] = self._known.noisy
        noisy[fresh] = self._values(floors[groups[fresh]], self._floors[groups[fresh]])
        self._known, self._floors = Cells(every[order], groups, noisy), floors

    def _risen(self, members: Ints, floors: Ints) -> Iterator[tuple[Ints, Ints]]:
        """Positions and groups of the cells of alike groups that rise above the floor; known cells count for nothing."""
        low, high = int(floors[members[0]]), int(self._floors[members[0]])
        sizes = self._groups.sizes[members]
        ends = np.cumsum(sizes)
        shift = self._groups.starts[members] - (ends - sizes)
        below = None if high == _UNBOUNDED else high
        for run in survivors(self._words, int(ends[-1]), low, self._scale, below=below):
            member = np.searchsorted(ends, run, side="right")
            yield run + shift[member], members[member]

    def _values(self, low: Ints, high: Ints) -> Ints:
        """Noise known to lie in [low, high), each on one side of zero.

        From the end nearer to zero the law is geometric, cut off at the width
        of the slice: a geometric variable modulo that width.
        """
        offset = np.zeros(low.size, dtype=np.int64)
        add_noise(sampler_for(self._scale, offset.size), self._words, offset, signed=False)
        offset %= high - low
        return np.where(low >= 0, low + offset, high - 1 - offset)

    def _require_own_process(self) -> None:
        if self._process != os.getpid():
            raise PrivacyError(
                "noise hidden before a fork cannot be revealed after it: both sides would differ"
            )

    def __repr__(self) -> str:
        return f"SlicedCells({self._groups.cells:,} cells, values hidden)"

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("hidden noise cannot be copied or pickled: the copy would go on differently")


def _alike(low: Ints, high: Ints) -> list[Ints]:
    """The groups that fall, those with the same bounds together."""
    falling = np.flatnonzero(low < high)
    if not falling.size:
        return []
    order = falling[np.lexsort((low[falling], high[falling]))]
    changes = (np.diff(low[order]) != 0) | (np.diff(high[order]) != 0)
    return np.split(order, np.flatnonzero(changes) + 1)


def _first_of_each(positions: Ints) -> Ints:
    """Indices that sort the positions; of equal ones, the first alone."""
    order = np.argsort(positions, kind="stable")
    repeated = np.diff(positions[order]) == 0
    return np.delete(order, np.flatnonzero(repeated) + 1)


def _require_few(sizes: Ints, floors: Ints, scale: Fraction) -> None:
    """Refuse floors so low that the cells to list would not fit in memory: a choice by public numbers."""
    step = float(min(1 / scale, Fraction(2**60)))
    tails = np.exp(-step * np.where(floors > 0, floors, 1.0 - floors)) / (1 + np.exp(-step))
    expected = float((sizes * np.where(floors > 0, tails, 1 - tails)).sum())
    if expected > _MOST_SHOWN:
        raise UniverseError(
            f"about {expected:.3g} noisy cells would be listed, at most {_MOST_SHOWN:,} can be; "
            "use higher levels or coarser axes"
        )
