"""Selections have the probabilities that their privacy proofs assume."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from math import exp

import numpy as np
import pytest
from numpy.typing import NDArray

from quietway.noise.keystream import Words
from quietway.noise.selection import exponential, permute_and_flip

from .samples import IMPOSSIBLE, ScriptedWords, p_value

RUNS = 20_000
CASES = [([0, 1, 2], Fraction(2)), ([5, 5, 5, 3], Fraction(1)), ([-7, 0, -1, 2], Fraction(7, 3))]

Mechanism = Callable[[Words, NDArray[np.int64], Fraction], int]
SelectionLaw = Callable[[list[int], Fraction], NDArray[np.float64]]


def exponential_law(scores: list[int], scale: Fraction) -> NDArray[np.float64]:
    """Probabilities of the exponential mechanism."""
    weights = np.exp((np.array(scores) - max(scores)) / float(scale))
    return weights / weights.sum()


def permute_and_flip_law(scores: list[int], scale: Fraction) -> NDArray[np.float64]:
    """Probabilities of permute-and-flip, by enumeration of every order."""
    orders = list(permutations(range(len(scores))))
    law = np.zeros(len(scores))
    for order in orders:
        left = 1 / len(orders)
        for candidate in order:
            accept = exp((scores[candidate] - max(scores)) / float(scale))
            law[candidate] += left * accept
            left *= 1 - accept
    return law


def tally(mechanism: Mechanism, scores: list[int], scale: Fraction, *, runs: int = RUNS) -> NDArray[np.int64]:
    """How often each candidate comes out."""
    words, values = ScriptedWords(seed=11, run=500), np.array(scores, dtype=np.int64)
    return np.bincount([mechanism(words, values, scale) for _ in range(runs)], minlength=len(scores))


@pytest.mark.parametrize(("scores", "scale"), CASES)
@pytest.mark.parametrize(
    ("mechanism", "law"), [(permute_and_flip, permute_and_flip_law), (exponential, exponential_law)]
)
def test_selections_have_their_law(
    mechanism: Mechanism, law: SelectionLaw, scores: list[int], scale: Fraction
) -> None:
    """Observed frequencies fit the enumerated law, and not that of a scale 30 % off."""
    found = tally(mechanism, scores, scale)
    assert p_value(found, law(scores, scale)) > IMPOSSIBLE
    assert p_value(found, law(scores, scale * Fraction(13, 10))) < IMPOSSIBLE


@pytest.mark.parametrize("mechanism", [permute_and_flip, exponential])
def test_a_lone_candidate_is_always_taken(mechanism: Mechanism) -> None:
    """One candidate needs no randomness at all."""
    words = ScriptedWords()
    assert mechanism(words, np.array([-5]), Fraction(1)) == 0
    assert words.read == 0


@pytest.mark.parametrize("mechanism", [permute_and_flip, exponential])
def test_huge_integers_take_the_reference_with_the_same_law(mechanism: Mechanism) -> None:
    """A scale with terms beyond 62 bits selects as its small neighbour does."""
    law = permute_and_flip_law if mechanism is permute_and_flip else exponential_law
    found = tally(mechanism, [0, 1, 2], Fraction(2 * 10**30 + 1, 10**30), runs=4000)
    assert p_value(found, law([0, 1, 2], Fraction(2))) > IMPOSSIBLE


@pytest.mark.parametrize("mechanism", [permute_and_flip, exponential])
@pytest.mark.parametrize("run", [1, 2, 3, 17])
def test_where_runs_end_changes_no_selection(mechanism: Mechanism, run: int) -> None:
    """The candidates are those of one long run of words."""
    values, scale = np.arange(30, dtype=np.int64) % 7, Fraction(5, 2)
    long, short = ScriptedWords(seed=5), ScriptedWords(seed=5, run=run)
    picks = [mechanism(long, values, scale) for _ in range(60)]
    assert picks == [mechanism(short, values, scale) for _ in range(60)]
    assert len(set(picks)) > 3


@pytest.mark.parametrize("mechanism", [permute_and_flip, exponential])
def test_scores_at_the_ends_of_int64(mechanism: Mechanism) -> None:
    """The largest possible gap between scores overflows nothing."""
    values = np.array([-(2**63), 2**63 - 1, -(2**63)], dtype=np.int64)
    assert mechanism(ScriptedWords(), values, Fraction(1)) == 1


@pytest.mark.parametrize("mechanism", [permute_and_flip, exponential])
def test_many_candidates(mechanism: Mechanism) -> None:
    """One clear winner among a hundred thousand is found."""
    values = np.zeros(100_000, dtype=np.int64)
    values[77_777] = 1000
    assert mechanism(ScriptedWords(run=2**15), values, Fraction(10)) == 77_777
