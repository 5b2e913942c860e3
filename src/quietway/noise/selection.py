"""Choosing one candidate by its score, with exact coins of probability exp(-rational)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quietway.noise.coins import below, flip
from quietway.noise.keystream import Words

_KERNEL_LIMIT = 2**62


def permute_and_flip(words: Words, scores: NDArray[np.int64], scale: Fraction) -> int:
    """Candidates in a random order, the first one accepted with probability exp((score - best) / scale).

    Source: McKenna, Sheldon (2020), Algorithm 1.
    """
    return _offer(words, scores, scale, keep=False)


def exponential(words: Words, scores: NDArray[np.int64], scale: Fraction) -> int:
    """A candidate with probability proportional to exp(score / scale), by rejection from the uniform law."""
    return _offer(words, scores, scale, keep=True)


def _offer(words: Words, scores: NDArray[np.int64], scale: Fraction, *, keep: bool) -> int:
    numerator, denominator = scale.as_integer_ratio()
    best, worst = int(scores.max()), int(scores.min())
    order = np.arange(scores.size)
    step, candidate = 0, None
    if max((best - worst) * denominator, numerator) >= _KERNEL_LIMIT:
        while candidate is None:
            candidate, step = _offer_one(words, order, step, scores, best, scale, keep)
        return candidate
    losses = (best - scores).astype(np.uint64) * np.uint64(denominator)
    while candidate is None:
        candidate, step = _offer_run(words, order, step, losses, numerator, keep)
        if candidate is None:
            candidate, step = _offer_one(words, order, step, scores, best, scale, keep)
    return candidate


def _offer_run(
    words: Words,
    order: NDArray[np.int64],
    step: int,
    losses: NDArray[np.uint64],
    denominator: int,
    keep: bool,
) -> tuple[int | None, int]:
    from quietway.noise.kernels import flip_until

    run = words.claim()
    candidate, step, used = flip_until(run, order, step, losses, np.uint64(denominator), keep)
    words.give_back(run.size - used)
    return (None if candidate < 0 else int(candidate)), step


def _offer_one(
    words: Words,
    order: NDArray[np.int64],
    step: int,
    scores: NDArray[np.int64],
    best: int,
    scale: Fraction,
    keep: bool,
) -> tuple[int | None, int]:
    """One offer by plain integers: the reference of the kernel, and all there is for very large ones."""
    start = 0 if keep else step
    place = start + below(words, order.size - start)
    candidate = int(order[place])
    loss = (best - int(scores[candidate])) * scale.denominator
    if flip(words, loss, scale.numerator):
        return candidate, step
    if keep:
        return None, step
    order[place], order[step] = order[step], candidate
    return None, step + 1
