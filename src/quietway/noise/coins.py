"""Exact uniform integers and biased coins from words, for integers of any size.

These are the reference: `kernels` reads the same words in the same order.
"""

from __future__ import annotations

from quietway.noise.keystream import Words

_WORD_BITS = 64


def below(words: Words, bound: int) -> int:
    """A uniform integer in 0..bound-1; a bound of 1 reads no word.

    Blocks of `bound` consecutive values are folded onto 0..bound-1; the
    last, incomplete block is drawn again.
    """
    if bound == 1:
        return 0
    count = max(1, -(-(bound - 1).bit_length() // _WORD_BITS))
    while True:
        value = 0
        for _ in range(count):
            value = value << _WORD_BITS | words.word()
        remainder = value % bound
        if value - remainder + bound <= 1 << (_WORD_BITS * count):
            return remainder


def flip(words: Words, numerator: int, denominator: int) -> bool:
    """True with probability exp(-numerator / denominator): Canonne, Kamath, Steinke (2020), Algorithm 1."""
    while numerator > denominator:
        if not _flip_fraction(words, 1, 1):
            return False
        numerator -= denominator
    return _flip_fraction(words, numerator, denominator)


def _flip_fraction(words: Words, numerator: int, denominator: int) -> bool:
    """The same for an exponent of at most 1; Bernoulli(g / k) is Bernoulli(g) and one chance in k."""
    if numerator == 0:
        return True
    count = 1
    while below(words, denominator) < numerator and below(words, count) == 0:
        count += 1
    return count % 2 == 1
