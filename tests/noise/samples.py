"""What the noise tests share: exact probabilities, chi-square, and scripted words."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc  # pyright: ignore[reportMissingTypeStubs]

from quietway.noise.keystream import Keystream, seeded_key

WRONG = Fraction(13, 10)
IMPOSSIBLE = 1e-6


class ScriptedWords:
    """Given words, then seeded ones, handed out in runs of a chosen length."""

    def __init__(self, first: Sequence[int] = (), *, seed: int = 0, run: int = 2**15) -> None:
        self._words = np.array(first, dtype=np.uint64)
        self._source = Keystream(seeded_key(seed), words_at_once=max(run, 4096))
        self._run = run
        self._at = 0
        self.read = 0

    def claim(self) -> NDArray[np.uint64]:
        """The next run: scripted words first."""
        self._refill()
        run = self._words[self._at : self._at + self._run]
        self._at += run.size
        self.read += run.size
        return run

    def give_back(self, count: int) -> None:
        """Put the end of the last run back."""
        self._at -= count
        self.read -= count

    def word(self) -> int:
        """The next word."""
        self._refill()
        self._at += 1
        self.read += 1
        return int(self._words[self._at - 1])

    def _refill(self) -> None:
        if self._at == self._words.size:
            self._words, self._at = self._source.claim().copy(), 0


def laplace_probabilities(scale: Fraction, edges: NDArray[np.int64]) -> NDArray[np.float64]:
    """The law of the bins (-inf, e0), [e0, e1), .., [e_last, inf)."""
    below = _cdf(scale, edges - 1)
    return np.diff(np.concatenate(([0.0], below, [1.0])))


def geometric_probabilities(ratio: float, edges: NDArray[np.int64]) -> NDArray[np.float64]:
    """The same for Pr(i) = (1 - ratio) ratio^i."""
    return np.diff(np.concatenate(([0.0], -np.expm1(edges * np.log(ratio)), [1.0])))


def quantile_edges(scale: Fraction, bins: int = 24) -> NDArray[np.int64]:
    """Edges that cut the law of that scale into bins of similar weight."""
    levels = np.arange(1, bins) / bins
    real = -np.sign(levels - 0.5) * np.log1p(-2 * np.abs(levels - 0.5)) * float(scale)
    return np.unique(np.append(np.round(real), [0, 1]).astype(np.int64))


def geometric_edges(ratio: float) -> NDArray[np.int64]:
    """Edges that cut a geometric law into about 20 bins of similar weight."""
    real: NDArray[np.float64] = np.log1p(-np.arange(1, 20) / 20) / np.log(ratio)
    return np.unique(np.round(real).astype(np.int64) + 1)


def binned(values: NDArray[np.int64], edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many values fall in each bin."""
    return np.bincount(np.searchsorted(edges, values, side="right"), minlength=edges.size + 1)


def p_value(observed: NDArray[np.int64], probabilities: NDArray[np.float64]) -> float:
    """Pearson's chi-square against an exact law; bins too thin to count are pooled."""
    expected = probabilities * observed.sum()
    thick = expected >= 8
    pooled = [(observed[thick], expected[thick])]
    if expected[~thick].sum() > 0:
        pooled.append((observed[~thick].sum(keepdims=True), expected[~thick].sum(keepdims=True)))
    seen, due = (np.concatenate(part) for part in zip(*pooled, strict=True))
    return float(chdtrc(seen.size - 1, ((seen - due) ** 2 / due).sum()))


def fits_laplace(values: NDArray[np.int64], scale: Fraction) -> bool:
    """Whether values may be discrete Laplace of that scale."""
    edges = quantile_edges(scale)
    return p_value(binned(values, edges), laplace_probabilities(scale, edges)) > IMPOSSIBLE


def same_law(left: NDArray[np.int64], right: NDArray[np.int64], edges: NDArray[np.int64]) -> bool:
    """Two-sample chi-square."""
    counts = np.stack([binned(left, edges), binned(right, edges)]).astype(np.float64)
    counts = counts[:, counts.sum(axis=0) >= 16]
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    statistic = ((counts - expected) ** 2 / expected).sum()
    return float(chdtrc(counts.shape[1] - 1, statistic)) > IMPOSSIBLE


def _cdf(scale: Fraction, at: NDArray[np.int64]) -> NDArray[np.float64]:
    step = 1 / float(scale)
    beyond = np.where(at < 0, -at, at + 1).astype(np.float64)
    tail: NDArray[np.float64] = np.exp(-step * beyond) / (1 + np.exp(-step))
    return np.where(at < 0, tail, 1 - tail)
