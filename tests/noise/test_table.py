"""Tables decide by one word, and settle ties exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quietway.noise.bounds import Interval
from quietway.noise.laws import SignedLaplace
from quietway.noise.table import Table, certified_floors

from .samples import ScriptedWords
from .test_laws import exp_rational

LARGEST = 2**64 - 1
TABLE = Table.of(SignedLaplace(Fraction(3, 2), 16))


def expansion(index: int, words: int) -> int:
    """The cut's first `words` words, as one integer."""
    cut = TABLE.law.cuts(64 * words + 128)[index]
    assert cut.low >> 128 == cut.high >> 128
    return cut.low >> 128


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(5), Fraction(50)])
def test_floors_agree_with_rational_arithmetic(scale: Fraction) -> None:
    """Certified floors equal those of a 700-bit rational computation that shares no code."""
    reach, ratio = 40, exp_rational(1 / scale)
    tails = [ratio**j / (1 + ratio) for j in range(reach, 0, -1)]
    exact = tails + [1 - tail for tail in reversed(tails)]
    assert certified_floors(SignedLaplace(scale, reach)) == [int(cut * 2**64) for cut in exact]


def test_floors_are_refined_until_they_are_proved() -> None:
    """A cut whose first 192 bits cannot tell two floors apart is asked for again, more finely."""

    class Close:
        """A cut just above 2^-1, by 2^-300."""

        asked: ClassVar[list[int]] = []

        def cuts(self, bits: int) -> list[Interval]:
            self.asked.append(bits)
            exact = (2**299 + 1) * Fraction(2**bits, 2**300)
            return [Interval(int(exact) - 1, int(exact) + 2)]

    assert certified_floors(Close()) == [2**63]
    assert Close.asked == [192, 384]


@given(st.integers(0, LARGEST))
@settings(deadline=None)
def test_a_word_that_ties_with_nothing_decides_alone(word: int) -> None:
    """The outcome is the number of cuts passed, and no second word is read."""
    floors = TABLE.floors[:-1].tolist()
    if word in floors:
        return
    words = ScriptedWords([word])
    assert TABLE.draw(words) == sum(floor < word for floor in floors)
    assert words.read == 1


@pytest.mark.parametrize("index", [0, 5, 16, 31])
@pytest.mark.parametrize("depth", [2, 3, 5])
@pytest.mark.parametrize(("step", "passed"), [(-1, 0), (1, 1)])
def test_ties_follow_the_words_below_and_above(index: int, depth: int, step: int, passed: int) -> None:
    """A word equal to a floor is settled by the first later word that differs from the cut's expansion."""
    digits = expansion(index, depth) + step
    script = [digits >> 64 * place & LARGEST for place in reversed(range(depth))]
    assert script[0] == int(TABLE.floors[index])
    words = ScriptedWords(script)
    assert TABLE.draw(words) == index + passed
    assert words.read <= depth + 1


def test_several_cuts_can_tie_at_once() -> None:
    """At a scale of 1/100 every cut below zero has floor 0; the next words still tell them apart."""
    table = Table.of(SignedLaplace(Fraction(1, 100), 4))
    assert table.floors.tolist() == [0] * 4 + [LARGEST] * 5
    assert table.draw(ScriptedWords([0, 0, 1])) == 3
    assert table.draw(ScriptedWords([0] * 40)) == 0
    assert table.draw(ScriptedWords([LARGEST, LARGEST, 0])) == 4
    assert table.draw(ScriptedWords([LARGEST] * 40)) == 8


def test_the_guide_never_skips_a_floor() -> None:
    """Every guide entry counts the floors below all words that start with it, for coarse and fine guides."""
    for bits in (8, 12, 16):
        table = Table.of(TABLE.law, guide_bits=bits)
        for lead in range(0, 2**bits, 37):
            least = lead << int(table.shift)
            assert table.guide[lead] == sum(floor < least for floor in table.floors[:-1].tolist())
    assert TABLE.guide.dtype == np.int32
