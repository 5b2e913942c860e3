"""A method's noise, and its answers to queries: as the paper has them, or fitted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quietway.counts import Paths
from quietway.estimate.boxes import fit_paths
from quietway.measurement import NoisyCells, NoisyGrid, NoisyPaths
from quietway.mechanisms.od.grid import block_counts
from quietway.mechanisms.od.registry import PATH_METHODS, PathRequest, fits_of
from quietway.noise import NoiseSource
from quietway.reproduce.od.methods import EVERY_CELL, OURS, Method, Source
from quietway.reproduce.od.printed import printed_answers

Noisy = Sequence[NoisyPaths]
Answer = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]
CONFIDENCE = 0.95


def measured(source: Source, paths: Paths, epsilon: Fraction, *, rng: NoiseSource) -> Noisy:
    """Noisy counts, worth epsilon together."""
    if source.method == EVERY_CELL:
        return every_cell(paths, epsilon, rng=rng)
    request = PathRequest(space=paths.space, unit=paths.unit, epsilon=epsilon, published=source.published)
    return PATH_METHODS[source.method](request).measure(paths, rng=rng)


def every_cell(paths: Paths, epsilon: Fraction, *, rng: NoiseSource) -> tuple[NoisyGrid]:
    """IDENTITY as it is meant: every cell written down, with the noise of all of epsilon."""
    edges = tuple(np.arange(side + 1, dtype=np.int64) for side in paths.space.shape)
    scale = paths.unit.sensitivity / epsilon
    noisy = rng.laplace(block_counts(paths.points, edges), scale)
    return (NoisyGrid(name="cells", space=paths.space, edges=edges, noisy=noisy, scale=scale),)


def answered(method: Method, noisy: Noisy) -> Answer:
    """Answers to boxes, given as rows of lower and of upper ends."""
    finest = noisy[-1]
    if method.part == OURS or isinstance(finest, NoisyCells):
        solution = fit_paths(noisy, fits_of(method.source.method)[0])
        return lambda low, high: solution.answer(low, high, CONFIDENCE).estimate
    return lambda low, high: printed_answers(finest, low, high)
