"""NoiseSource: where every mechanism gets its randomness, and the only place it may."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from quietway.noise.checks import MOST_NUMBERED, candidates, check_sparse, checked_scale, integers
from quietway.noise.groups import Groups, HiddenCells
from quietway.noise.hidden import SlicedCells
from quietway.noise.keystream import Keystream, seeded_key
from quietway.noise.laplace import add_noise, sampler_for
from quietway.noise.selection import exponential, permute_and_flip
from quietway.noise.sparse import far_survivors, survivors

_AT_ONCE = 2**20


@dataclass(frozen=True, eq=False, repr=False)
class Survivors:
    """The cells whose noisy value reached a threshold.

    `occupied` indexes the values that were given; `empty` holds sorted
    positions among the cells that were only counted: Python's integers, as
    objects, where there are more cells than 64 bits can number.
    """

    occupied: NDArray[np.int64]
    occupied_noisy: NDArray[np.int64]
    empty: NDArray[Any]
    empty_noisy: NDArray[np.int64]


class NoiseSource(Protocol):
    """Exact integer noise and selections.

    Scales are exact rationals. Noise of scale t is discrete Laplace,
    Pr(z) proportional to exp(-|z| / t).
    """

    @property
    def private(self) -> bool:
        """False where the randomness can be known: whatever it touches is marked as not private."""
        ...

    def laplace(self, true: NDArray[np.int64], scale: Fraction) -> NDArray[np.int64]:
        """The values plus independent noise."""
        ...

    def laplace_above(
        self, true: NDArray[np.int64], empty: int, threshold: int, scale: Fraction
    ) -> Survivors:
        """Noise on the values and on `empty` zeros; only what reaches `threshold` >= 1 is kept."""
        ...

    def hide(
        self, true: NDArray[np.int64], where: NDArray[np.int64], sizes: NDArray[np.int64], scale: Fraction
    ) -> HiddenCells:
        """Noise on every cell of the groups, zero but for the values at the positions `where`; none shown yet."""
        ...

    def select(self, scores: NDArray[np.int64], scale: Fraction) -> int:
        """Permute-and-flip: a candidate is accepted with probability exp((score - best) / scale)."""
        ...

    def choose(self, scores: NDArray[np.int64], scale: Fraction) -> int:
        """The exponential mechanism: Pr proportional to exp(score / scale)."""
        ...

    def positive(self, true: NDArray[np.int64], scale: Fraction) -> NDArray[np.bool_]:
        """Whether each value plus independent noise is above zero; nothing else of the sum is told."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class KeyedSource:
    """The exact samplers over one keystream; safe to share between threads.

    Privacy: the noise has exactly the stated law if the keystream is uniform,
        and sums are exact modulo 2^64, which is post-processing.
    """

    words: Keystream

    @property
    def private(self) -> bool:
        """Whether the words are secret."""
        return self.words.secret

    def laplace(self, true: NDArray[np.int64], scale: Fraction) -> NDArray[np.int64]:
        """The values plus independent noise."""
        noisy = integers(true).copy()
        exact = checked_scale(scale)
        with self.words.hold():
            add_noise(sampler_for(exact, noisy.size), self.words, noisy.reshape(-1))
        return noisy

    def laplace_above(
        self, true: NDArray[np.int64], empty: int, threshold: int, scale: Fraction
    ) -> Survivors:
        """Noise on the values and on `empty` zeros; only what reaches `threshold` >= 1 is kept."""
        check_sparse(true, empty, threshold)
        exact = checked_scale(scale)
        occupied = self._occupied(integers(true), threshold, exact)
        with self.words.hold():
            sprung = (
                self._far(empty, threshold, exact)
                if empty > MOST_NUMBERED
                else _joined(self._sprung(empty, threshold, exact))
            )
        return Survivors(*_joined(occupied), *sprung)

    def hide(
        self, true: NDArray[np.int64], where: NDArray[np.int64], sizes: NDArray[np.int64], scale: Fraction
    ) -> HiddenCells:
        """Noise on every cell of the groups, drawn as far down as it is revealed."""
        return SlicedCells(self.words, true, where, Groups.of(sizes), checked_scale(scale))

    def select(self, scores: NDArray[np.int64], scale: Fraction) -> int:
        """Permute-and-flip."""
        with self.words.hold():
            return permute_and_flip(self.words, candidates(scores), checked_scale(scale))

    def choose(self, scores: NDArray[np.int64], scale: Fraction) -> int:
        """The exponential mechanism."""
        with self.words.hold():
            return exponential(self.words, candidates(scores), checked_scale(scale))

    def positive(self, true: NDArray[np.int64], scale: Fraction) -> NDArray[np.bool_]:
        """Whether each value plus independent noise is above zero."""
        return self.laplace(true, scale) > 0

    def _occupied(self, true: NDArray[np.int64], threshold: int, scale: Fraction) -> Iterator[_Run]:
        for start in range(0, true.size, _AT_ONCE):
            noisy = self.laplace(true[start : start + _AT_ONCE], scale)
            kept = np.flatnonzero(noisy >= threshold)
            yield kept + start, noisy[kept]

    def _sprung(self, empty: int, threshold: int, scale: Fraction) -> Iterator[_Run]:
        for positions in survivors(self.words, empty, threshold, scale):
            yield positions, self._over(threshold, positions.size, scale)

    def _far(
        self, empty: int, threshold: int, scale: Fraction
    ) -> tuple[NDArray[np.object_], NDArray[np.int64]]:
        positions = far_survivors(self.words, empty, threshold, scale)
        return positions, self._over(threshold, positions.size, scale)

    def _over(self, threshold: int, count: int, scale: Fraction) -> NDArray[np.int64]:
        """Noise that is known to reach the threshold."""
        noisy = np.full(count, threshold, dtype=np.int64)
        add_noise(sampler_for(scale, count), self.words, noisy, signed=False)
        return noisy


def secure() -> NoiseSource:
    """Noise that nobody can predict or repeat: the only kind that protects anyone."""
    _require_working()
    return KeyedSource(Keystream())


def seeded(seed: int) -> NoiseSource:
    """The same samplers with words that the seed determines: for rehearsals and tests."""
    return KeyedSource(Keystream(seeded_key(seed)))


@cache
def _require_working() -> None:
    """Load what noise is made with, which takes seconds and may fail, before anybody pays for noise."""
    seeded(0).laplace(np.zeros(1, dtype=np.int64), Fraction(1))


_Run = tuple[NDArray[np.int64], NDArray[np.int64]]


def _joined(runs: Iterator[_Run]) -> _Run:
    none = np.empty(0, dtype=np.int64)
    indices, noisy = zip((none, none), *runs, strict=True)
    return np.concatenate(indices), np.concatenate(noisy)
