"""Discrete Laplace noise over arrays: the samplers, the choice between them, and the loop that drives them.

A draw is a fixed function of the words it reads. The compiled kernels make as
many whole draws as they can; a draw that meets a tie, or the end of the words
at hand, is made again from its first word by the plain Python reference. So
the outcome never depends on where a run of words happens to end.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from quietway.noise.cks import CksSampler
from quietway.noise.keystream import Words
from quietway.noise.laws import SignedLaplace
from quietway.noise.table import Table

_LARGEST_TABLE_SCALE = 4096
_SCALE_WITHOUT_QUESTION = 64
_CACHED_TABLES = 32


class Sampler(Protocol):
    """Draws of one scale: discrete Laplace when signed, geometric when not."""

    def fill(self, words: NDArray[np.uint64], out: NDArray[np.int64], signed: bool) -> tuple[int, int]:
        """Add noise to a prefix of `out`: how many draws were made, from how many words."""
        ...

    def one(self, words: Words, signed: bool) -> int:
        """One draw, whatever it takes."""
        ...


@dataclass(frozen=True, eq=False)
class TableSampler:
    """Draws by table. What falls beyond the table's reach goes on from there by memorylessness."""

    table: Table
    reach: int

    @classmethod
    def of(cls, scale: Fraction) -> TableSampler:
        """The sampler of a scale; about one draw in 4,000 leaves the table."""
        reach = 83 * scale.numerator // (10 * scale.denominator) + 4
        return cls(Table.of(SignedLaplace(scale, reach)), reach)

    def fill(self, words: NDArray[np.uint64], out: NDArray[np.int64], signed: bool) -> tuple[int, int]:
        """Add noise to a prefix of `out`: how many draws were made, from how many words."""
        from quietway.noise.kernels import fill_table

        table = self.table
        return fill_table(words, table.floors, table.guide, table.shift, self.reach, signed, out)

    def one(self, words: Words, signed: bool) -> int:
        """One draw, ties included."""
        if not signed:
            return self._beyond(words)
        noise = self.table.draw(words) - self.reach
        if abs(noise) < self.reach:
            return noise
        magnitude = self.reach + self._beyond(words)
        return magnitude if noise > 0 else -magnitude

    def _beyond(self, words: Words) -> int:
        """A geometric variable: a signed draw given that it is not negative."""
        offset = 0
        while True:
            noise = self.table.draw(words) - self.reach
            offset += max(noise, 0)
            if 0 <= noise < self.reach:
                return offset


def sampler_for(scale: Fraction, draws: int) -> Sampler:
    """The quickest exact sampler: a table where it is small, or pays for itself."""
    if scale <= min(_LARGEST_TABLE_SCALE, _SCALE_WITHOUT_QUESTION + draws):
        return _table_sampler(scale)
    return CksSampler(scale)


def add_noise(sampler: Sampler, words: Words, out: NDArray[np.int64], *, signed: bool = True) -> None:
    """Add independent draws to every entry of a vector, in place, modulo 2^64."""
    done = 0
    while done < out.size:
        run = words.claim()
        made, used = sampler.fill(run, out[done:], signed)
        words.give_back(run.size - used)
        done += made
        if done < out.size:
            out[done] = _wrapped(int(out[done]) + sampler.one(words, signed))
            done += 1


def _wrapped(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


@lru_cache(maxsize=_CACHED_TABLES)
def _table_sampler(scale: Fraction) -> TableSampler:
    return TableSampler.of(scale)
