"""Answers as the paper computes them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from quietway.measurement import NoisyBoxes, NoisyGrid
from quietway.noise import seeded
from quietway.reproduce.od.answers import every_cell, measured
from quietway.reproduce.od.generators import gaussian, square
from quietway.reproduce.od.methods import Source
from quietway.reproduce.od.printed import printed_answers
from quietway.universe import PathSpace

RNG = np.random.default_rng(3)


def queries(space: PathSpace, count: int = 40) -> tuple[np.ndarray, np.ndarray]:
    first, second = (RNG.integers(0, np.array(space.shape), (count, space.axes)) for _ in range(2))
    return np.minimum(first, second), np.maximum(first, second) + 1


def spread(finest: NoisyGrid | NoisyBoxes) -> np.ndarray:
    """Every cell's share, written down one by one."""
    table = np.zeros(finest.space.shape)
    if isinstance(finest, NoisyGrid):
        blocks = np.array(np.unravel_index(np.arange(len(finest.noisy)), finest.shape)).T
        edges = [
            (
                [cuts[i] for cuts, i in zip(finest.edges, block, strict=True)],
                [cuts[i + 1] for cuts, i in zip(finest.edges, block, strict=True)],
            )
            for block in blocks
        ]
        noisy = finest.noisy
    else:
        edges = [(finest.low[node], finest.high[node]) for node in finest.node]
        noisy = finest.noisy
    for (low, high), value in zip(edges, noisy, strict=True):
        box = tuple(slice(int(a), int(b)) for a, b in zip(low, high, strict=True))
        table[box] += value / np.prod([int(b) - int(a) for a, b in zip(low, high, strict=True)])
    return table


@pytest.mark.parametrize("method", ["eug", "mkm", "daf-entropy", "daf-homogeneity"])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_answers_spread_each_finest_count_evenly(method: str, dimensions: int) -> None:
    """As a table of every cell's share sums them, negative ones included."""
    paths = gaussian(dimensions, 30.0, seed=1, points=3_000)
    source = Source(method=method, published=True)
    finest = measured(source, paths, Fraction(1), rng=seeded(2))[-1]
    assert isinstance(finest, NoisyGrid | NoisyBoxes)
    low, high = queries(paths.space)
    table = spread(finest)
    plain = [
        table[tuple(slice(a, b) for a, b in zip(*ends, strict=True))].sum()
        for ends in zip(low, high, strict=True)
    ]
    assert printed_answers(finest, low, high) == pytest.approx(plain)


def test_every_cell_has_the_noise_of_all_of_epsilon() -> None:
    """A discrete Laplace of scale 1 / epsilon: 80 % more or less of its spread would be seen."""
    paths = gaussian(2, 9.0, seed=1, points=10_000)
    (grid,) = every_cell(paths, Fraction(1, 2), rng=seeded(1))
    true = np.zeros(paths.space.shape)
    np.add.at(true, tuple(paths.points.T), 1)
    noise = grid.noisy.reshape(true.shape) - true
    assert noise.std() == pytest.approx(np.sqrt(2 * np.exp(-0.5)) / (1 - np.exp(-0.5)), rel=0.05)
    assert abs(noise.mean()) < 0.1


def test_a_grid_of_one_block_answers_in_proportion() -> None:
    """No axis is left to contract."""
    space = square(3, 10)
    edges = tuple(np.array([0, side]) for side in space.shape)
    grid = NoisyGrid(name="one", space=space, edges=edges, noisy=np.array([500]), scale=Fraction(1))
    low, high = np.array([[0, 0, 0, 0]]), np.array([[5, 10, 1, 2]])
    assert printed_answers(grid, low, high).tolist() == [50.0]
