"""The cuts of each law enclose its distribution function."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, pairwise

import pytest

from quietway.noise.bounds import Interval
from quietway.noise.laws import GeometricDigit, GeometricHead, Law, MissRatio, SignedLaplace, misses

HUNDRED = 100


def exp_rational(x: Fraction) -> Fraction:
    """exp(-x) to far more digits than the cuts carry."""
    parts = max(1, -(-x.numerator // x.denominator))
    term = total = Fraction(1)
    for count in range(1, HUNDRED):
        term = -term * (x / parts) / count
        total += term
    return Fraction(round(total**parts * 2**700), 2**700)


def encloses(cuts: list[Interval], exact: list[Fraction], bits: int) -> bool:
    """Whether each exact value lies inside its cut."""
    return len(cuts) == len(exact) and all(
        cut.low <= value * 2**bits <= cut.high for cut, value in zip(cuts, exact, strict=True)
    )


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(20)])
@pytest.mark.parametrize("bits", [64, 192, 400])
def test_signed_laplace(scale: Fraction, bits: int) -> None:
    """The cuts are the sums of the masses, lumped at both ends."""
    reach, ratio = 12, exp_rational(1 / scale)
    masses = [(1 - ratio) / (1 + ratio) * ratio ** abs(z) for z in range(-reach + 1, reach)]
    exact = list(accumulate(masses, initial=ratio**reach / (1 + ratio)))
    assert encloses(SignedLaplace(scale, reach).cuts(bits), exact, bits)


@pytest.mark.parametrize("doublings", [0, 8, 16])
def test_geometric_parts(doublings: int) -> None:
    """Head and digit of a gap have the ratio q^(2^doublings)."""
    bits, ratio = 192, MissRatio(Fraction(3), 20, doublings)
    grown = exp_rational(Fraction(1, 3))
    q = Fraction(round((1 - grown**20 / (1 + grown)) * 2**500), 2**500)
    for _ in range(doublings):
        q = Fraction(round(q * q * 2**500), 2**500)
    head = [1 - q ** (i + 1) for i in range(20)]
    assert encloses(GeometricHead(ratio, 20).cuts(bits), head, bits)
    digit = [(1 - q ** (i + 1)) / (1 - q**256) for i in (0, 1, 100, 254)]
    cuts = GeometricDigit(ratio).cuts(bits)
    assert len(cuts) == 255
    assert encloses([cuts[i] for i in (0, 1, 100, 254)], digit, bits)


@pytest.mark.parametrize(
    "law",
    [
        SignedLaplace(Fraction(1, 100), 4),
        SignedLaplace(Fraction(5), 40),
        GeometricHead(MissRatio(Fraction(2), 1), 30),
        GeometricDigit(MissRatio(Fraction(1), 1000)),
        GeometricDigit(MissRatio(Fraction(1), 10, 40)),
    ],
    ids=repr,
)
def test_cuts_narrow_and_never_cross(law: Law) -> None:
    """More bits give enclosures within the coarser ones, in increasing order."""
    coarse, fine = law.cuts(192), law.cuts(256)
    for wide, narrow in zip(coarse, fine, strict=True):
        assert wide.low << 64 <= narrow.high
        assert narrow.low <= wide.high << 64
        assert wide.high - wide.low < 2**80
        assert narrow.high - narrow.low < 2**80
    assert all(left.low <= right.high for left, right in pairwise(fine))


def test_the_chance_to_reach_one_is_just_below_a_half() -> None:
    """As the scale grows, half of the noise is at least 1, less the mass at zero."""
    low, high = misses(Fraction(10**6), 1, None, 64)
    assert Fraction(1, 2) < Fraction(low, 2**64) <= Fraction(high, 2**64) < Fraction(500_001, 10**6)
