"""The empty cells whose noise reaches a threshold, without visiting the others.

Every empty cell reaches it independently with probability p, so the number of
cells skipped before the next one is geometric with ratio q = 1 - p. Written in
base 256, the low digits of a geometric variable and what is above them are
independent: digit d has ratio q^(256^d) on 0..255, and the part above is
geometric again. Each is drawn from an exact table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from quietway.noise.bounds import complement
from quietway.noise.keystream import Words
from quietway.noise.laws import DIGIT_BITS, DIGIT_VALUES, GeometricDigit, GeometricHead, MissRatio
from quietway.noise.table import Table

_MOST_DIGITS = 7
_DIGIT_GUIDE_BITS = 10
_PRECISION = 192
_AT_ONCE = 2**16
_CACHED_TABLES = 512


@dataclass(frozen=True, eq=False)
class GapTables:
    """What it takes to draw gaps: a table for the part above the digits, and one per digit, highest first."""

    head: Table
    reach: int
    digits: tuple[Table, ...]
    floors: NDArray[np.uint64]
    guides: NDArray[np.int32]

    @classmethod
    def of(cls, miss: MissRatio, most_digits: int) -> GapTables:
        """As many digits as leave a head of moderate length; the law is the same for any number."""
        precision = _PRECISION + DIGIT_BITS * most_digits
        rarity = precision - complement(miss.at(precision), precision).low.bit_length()
        count = min(rarity // DIGIT_BITS, most_digits)
        reach = 16 << min(rarity - DIGIT_BITS * count, DIGIT_BITS)
        head = Table.of(GeometricHead(replace(miss, doublings=DIGIT_BITS * count), reach))
        ratios = [replace(miss, doublings=DIGIT_BITS * place) for place in reversed(range(count))]
        digits = tuple(Table.of(GeometricDigit(ratio), guide_bits=_DIGIT_GUIDE_BITS) for ratio in ratios)
        floors = np.array([digit.floors for digit in digits], dtype=np.uint64)
        guides = np.array([digit.guide for digit in digits], dtype=np.int32)
        return cls(
            head,
            reach,
            digits,
            floors.reshape(count, DIGIT_VALUES),
            guides.reshape(count, 2**_DIGIT_GUIDE_BITS),
        )

    def next(self, words: Words, start: int, end: int) -> int | None:
        """The first cell from `start` on that reaches the threshold, None if there is none before `end`."""
        if start == end:
            return None
        high = self._high(words, (end - start - 1) >> (DIGIT_BITS * len(self.digits)))
        if high is None:
            return None
        gap = high
        for digit in self.digits:
            gap = gap << DIGIT_BITS | digit.draw(words)
        return start + gap if gap < end - start else None

    def fill(
        self, words: NDArray[np.uint64], start: int, end: int, out: NDArray[np.int64]
    ) -> tuple[int, int, int, bool]:
        """Positions into `out`: how many, from how many words, where to go on, whether the end was passed."""
        from quietway.noise.kernels import fill_gaps

        head, shift = self.head, np.uint64(64 - _DIGIT_GUIDE_BITS)
        return fill_gaps(
            words, head.floors, head.guide, head.shift, self.floors, self.guides, shift, start, end, out
        )

    def _high(self, words: Words, last: int) -> int | None:
        high = 0
        while high <= last:
            index = self.head.draw(words)
            high += index
            if index < self.reach:
                return high if high <= last else None
        return None


def survivors(
    words: Words,
    empty: int,
    threshold: int,
    scale: Fraction,
    *,
    below: int | None = None,
    at_once: int = _AT_ONCE,
) -> Iterator[NDArray[np.int64]]:
    """Sorted runs of the positions, among `empty` empty cells, whose noise is at least `threshold`.

    With `below`, every cell's noise is known to be less than that.
    """
    miss = MissRatio(scale, threshold, below=below)
    tables = _gap_tables(miss, min(_MOST_DIGITS, -(-empty.bit_length() // DIGIT_BITS)))
    start, ended = 0, False
    while not ended:
        found = np.empty(min(at_once, empty - start), dtype=np.int64)
        made, start, ended = _fill(tables, words, start, empty, found)
        yield found[:made]


def _fill(
    tables: GapTables, words: Words, start: int, end: int, found: NDArray[np.int64]
) -> tuple[int, int, bool]:
    done = 0
    while done < found.size:
        run = words.claim()
        made, used, start, ended = tables.fill(run, start, end, found[done:])
        words.give_back(run.size - used)
        done += made
        if ended:
            return done, start, True
        if done < found.size:
            position = tables.next(words, start, end)
            if position is None:
                return done, start, True
            found[done], start, done = position, position + 1, done + 1
    return done, start, start == end


def far_survivors(words: Words, empty: int, threshold: int, scale: Fraction) -> NDArray[np.object_]:
    """The same among more cells than 64 bits can number: all positions, as Python's integers.

    The gaps are drawn from the same tables, one by one, with as many digits as the cells ask for.
    """
    tables = _gap_tables(MissRatio(scale, threshold), -(-empty.bit_length() // DIGIT_BITS))
    found, position = list[int](), tables.next(words, 0, empty)
    while position is not None:
        found.append(position)
        position = tables.next(words, position + 1, empty)
    return np.array(found, dtype=np.object_)


@lru_cache(maxsize=_CACHED_TABLES)
def _gap_tables(miss: MissRatio, most_digits: int) -> GapTables:
    return GapTables.of(miss, most_digits)
