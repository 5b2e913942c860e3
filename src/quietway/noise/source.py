"""NoiseSource: where every mechanism gets its randomness, and the only place it may."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from quietway.errors import ConfigError, UniverseError
from quietway.noise.keystream import Keystream, seeded_key
from quietway.noise.laplace import add_noise, sampler_for
from quietway.noise.selection import exponential, permute_and_flip
from quietway.noise.sparse import survivors

_MOST_EMPTY = 2**63 - 1
_AT_ONCE = 2**20


@dataclass(frozen=True, eq=False, repr=False)
class Survivors:
    """The cells whose noisy value reached a threshold.

    `occupied` indexes the values that were given; `empty` holds sorted
    positions among the cells that were only counted.
    """

    occupied: NDArray[np.int64]
    occupied_noisy: NDArray[np.int64]
    empty: NDArray[np.int64]
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

    def select(self, scores: NDArray[np.int64], scale: Fraction) -> int:
        """Permute-and-flip: a candidate is accepted with probability exp((score - best) / scale)."""
        ...

    def choose(self, scores: NDArray[np.int64], scale: Fraction) -> int:
        """The exponential mechanism: Pr proportional to exp(score / scale)."""
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
            sprung = _joined(self._sprung(empty, threshold, exact))
        return Survivors(*_joined(occupied), *sprung)

    def select(self, scores: NDArray[np.int64], scale: Fraction) -> int:
        """Permute-and-flip."""
        with self.words.hold():
            return permute_and_flip(self.words, candidates(scores), checked_scale(scale))

    def choose(self, scores: NDArray[np.int64], scale: Fraction) -> int:
        """The exponential mechanism."""
        with self.words.hold():
            return exponential(self.words, candidates(scores), checked_scale(scale))

    def _occupied(self, true: NDArray[np.int64], threshold: int, scale: Fraction) -> Iterator[_Run]:
        for start in range(0, true.size, _AT_ONCE):
            noisy = self.laplace(true[start : start + _AT_ONCE], scale)
            kept = np.flatnonzero(noisy >= threshold)
            yield kept + start, noisy[kept]

    def _sprung(self, empty: int, threshold: int, scale: Fraction) -> Iterator[_Run]:
        for positions in survivors(self.words, empty, threshold, scale):
            noisy = np.full(positions.size, threshold, dtype=np.int64)
            add_noise(sampler_for(scale, noisy.size), self.words, noisy, signed=False)
            yield positions, noisy


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


def checked_scale(scale: Fraction) -> Fraction:
    """An exact positive rational, or a refusal."""
    if isinstance(scale, bool) or not isinstance(scale, int | Fraction):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ConfigError(f"a noise scale must be an exact Fraction or int, not {type(scale).__name__}")
    if scale <= 0:
        raise ConfigError(f"a noise scale must be positive, not {scale}; epsilon must be finite and above 0")
    return Fraction(scale)


def integers(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """The values as int64, or a refusal."""
    array = np.asarray(values)
    if array.dtype.kind not in "iu" or (array.dtype.kind == "u" and array.dtype.itemsize >= 8):
        raise UniverseError(f"noise is added to int64 counts, not {array.dtype}; convert them first")
    return np.asarray(array, dtype=np.int64, order="C")


def candidates(scores: NDArray[np.int64]) -> NDArray[np.int64]:
    """At least one integer score, or a refusal."""
    array = integers(scores)
    if array.ndim != 1 or not array.size:
        raise UniverseError("a selection needs a vector of one or more scores")
    return array


def check_sparse(true: NDArray[np.int64], empty: int, threshold: int) -> None:
    """Refuse what the sparse filter is not made for."""
    if np.ndim(true) != 1:
        raise UniverseError("the sparse filter takes a vector, one value per occupied cell")
    if threshold < 1:
        raise UniverseError(
            f"the threshold is {threshold}; it must be 1 or more, or most cells would survive"
        )
    if not 0 <= empty <= _MOST_EMPTY:
        raise UniverseError(
            "the number of empty cells must be from 0 to 2^63 - 1; use fewer or coarser axes",
            sensitive=f"empty cells: {empty}",
        )


_Run = tuple[NDArray[np.int64], NDArray[np.int64]]


def _joined(runs: Iterator[_Run]) -> _Run:
    none = np.empty(0, dtype=np.int64)
    indices, noisy = zip((none, none), *runs, strict=True)
    return np.concatenate(indices), np.concatenate(noisy)
