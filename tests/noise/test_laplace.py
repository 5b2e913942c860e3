"""Discrete Laplace noise has the law it states, however its words arrive."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from quietway.noise.cks import CksSampler
from quietway.noise.laplace import Sampler, TableSampler, add_noise, sampler_for
from quietway.noise.laws import SignedLaplace
from quietway.noise.table import Table

from .samples import (
    WRONG,
    ScriptedWords,
    binned,
    fits_laplace,
    geometric_edges,
    geometric_probabilities,
    p_value,
    quantile_edges,
    same_law,
)

SCALES = [Fraction(1, 3), Fraction(1), Fraction(5), Fraction(50), Fraction(700), Fraction(5000)]
SHORT = TableSampler(Table.of(SignedLaplace(Fraction(3), 4)), 4)


def noise(
    sampler: Sampler, draws: int, *, signed: bool = True, seed: int = 1, run: int = 2**15
) -> NDArray[np.int64]:
    """Seeded draws."""
    out = np.zeros(draws, dtype=np.int64)
    add_noise(sampler, ScriptedWords(seed=seed, run=run), out, signed=signed)
    return out


class Reference:
    """A sampler that only has its plain Python side."""

    def __init__(self, sampler: Sampler) -> None:
        self.one = sampler.one

    def fill(self, words: NDArray[np.uint64], out: NDArray[np.int64], signed: bool) -> tuple[int, int]:
        """Nothing."""
        return 0, 0


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize("kind", [TableSampler.of, CksSampler], ids=["table", "cks"])
def test_noise_has_its_law(kind: type[CksSampler], scale: Fraction) -> None:
    """Draws fit the exact law of their scale, and neither 30 % more nor 30 % less."""
    draws = noise(kind(scale), 100_000)
    assert fits_laplace(draws, scale)
    assert not fits_laplace(draws, scale * WRONG)
    assert not fits_laplace(draws, scale / WRONG)


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_table_and_cks_share_one_law(scale: Fraction) -> None:
    """The two samplers cannot be told apart, and a wrong scale can."""
    edges, table = quantile_edges(scale), noise(TableSampler.of(scale), 100_000)
    assert same_law(table, noise(CksSampler(scale), 100_000, seed=2), edges)
    assert not same_law(table, noise(CksSampler(scale * WRONG), 100_000, seed=2), edges)


@pytest.mark.parametrize(
    ("sampler", "scale"),
    [
        (SHORT, Fraction(3)),
        (TableSampler.of(Fraction(2)), Fraction(2)),
        (CksSampler(Fraction(1, 3)), Fraction(1, 3)),
        (CksSampler(Fraction(7, 2)), Fraction(7, 2)),
        (CksSampler(Fraction(10**9, 7)), Fraction(10**9, 7)),
    ],
    ids=["short table", "table", "cks 1/3", "cks 7/2", "cks 10^9/7"],
)
def test_unsigned_draws_are_geometric(sampler: Sampler, scale: Fraction) -> None:
    """Without a sign, Pr(j) = (1 - r) r^j."""
    draws = noise(sampler, 100_000, signed=False)
    edges = geometric_edges(np.exp(-1 / float(scale)))
    observed = binned(draws, edges)
    assert draws.min() >= 0
    assert p_value(observed, geometric_probabilities(np.exp(-1 / float(scale)), edges)) > 1e-6
    assert p_value(observed, geometric_probabilities(np.exp(-1.3 / float(scale)), edges)) < 1e-6


@pytest.mark.parametrize(
    "sampler",
    [
        SHORT,
        TableSampler.of(Fraction(1, 3)),
        TableSampler.of(Fraction(40)),
        CksSampler(Fraction(40, 3)),
        CksSampler(Fraction(2, 5)),
        CksSampler(Fraction(2**61 - 1)),
        CksSampler(Fraction(2**62 - 1, 2**62 - 5)),
    ],
    ids=["short table", "table 1/3", "table 40", "cks 40/3", "cks 2/5", "cks 2^61", "cks 62 bits"],
)
@pytest.mark.parametrize("signed", [True, False])
def test_kernels_repeat_the_reference_draw_for_draw(sampler: Sampler, signed: bool) -> None:
    """From the same words, the compiled kernel and plain Python make the same draws."""
    fast = noise(sampler, 1500, signed=signed, seed=7)
    assert (fast == noise(Reference(sampler), 1500, signed=signed, seed=7)).all()
    assert np.unique(fast).size > 1


@pytest.mark.parametrize("sampler", [SHORT, CksSampler(Fraction(20))], ids=["table", "cks"])
@given(run=st.integers(1, 40), seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_where_runs_of_words_end_changes_nothing(sampler: Sampler, run: int, seed: int) -> None:
    """Runs of any length, ending in the middle of tail draws too, give the draws of one long run."""
    whole = noise(sampler, 200, seed=seed)
    assert (np.abs(whole) >= 4).any()
    assert (noise(sampler, 200, seed=seed, run=run) == whole).all()


def word_for(outcome: int) -> int:
    """A word that makes the short table give this outcome."""
    return int(SHORT.table.floors[outcome]) - 1


@pytest.mark.parametrize("run", [1, 2, 3, 100])
def test_tails_go_on_by_memorylessness(run: int) -> None:
    """Beyond the reach the sign is kept, negatives are drawn again, and further reaches add up."""
    top, bottom = word_for(8), word_for(0)
    negative, two, five = word_for(3), word_for(6), word_for(5)
    script = [five, top, negative, bottom, two, bottom, top, top, negative, five, five]
    out = np.full(4, 100, dtype=np.int64)
    words = ScriptedWords(script, run=run)
    add_noise(SHORT, words, out)
    assert out.tolist() == [101, 100 + 4 + 2, 100 - (4 + 4 + 4 + 1), 101]
    assert words.read == len(script)


@pytest.mark.parametrize("run", [1, 2, 5, 100])
@pytest.mark.parametrize(("second", "last"), [(0, 2), (2**64 - 1, 3)])
def test_ties_in_the_kernel_are_handed_over_and_resumed(run: int, second: int, last: int) -> None:
    """A tie in a tail reads one more word, decides, and the next draw follows it."""
    tie = int(SHORT.table.floors[6])
    words = ScriptedWords([word_for(5), word_for(8), tie, second, word_for(5)], run=run)
    out = np.zeros(3, dtype=np.int64)
    add_noise(SHORT, words, out)
    assert out.tolist() == [1, 4 + last, 1]
    assert words.read == 5


def test_the_largest_word_is_no_special_case() -> None:
    """The guard after the last cut equals the largest word; that is settled as a tie with nothing."""
    out = np.zeros(2, dtype=np.int64)
    add_noise(SHORT, ScriptedWords([2**64 - 1, word_for(5), word_for(5)]), out)
    assert out.tolist() == [4 + 1, 1]


def test_sums_wrap_instead_of_failing() -> None:
    """Near the ends of int64 the sum is taken modulo 2^64, which spends nothing."""
    for kind in (SHORT, Reference(SHORT)):
        out = np.full(2, 2**63 - 1, dtype=np.int64)
        add_noise(kind, ScriptedWords([word_for(5), word_for(3)]), out)
        assert out.tolist() == [-(2**63), 2**63 - 2]


def test_integers_beyond_the_kernel_use_the_reference() -> None:
    """A scale whose terms exceed 62 bits is as exact as any other."""
    scale = Fraction(3 * 10**30 + 1, 10**30)
    assert CksSampler(scale).fill(np.zeros(9, dtype=np.uint64), np.zeros(3, dtype=np.int64), True) == (0, 0)
    draws = noise(CksSampler(scale), 6000)
    assert fits_laplace(draws, scale)
    assert not fits_laplace(draws, scale * WRONG)


def test_a_table_is_built_where_it_pays() -> None:
    """Small scales and long vectors use tables; few draws of a large scale, and huge scales, do not."""
    assert isinstance(sampler_for(Fraction(10), 1), TableSampler)
    assert isinstance(sampler_for(Fraction(700), 10**6), TableSampler)
    assert sampler_for(Fraction(700), 10**6) is sampler_for(Fraction(700), 10**6)
    assert isinstance(sampler_for(Fraction(700), 10), CksSampler)
    assert isinstance(sampler_for(Fraction(5000), 10**6), CksSampler)


@pytest.mark.parametrize("scale", [1, 10])
def test_opendp_draws_the_same_law(scale: int) -> None:
    """An independent, vetted exact sampler cannot be told from ours."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    theirs = np.array(dp.m.make_laplace(*space, scale=float(scale))([0] * 60_000), dtype=np.int64)
    edges = quantile_edges(Fraction(scale))
    assert same_law(noise(TableSampler.of(Fraction(scale)), 60_000), theirs, edges)
    assert not same_law(noise(TableSampler.of(scale * WRONG), 60_000), theirs, edges)
