"""Compiled loops over words. All in one file, as `quietway.compiled` asks.

Every kernel makes whole draws and says how many words they took. A draw that
meets a tie or the end of the words is left, unread, to the Python reference.
Words and sizes are uint64 throughout: numba turns a mix with int64 into
floats. A position of -1 means that the words ran out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quietway.compiled import compiled

Words = NDArray[np.uint64]
ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)
DIGIT_BITS = np.uint64(8)


@compiled
def look(word: np.uint64, floors: Words, guide: NDArray[np.int32], shift: np.uint64) -> int:
    """How many floors lie below the word; equality with the next one is a tie."""
    index = int(guide[word >> shift])
    while word > floors[index]:
        index += 1
    return index


@compiled
def fill_table(
    words: Words,
    floors: Words,
    guide: NDArray[np.int32],
    shift: np.uint64,
    reach: int,
    signed: bool,
    out: NDArray[np.int64],
) -> tuple[int, int]:
    """Add table draws to `out`."""
    used = 0
    for made in range(out.size):
        first, sign, offset = used, 0 if signed else 1, 0
        while True:
            if used == words.size:
                return made, first
            word = words[used]
            used += 1
            index = look(word, floors, guide, shift)
            if word == floors[index]:
                return made, first
            noise = index - reach
            if sign == 0:
                if -reach < noise < reach:
                    out[made] += noise
                    break
                sign, offset = (1 if noise > 0 else -1), reach
            elif noise >= 0:
                offset += noise
                if noise < reach:
                    out[made] += sign * offset
                    break
    return out.size, used


@compiled
def below(words: Words, at: int, bound: np.uint64) -> tuple[np.uint64, int]:
    """A uniform integer under the bound, and the position after it."""
    if bound == ONE:
        return ZERO, at
    last_block = ZERO - bound
    while at < words.size:
        word = words[at]
        at += 1
        remainder = word % bound
        if word - remainder <= last_block:
            return remainder, at
    return ZERO, -1


@compiled
def flip_fraction(words: Words, at: int, numerator: np.uint64, denominator: np.uint64) -> tuple[bool, int]:
    """Bernoulli(exp(-numerator / denominator)) for a fraction of at most 1."""
    if numerator == ZERO:
        return True, at
    count = ONE
    while True:
        value, at = below(words, at, denominator)
        if at < 0:
            return False, at
        if value >= numerator:
            break
        value, at = below(words, at, count)
        if at < 0:
            return False, at
        if value != ZERO:
            break
        count += ONE
    return (count & ONE) == ONE, at


@compiled
def flip(words: Words, at: int, numerator: np.uint64, denominator: np.uint64) -> tuple[bool, int]:
    """Bernoulli(exp(-numerator / denominator))."""
    while numerator > denominator:
        heads, at = flip_fraction(words, at, ONE, ONE)
        if at < 0 or not heads:
            return False, at
        numerator -= denominator
    return flip_fraction(words, at, numerator, denominator)


@compiled
def geometric(words: Words, at: int, numerator: np.uint64, denominator: np.uint64) -> tuple[np.uint64, int]:
    """A geometric variable of scale numerator / denominator, modulo 2^64."""
    while True:
        part, at = below(words, at, numerator)
        if at < 0:
            return ZERO, at
        heads, at = flip(words, at, part, numerator)
        if at < 0:
            return ZERO, at
        if heads:
            break
    step, rest_step = numerator // denominator, numerator % denominator
    value, rest = part // denominator, part % denominator
    while True:
        heads, at = flip_fraction(words, at, ONE, ONE)
        if at < 0 or not heads:
            return value, at
        value += step
        rest += rest_step
        if rest >= denominator:
            rest -= denominator
            value += ONE


@compiled
def fill_cks(
    words: Words, numerator: np.uint64, denominator: np.uint64, signed: bool, out: NDArray[np.int64]
) -> tuple[int, int]:
    """Add Canonne-Kamath-Steinke draws to `out`."""
    at = 0
    for made in range(out.size):
        first, negative = at, False
        while True:
            magnitude, at = geometric(words, at, numerator, denominator)
            if at >= 0 and signed:
                coin, at = below(words, at, TWO)
                negative = coin == ONE
            if at < 0:
                return made, first
            if magnitude != ZERO or not negative:
                break
        out[made] += -np.int64(magnitude) if negative else np.int64(magnitude)
    return out.size, at


@compiled
def flip_until(
    words: Words,
    order: NDArray[np.int64],
    step: int,
    losses: NDArray[np.uint64],
    denominator: np.uint64,
    keep: bool,
) -> tuple[int, int, int]:
    """Offer candidates until one is accepted with probability exp(-loss / denominator).

    With `keep`, every candidate is offered every time; without, each once, in
    a random order made on the way. Returns the candidate (-1 if none yet),
    the next step, and how many words were read.
    """
    at = 0
    while True:
        first = at
        start = 0 if keep else step
        value, at = below(words, at, np.uint64(order.size - start))
        if at < 0:
            return -1, step, first
        place = start + np.int64(value)
        candidate = int(order[place])
        heads, at = flip(words, at, losses[candidate], denominator)
        if at < 0:
            return -1, step, first
        if heads:
            return candidate, step, at
        if not keep:
            order[place] = order[step]
            order[step] = candidate
            step += 1


@compiled
def high_part(
    words: Words, at: int, head: Words, guide: NDArray[np.int32], shift: np.uint64, last: int
) -> tuple[int, int]:
    """A geometric variable by its table, or any value beyond `last` where it is beyond."""
    reach = head.size - 1
    high = 0
    while True:
        if at == words.size:
            return high, -1
        word = words[at]
        index = look(word, head, guide, shift)
        if word == head[index]:
            return high, -1
        at += 1
        high += index
        if index < reach or high > last:
            return high, at


@compiled
def low_part(
    words: Words, at: int, digits: Words, guides: NDArray[np.int32], shift: np.uint64
) -> tuple[np.uint64, int]:
    """The digits, highest first, as one number."""
    low = ZERO
    if at + digits.shape[0] > words.size:
        return low, -1
    for place in range(digits.shape[0]):
        word = words[at + place]
        index = look(word, digits[place], guides[place], shift)
        if word == digits[place, index]:
            return low, -1
        low = (low << DIGIT_BITS) | np.uint64(index)
    return low, at + digits.shape[0]


@compiled
def fill_gaps(
    words: Words,
    head: Words,
    head_guide: NDArray[np.int32],
    head_shift: np.uint64,
    digits: Words,
    digit_guides: NDArray[np.int32],
    digit_shift: np.uint64,
    start: int,
    end: int,
    out: NDArray[np.int64],
) -> tuple[int, int, int, bool]:
    """Positions of the cells from `start` to before `end` that reach the threshold.

    Returns how many were found, the words read, where to go on, and whether
    the end was passed.
    """
    low_bits = DIGIT_BITS * np.uint64(digits.shape[0])
    at = 0
    for made in range(out.size):
        first = at
        if start == end:
            return made, first, start, True
        last_high = int(np.int64(np.uint64(end - start - 1) >> low_bits))
        high, at = high_part(words, at, head, head_guide, head_shift, last_high)
        if at < 0:
            return made, first, start, False
        if high > last_high:
            return made, at, start, True
        low, at = low_part(words, at, digits, digit_guides, digit_shift)
        if at < 0:
            return made, first, start, False
        gap = (np.uint64(high) << low_bits) | low
        if gap >= np.uint64(end - start):
            return made, at, start, True
        out[made] = start + np.int64(gap)
        start = out[made] + 1
    return out.size, at, start, start == end
