"""The laws that are drawn from tables, as enclosures of their distribution functions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Protocol

from quietway.noise.bounds import (
    Interval,
    coarser,
    complement,
    exp_minus,
    plus_one,
    product,
    quotient,
    squared,
)

_GUARD_BITS = 24
DIGIT_BITS = 8
DIGIT_VALUES = 1 << DIGIT_BITS

Cuts = list[Interval]


class Law(Protocol):
    """A law on 0..n given by its n increasing cuts F(0), .., F(n-1), each strictly between 0 and 1.

    The outcome for a uniform real u is the number of cuts at or below u.
    """

    def cuts(self, bits: int) -> Cuts:
        """Enclosures of every cut at `bits` bits, narrowing as the bits grow."""
        ...


class Ratio(Protocol):
    """The ratio of a geometric law: a real number strictly between 0 and 1, to any precision."""

    def at(self, bits: int) -> Interval:
        """Its enclosure."""
        ...


@dataclass(frozen=True)
class SignedLaplace:
    """Discrete Laplace noise on -reach..reach, both ends standing for everything beyond.

    Outcome k stands for the noise k - reach. With r = exp(-1 / scale), the
    cut below zero at -j is g(j) = r^j / (1 + r), and its mirror is 1 - g(j).
    """

    scale: Fraction
    reach: int

    def cuts(self, bits: int) -> Cuts:
        """F(z) for z = -reach, .., reach - 1."""
        work = bits + _GUARD_BITS
        ratio = exp_minus(1 / self.scale, work)
        # r / (1 + r) grows with r, so each bound needs one end of r alone.
        low, high = (Interval(end, end) for end in ratio)
        first = Interval(
            quotient(low, plus_one(low, work), work).low, quotient(high, plus_one(high, work), work).high
        )
        below = [coarser(tail, _GUARD_BITS) for tail in _progression(first, ratio, self.reach, work)]
        return below[::-1] + [complement(tail, bits) for tail in below]


@dataclass(frozen=True)
class GeometricHead:
    """A geometric law, Pr(i) = (1 - ratio) ratio^i, the last outcome standing for `reach` and beyond."""

    ratio: Ratio
    reach: int

    def cuts(self, bits: int) -> Cuts:
        """F(i) = 1 - ratio^(i + 1) for i = 0, .., reach - 1."""
        work = bits + _GUARD_BITS
        ratio = self.ratio.at(work)
        tails = _progression(ratio, ratio, self.reach, work)
        return [complement(coarser(tail, _GUARD_BITS), bits) for tail in tails]


@dataclass(frozen=True)
class GeometricDigit:
    """One base-256 digit of a geometric variable: Pr(i) proportional to ratio^i on 0..255."""

    ratio: Ratio

    def cuts(self, bits: int) -> Cuts:
        """F(i) = (1 + .. + ratio^i) / (1 + .. + ratio^255).

        Sums instead of (1 - ratio^i) keep the precision where the ratio is
        almost 1. The weights decrease, so F(i) is above (i + 1) / 256 for
        certain, which settles the floor there whatever the precision.
        """
        one = Interval(1 << bits, 1 << bits)
        weights = [one, *_progression(ratio := self.ratio.at(bits), ratio, DIGIT_VALUES - 1, bits)]
        sums = [one]
        for weight in weights[1:]:
            sums.append(Interval(sums[-1].low + weight.low, sums[-1].high + weight.high))
        shares = [quotient(part, sums[-1], bits) for part in sums[:-1]]
        return [
            Interval(max(share.low, (i + 1) << (bits - DIGIT_BITS)), share.high)
            for i, share in enumerate(shares)
        ]


@dataclass(frozen=True)
class MissRatio:
    """q^(2^doublings), where q is the chance that an empty cell stays below the threshold.

    With `below`, it is the chance of a cell whose noise is known to be below that.
    """

    scale: Fraction
    threshold: int
    doublings: int = 0
    below: int | None = None

    def at(self, bits: int) -> Interval:
        """Its enclosure; each doubling costs a bit, so each brings one."""
        work = bits + self.doublings + _GUARD_BITS
        miss = misses(self.scale, self.threshold, self.below, work)
        return coarser(squared(miss, self.doublings, work), work - bits)


@lru_cache(maxsize=64)
def misses(scale: Fraction, threshold: int, below: int | None, bits: int) -> Interval:
    """Pr(Z < threshold | Z < below), where threshold < below; None stands for no bound.

    Both chances are taken times 1 + r. Where `below` is at most zero both may
    be too small to see, so their quotient, a power of r, is taken instead.
    """
    if below is not None and below <= 0:
        return exp_minus((below - threshold) / scale, bits)
    low, high = quotient(_mass_below(threshold, scale, bits), _mass_below(below, scale, bits), bits)
    return Interval(low, min(high, 1 << bits))


def _mass_below(limit: int | None, scale: Fraction, bits: int) -> Interval:
    """(1 + r) Pr(Z < limit): r^(1 - limit) up to zero, and 1 + r - r^limit from one on."""
    if limit is not None and limit <= 0:
        return exp_minus((1 - limit) / scale, bits)
    whole = plus_one(exp_minus(1 / scale, bits), bits)
    if limit is None:
        return whole
    tail = exp_minus(limit / scale, bits)
    return Interval(whole.low - tail.high, whole.high - tail.low)


def _progression(first: Interval, ratio: Interval, count: int, bits: int) -> Cuts:
    terms = [first]
    for _ in range(count - 1):
        terms.append(product(terms[-1], ratio, bits))
    return terms
