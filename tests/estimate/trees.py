"""Small trees of noisy totals, and the same as dense matrices."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from quietway.measurement import Measurement
from quietway.universe import Axis, Partition, Universe, grouped

SCALES = st.sampled_from([Fraction(1, 5), Fraction(1), Fraction(7, 2), Fraction(50)])


@st.composite
def trees(draw: st.DrawFn) -> tuple[Measurement, ...]:
    """One to four levels of any fan-out, the leaves last, each with its own scale."""
    cells = draw(st.integers(1, 9))
    universe = Universe((Axis(name="a", size=cells),))
    levels = [Partition.identity(universe)]
    labels = np.arange(cells)
    for _ in range(draw(st.integers(0, 3))):
        nodes = int(labels.max()) + 1
        merged = draw(st.lists(st.integers(0, 3), min_size=nodes, max_size=nodes))
        _, up = np.unique(merged, return_inverse=True)
        labels = up[labels]
        levels.insert(0, Partition.by(universe, [grouped(universe, ["a"], labels, name="level")]))
    seed = draw(st.integers(0, 2**31))
    return tuple(noisy(level, draw(SCALES), seed + i) for i, level in enumerate(levels))


def noisy(partition: Partition, scale: Fraction, seed: int, truth: int = 20) -> Measurement:
    """Totals somewhere between -truth and truth, as a noisy measurement reports them."""
    values = np.random.default_rng(seed).integers(-truth, truth, partition.blocks)
    return Measurement(name="level", partition=partition, noisy=values, scale=scale)


def matrix(partition: Partition) -> NDArray[np.float64]:
    """One row per block, one column per cell."""
    block = partition.block_of(np.arange(partition.universe.size))
    return (np.arange(partition.blocks)[:, None] == block[None, :]).astype(np.float64)


def dense(measurements: tuple[Measurement, ...]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The weighted least-squares estimate of the cells, and its covariance, from one dense system."""
    weights = np.concatenate([np.full(m.partition.blocks, m.variance**-0.5) for m in measurements])
    rows = np.vstack([matrix(m.partition) for m in measurements]) * weights[:, None]
    values = np.concatenate([m.noisy for m in measurements]) * weights
    estimate, *_ = np.linalg.lstsq(rows, values)
    return estimate, np.linalg.inv(rows.T @ rows)


def discrete_laplace(scale: Fraction, shape: tuple[int, ...], draw: np.random.Generator) -> NDArray[np.int64]:
    """Noise for simulations, as the difference of two geometric draws."""
    success = -np.expm1(-1 / float(scale))
    return draw.geometric(success, shape) - draw.geometric(success, shape)
