"""Uniform integers and exponential coins are exact."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quietway.noise.coins import below, flip
from quietway.noise.kernels import below as compiled_below
from quietway.noise.kernels import flip as compiled_flip

from .samples import IMPOSSIBLE, ScriptedWords, p_value


@pytest.mark.parametrize("bound", [2, 3, 10, 2**70 // 3])
def test_uniform_integers(bound: int) -> None:
    """Ten equal parts of the range (or each value) are equally likely, beyond 64 bits too."""
    words, parts = ScriptedWords(seed=3), min(bound, 10)
    hits = np.bincount([below(words, bound) * parts // bound for _ in range(4000)], minlength=parts)
    assert p_value(hits, np.full(parts, 1 / parts)) > IMPOSSIBLE


def test_the_incomplete_block_is_drawn_again() -> None:
    """With a bound of 3, the largest word stands alone in its block and is refused."""
    assert below(ScriptedWords([2**64 - 1, 7]), 3) == 1
    assert below(ScriptedWords([2**64 - 2]), 3) == 2
    assert compiled_below(np.array([2**64 - 1, 7], dtype=np.uint64), 0, np.uint64(3)) == (1, 2)


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=8), st.integers(1, 2**62))
@settings(deadline=None)
def test_compiled_uniform_reads_the_same_words(script: list[int], bound: int) -> None:
    """The kernel gives the reference's value and position, or says that the words ran out."""
    value, at = compiled_below(np.array(script, dtype=np.uint64), 0, np.uint64(bound))
    words = ScriptedWords(script)
    expected = below(words, bound)
    assert (int(value), at) == (expected, words.read) if at >= 0 else words.read > len(script)


@pytest.mark.parametrize(
    ("numerator", "denominator"), [(0, 5), (1, 7), (1, 1), (7, 5), (12, 5), (10**30, 3 * 10**30)]
)
def test_coins_have_their_probability(numerator: int, denominator: int) -> None:
    """Heads come with probability exp(-numerator / denominator)."""
    words, chance = ScriptedWords(seed=4), exp(-numerator / denominator)
    heads = sum(flip(words, numerator, denominator) for _ in range(5000))
    if numerator == 0:
        assert heads == 5000
        return
    assert p_value(np.array([heads, 5000 - heads]), np.array([chance, 1 - chance])) > IMPOSSIBLE
    wrong = chance**1.3
    assert p_value(np.array([heads, 5000 - heads]), np.array([wrong, 1 - wrong])) < IMPOSSIBLE


@given(st.integers(0, 10**6), st.integers(0, 2**60), st.integers(1, 2**60))
@settings(max_examples=200, deadline=None)
def test_compiled_coins_read_the_same_words(seed: int, numerator: int, denominator: int) -> None:
    """The kernel's coin falls like the reference's, and takes as many words."""
    words = ScriptedWords(seed=seed, run=200)
    run = words.claim()
    words.give_back(run.size)
    heads, at = compiled_flip(run, 0, np.uint64(numerator), np.uint64(denominator))
    assert (bool(heads), at) == (flip(words, numerator, denominator), words.read)
