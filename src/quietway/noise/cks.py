"""The sampler of Canonne, Kamath and Steinke: exact at any rational scale, at a cost that ignores it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quietway.noise.coins import below, flip
from quietway.noise.keystream import Words

_KERNEL_LIMIT = 2**62


@dataclass(frozen=True)
class CksSampler:
    """Discrete Laplace (signed) or geometric (unsigned) draws of the given scale.

    Source: Canonne, Kamath, Steinke (2020), Algorithm 2. The compiled kernel
    keeps the quotient and the remainder of the draw apart, so it needs no
    product and stays exact (modulo 2^64) while both terms are below 2^62.
    """

    scale: Fraction

    def fill(self, words: NDArray[np.uint64], out: NDArray[np.int64], signed: bool) -> tuple[int, int]:
        """Add noise to a prefix of `out`: how many draws were made, from how many words."""
        numerator, denominator = self.scale.as_integer_ratio()
        if max(numerator, denominator) >= _KERNEL_LIMIT:
            return 0, 0
        from quietway.noise.kernels import fill_cks

        return fill_cks(words, np.uint64(numerator), np.uint64(denominator), signed, out)

    def one(self, words: Words, signed: bool) -> int:
        """One draw by plain integers."""
        while True:
            magnitude = self._geometric(words)
            if not signed:
                return magnitude
            negative = below(words, 2) == 1
            if magnitude or not negative:
                return -magnitude if negative else magnitude

    def _geometric(self, words: Words) -> int:
        numerator, denominator = self.scale.as_integer_ratio()
        part = below(words, numerator)
        while not flip(words, part, numerator):
            part = below(words, numerator)
        whole = 0
        while flip(words, 1, 1):
            whole += 1
        return (part + numerator * whole) // denominator
