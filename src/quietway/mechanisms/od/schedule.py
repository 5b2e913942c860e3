"""How a budget is divided among the levels of a tree that splits one axis after another."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from quietway.budget import cube_root

FINEST_SHARE = 10_000


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """`spent[i]` is what has been paid on the way to depth i, beyond the root's count; the last is all there is.

    A node is paid for by the depths it came down: what a level that is left
    out would have cost goes to the next one.
    """

    spent: tuple[Fraction, ...]

    @classmethod
    def geometric(cls, epsilon: Fraction, levels: int, fan_out: int) -> Schedule:
        """Shares that minimise the noise of all levels if every node has so many children.

        Source: Shaham, Ghinita and Shahabi (2022), equation (32), over what is
            left after the root's count. Departures: Algorithms 2 and 3 put all
            of epsilon there, which gives the leaves too little or nothing; a
            fan-out of one makes 0/0 of the closed form, so the sum is taken.
        """
        shares = cube_root(epsilon, [fan_out**level for level in range(1, levels + 1)])
        return cls(spent=tuple(accumulate(shares, initial=Fraction(0))))

    @property
    def levels(self) -> int:
        """How deep the tree may be."""
        return len(self.spent) - 1

    def between(self, above: int, below: int) -> Fraction:
        """What coming down from one depth to another costs."""
        return self.spent[below] - self.spent[above]

    def left(self, depth: int) -> Fraction:
        """What a node at this depth has still to spend."""
        return self.between(depth, self.levels)

    def scales_left(self, sensitivity: int) -> NDArray[np.float64]:
        """The scale of noise that all of what is left would have, at each depth; infinite at the last."""
        return np.array(
            [float(sensitivity / self.left(depth)) for depth in range(self.levels)] + [np.inf],
            dtype=np.float64,
        )
