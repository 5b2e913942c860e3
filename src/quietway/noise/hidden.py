"""Noise on every cell of a huge universe, drawn as far down as it is looked at.

Each cell's noisy value is there from the start, as it were. The occupied
cells' are drawn at once and kept; an empty cell's noise Z is only known to be
below a level h of its group. When the level falls to l, every such cell rises
into [l, h) independently, with probability Pr(l <= Z < h) / Pr(Z < h). Those
that do are found by the gaps between them, and given their value.

Groups fall from rung to rung of one ladder, down to the first rung at or below
the level asked for, so that all groups share the tables of a few slices. What
lies between that rung and the level is drawn, and not shown.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from fractions import Fraction
from math import ceil, log
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from quietway.errors import PrivacyError, UniverseError
from quietway.noise.groups import Cells, Groups, Revealed
from quietway.noise.keystream import Keystream
from quietway.noise.laplace import add_noise, sampler_for
from quietway.noise.sparse import survivors

Ints = NDArray[np.int64]

_UNBOUNDED, _FURTHEST = 2**63 - 1, 2**62
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
        self._ladder = ladder(groups.cells, scale)
        self._drawn = np.zeros(groups.sizes.size, dtype=np.int64)
        occupied = groups.occupied(true, where)
        self._known = occupied._replace(noisy=occupied.noisy.copy())
        with words.hold():
            add_noise(sampler_for(scale, self._known.noisy.size), words, self._known.noisy)

    def reveal(self, levels: Ints) -> Revealed:
        """Every cell whose noisy value is at least the level of its group."""
        wanted = self._groups.checked(levels)
        with self._words.hold():
            self._require_own_process()
            rungs = np.maximum(self._drawn, self._rungs(wanted))
            _require_few(self._groups.sizes, self._ladder[rungs], self._scale)
            self._fall(rungs)
            return self._known.at_least(wanted)

    def _rungs(self, levels: Ints) -> Ints:
        """The first rung at or below each level."""
        return np.searchsorted(-self._ladder, -levels)

    def _fall(self, rungs: Ints) -> None:
        """Draw every slice between the rungs so far and lower ones.

        Of a cell that rises more than once the first time counts: it was not below any more.
        """
        runs = [run for rung in range(1, rungs.max(initial=0) + 1) for run in self._risen(rung, rungs)]
        self._drawn = rungs
        if not runs:
            return
        positions, groups, slices = (np.concatenate(parts) for parts in zip(*runs, strict=True))
        first = _first_of_each(positions)
        fresh = first[~self._known.hold(positions[first])]
        found = Cells(positions[fresh], groups[fresh], self._values(slices[fresh]))
        self._known = self._known.with_others(found)

    def _risen(self, rung: int, rungs: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Positions and groups of the cells that rise above a rung, of all groups that fall to it or past it."""
        members = np.flatnonzero((self._drawn < rung) & (rung <= rungs))
        if not members.size:
            return
        sizes = self._groups.sizes[members]
        ends = np.cumsum(sizes)
        shift = self._groups.starts[members] - (ends - sizes)
        low, below = int(self._ladder[rung]), int(self._ladder[rung - 1]) if rung > 1 else None
        for run in survivors(self._words, int(ends[-1]), low, self._scale, below=below):
            member = np.searchsorted(ends, run, side="right")
            yield run + shift[member], members[member], np.full(run.size, rung)

    def _values(self, rungs: Ints) -> Ints:
        """Noise known to lie between a rung and the one above, each slice on one side of zero.

        From the end nearer to zero the law is geometric, cut off at the width
        of the slice: a geometric variable modulo that width.
        """
        low, high = self._ladder[rungs], self._ladder[rungs - 1]
        offset = np.zeros(rungs.size, dtype=np.int64)
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


def ladder(cells: int, scale: Fraction) -> Ints:
    """Falling levels, half a scale apart: from the top of 64 bits to about where the highest cell may be, on to zero,
    as far below it, and to the end of what may be asked for.
    """
    step = ceil(scale / 2)
    rungs = 1 + ceil(float(scale) * log(cells + 1) / step)
    inner = step * np.arange(rungs, -rungs - 1, -1, dtype=np.int64)
    return np.concatenate([[_UNBOUNDED], inner, [-_FURTHEST]])


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
