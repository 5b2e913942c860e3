"""Exact inverse-CDF tables: one 64-bit word decides, except when it ties with a cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quietway.noise.keystream import Words
from quietway.noise.laws import Cuts, Law

WORD_BITS = 64
_LARGEST_WORD = 2**WORD_BITS - 1
_FIRST_BITS = 192
_SPARE_GUIDE_BITS = 4
_LEAST_GUIDE_BITS, _MOST_GUIDE_BITS = 8, 16


@dataclass(frozen=True, eq=False)
class Table:
    """A law with the certified floors of its cuts.

    `floors[i]` is floor(2^64 F(i)), then a last entry that no word exceeds.
    `guide` says, for the leading bits of a word, how many floors lie below
    every word that starts so; the search goes up from there.
    """

    law: Law
    floors: NDArray[np.uint64]
    guide: NDArray[np.int32]
    shift: np.uint64

    @classmethod
    def of(cls, law: Law, *, guide_bits: int | None = None) -> Table:
        """The table of a law."""
        floors = np.array([*certified_floors(law), _LARGEST_WORD], dtype=np.uint64)
        wanted = floors.size.bit_length() + _SPARE_GUIDE_BITS if guide_bits is None else guide_bits
        leading = min(max(wanted, _LEAST_GUIDE_BITS), _MOST_GUIDE_BITS)
        shift = np.uint64(WORD_BITS - leading)
        starts = np.arange(2**leading, dtype=np.uint64) << shift
        guide = np.searchsorted(floors[:-1], starts, side="left").astype(np.int32)
        return cls(law, floors, guide, shift)

    def draw(self, words: Words) -> int:
        """One outcome, ties included."""
        word = words.word()
        cuts = self.floors[:-1]
        sure = int(np.searchsorted(cuts, np.uint64(word), side="left"))
        ties = int(np.searchsorted(cuts, np.uint64(word), side="right")) - sure
        return sure + (_settle(self.law, word, range(sure, sure + ties), words) if ties else 0)


def certified_floors(law: Law) -> list[int]:
    """floor(2^64 F(i)) for every cut, at whatever precision proves them all."""
    bits = _FIRST_BITS
    while True:
        cuts = law.cuts(bits)
        floors = [_floor(cut.low, bits) for cut in cuts]
        if floors == [_floor(cut.high, bits) for cut in cuts]:
            return floors
        bits *= 2


def _floor(bound: int, bits: int) -> int:
    """A cut lies strictly between 0 and 1, so its floor is known to be a word."""
    return min(max(bound >> (bits - WORD_BITS), 0), _LARGEST_WORD)


def _settle(law: Law, first: int, tied: range, words: Words) -> int:
    """How many of the tied cuts are at or below u, the real number whose expansion starts with `first`.

    Every further word narrows u to [prefix, prefix + 1) / 2^length, and the
    cuts are enclosed one word more finely than that.
    """
    prefix, length = first, WORD_BITS
    while True:
        prefix, length = prefix << WORD_BITS | words.word(), length + WORD_BITS
        cuts = law.cuts(length + WORD_BITS)[tied.start : tied.stop]
        passed = _decided(cuts, prefix)
        if passed is not None:
            return passed


def _decided(cuts: Cuts, prefix: int) -> int | None:
    low, high = prefix << WORD_BITS, (prefix + 1) << WORD_BITS
    passed = sum(cut.high <= low for cut in cuts)
    ahead = sum(cut.low >= high for cut in cuts)
    return passed if passed + ahead == len(cuts) else None
