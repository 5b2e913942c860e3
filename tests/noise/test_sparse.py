"""Empty cells above a threshold come as if every one had been noised."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from quietway.noise import seeded
from quietway.noise.laws import GeometricHead, MissRatio
from quietway.noise.sparse import GapTables, far_survivors, survivors
from quietway.noise.table import Table

from .samples import IMPOSSIBLE, ScriptedWords, binned, geometric_edges, geometric_probabilities, p_value

NONE = np.empty(0, dtype=np.int64)


def chance(scale: Fraction, threshold: int) -> float:
    """The probability that an empty cell survives."""
    ratio = np.exp(-1 / float(scale))
    return float(ratio**threshold / (1 + ratio))


def positions(
    empty: int, threshold: int, scale: Fraction, *, seed: int = 1, run: int = 2**15
) -> NDArray[np.int64]:
    """Seeded survivors."""
    return np.concatenate(
        list(survivors(ScriptedWords(seed=seed, run=run), empty, threshold, scale, at_once=100))
    )


def binomial(trials: int, probability: float) -> NDArray[np.float64]:
    """Probabilities of 0..trials successes."""
    k = np.arange(trials + 1)
    return np.array([comb(trials, int(i)) for i in k]) * probability**k * (1 - probability) ** (trials - k)


@pytest.mark.parametrize(("threshold", "scale"), [(1, Fraction(2)), (3, Fraction(2)), (1, Fraction(1, 2))])
def test_numbers_values_and_places_match_the_dense_path(threshold: int, scale: Fraction) -> None:
    """On 12 cells: binomial numbers, uniform places, geometric values, as on the dense path."""
    source, runs, cells = seeded(3), 6000, 12
    found = [source.laplace_above(NONE, cells, threshold, scale) for _ in range(runs)]
    dense = source.laplace(np.zeros((runs, cells), dtype=np.int64), scale)
    p = chance(scale, threshold)
    for sizes in ([one.empty.size for one in found], (dense >= threshold).sum(axis=1)):
        tally = np.bincount(sizes, minlength=cells + 1)
        assert p_value(tally, binomial(cells, p)) > IMPOSSIBLE
        assert p_value(tally, binomial(cells, chance(scale * Fraction(13, 10), threshold))) < IMPOSSIBLE
    places = np.concatenate([one.empty for one in found])
    assert p_value(np.bincount(places, minlength=cells), np.full(cells, 1 / cells)) > IMPOSSIBLE
    edges, ratio = np.arange(1, 12), np.exp(-1 / float(scale))
    for values in (np.concatenate([one.empty_noisy for one in found]), dense[dense >= threshold]):
        assert p_value(binned(values - threshold, edges), geometric_probabilities(ratio, edges)) > IMPOSSIBLE


def test_neighbouring_survivors_are_independent() -> None:
    """Each of the 16 patterns of survival of four cells has its product probability."""
    scale, threshold, cells = Fraction(5), 1, 40_000
    alive = np.zeros(cells, dtype=np.int64)
    alive[positions(cells, threshold, scale)] = 1
    patterns = np.bincount(alive.reshape(-1, 4) @ (8, 4, 2, 1), minlength=16)
    p, ones = chance(scale, threshold), np.array([bin(i).count("1") for i in range(16)])
    assert p_value(patterns, p**ones * (1 - p) ** (4 - ones)) > IMPOSSIBLE


@pytest.mark.parametrize(
    ("empty", "threshold", "scale"),
    [
        (10**18, 180, Fraction(5)),
        (2**63 - 1, 430, Fraction(12)),
        (10**6, 25, Fraction(3)),
        (40_000, 3, Fraction(1)),
        (300, 1, Fraction(10**6)),
    ],
)
def test_huge_universes_cost_their_survivors_only(empty: int, threshold: int, scale: Fraction) -> None:
    """The number is Poisson-like, positions are sorted, distinct, inside and uniform, at any size."""
    expected = empty * chance(scale, threshold)
    repeats = max(1, int(4000 / expected))
    found = [positions(empty, threshold, scale, seed=i) for i in range(repeats)]
    total = sum(run.size for run in found)
    assert abs(total - repeats * expected) < 5 * (repeats * expected) ** 0.5
    for run in found:
        assert (np.diff(run) > 0).all()
        assert not run.size or (run[0] >= 0 and run[-1] < empty)
    tenths = np.bincount((np.concatenate(found) * (10 / empty)).astype(np.int64).clip(0, 9), minlength=10)
    assert p_value(tenths, np.full(10, 0.1)) > IMPOSSIBLE


@pytest.mark.parametrize("digits", [0, 1, 2])
def test_gaps_are_geometric_whatever_the_digits(digits: int) -> None:
    """One gap law, split into none, one or two digits, fits the same exact probabilities."""
    scale, threshold = Fraction(2), 18
    tables, q = GapTables.of(MissRatio(scale, threshold), digits), 1 - chance(scale, threshold)
    words, start, gaps = ScriptedWords(seed=digits, run=64), 0, list[int]()
    for _ in range(3000):
        after = tables.next(words, start, 2**63 - 1)
        assert after is not None
        gaps.append(after - start)
        start = after + 1
    assert len(tables.digits) == min(digits, 1)
    edges = geometric_edges(q)
    observed = binned(np.array(gaps), edges)
    assert p_value(observed, geometric_probabilities(q, edges)) > IMPOSSIBLE
    assert p_value(observed, geometric_probabilities(q**1.3, edges)) < IMPOSSIBLE


@given(run=st.integers(1, 30), seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_where_runs_of_words_end_changes_nothing(run: int, seed: int) -> None:
    """Survivors are a function of the words alone, drawn by kernel or reference."""
    whole = positions(10**9, 60, Fraction(4), seed=seed)
    assert whole.size > 10
    assert (positions(10**9, 60, Fraction(4), seed=seed, run=run) == whole).all()


def test_a_threshold_nobody_reaches() -> None:
    """With a chance of exp(-10^9) per cell nothing survives, and nothing overflows."""
    assert positions(2**63 - 1, 10**9, Fraction(1)).size == 0
    assert positions(0, 1, Fraction(1)).size == 0


@pytest.mark.parametrize(("second", "gap"), [(0, 5), (2**64 - 1, 6)])
def test_ties_of_the_head_are_settled(second: int, gap: int) -> None:
    """A word equal to a floor of the head is decided by the next word, in the middle of a run."""
    scale = Fraction(3)
    head = Table.of(GeometricHead(MissRatio(scale, 1), 32))
    tie, first = int(head.floors[5]), int(head.floors[0]) - 1
    words = ScriptedWords([first, tie, second, first, 2**64 - 2, 2**64 - 2], run=10)
    assert GapTables.of(MissRatio(scale, 1), 1).digits == ()
    found = np.concatenate(list(survivors(words, 12, 1, scale)))
    assert found.tolist() == [0, 1 + gap, 2 + gap]


@pytest.mark.parametrize(
    ("empty", "threshold", "scale"),
    [
        (10**24, 250, Fraction(5)),
        (2**63, 190, Fraction(5)),
        (10**90, 400, Fraction(2)),
        (10**6, 25, Fraction(3)),
    ],
)
def test_more_cells_than_can_be_numbered_cost_their_survivors_only(
    empty: int, threshold: int, scale: Fraction
) -> None:
    """Beyond 64 bits as below: a Poisson-like number, positions sorted, distinct, inside and uniform."""
    expected = empty * chance(scale, threshold)
    repeats = max(1, int(2000 / expected))
    found = [far_survivors(ScriptedWords(seed=i), empty, threshold, scale) for i in range(repeats)]
    total = sum(run.size for run in found)
    assert abs(total - repeats * expected) < 5 * (repeats * expected) ** 0.5
    for run in found:
        assert all(type(position) is int for position in run)
        assert (run[1:] > run[:-1]).all() and (not run.size or (run[0] >= 0 and run[-1] < empty))
    tenths = np.bincount([position * 10 // empty for run in found for position in run], minlength=10)
    assert p_value(tenths, np.full(10, 0.1)) > IMPOSSIBLE


def test_far_survivors_are_independent() -> None:
    """Of four cells, each of the 16 patterns of survival has its product probability."""
    p, runs = chance(Fraction(5), 1), 2500
    alive = np.zeros((runs, 4), dtype=np.int64)
    words = ScriptedWords(seed=9)
    for row in alive:
        row[far_survivors(words, 4, 1, Fraction(5)).astype(np.int64)] = 1
    ones = np.array([bin(i).count("1") for i in range(16)])
    assert (
        p_value(np.bincount(alive @ (8, 4, 2, 1), minlength=16), p**ones * (1 - p) ** (4 - ones)) > IMPOSSIBLE
    )


def test_the_source_switches_where_numbers_end() -> None:
    """Below 2^63 positions are int64, from there on Python's integers; values reach the threshold either way."""
    source = seeded(5)
    near = source.laplace_above(NONE, 2**63 - 1, 190, Fraction(5))
    far = source.laplace_above(NONE, 2**63, 190, Fraction(5))
    assert near.empty.dtype == np.int64 and far.empty.dtype == np.object_
    for found in (near, far):
        assert found.empty.size == found.empty_noisy.size > 20 and found.empty_noisy.min() >= 190
