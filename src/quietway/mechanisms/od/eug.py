"""The extended uniform grid."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from quietway.errors import ConfigError
from quietway.mechanisms.od.grid import RuledGrid

CROSSED = 10 / sqrt(2)


@dataclass(frozen=True, kw_only=True)
class ExtendedUniformGrid(RuledGrid):
    """A grid that balances noise against what queries cut through.

    A query over a share r of d dimensions, each cut in m, adds the noise of r m^d blocks, of deviation
    sqrt(2 r m^d) scale. Its border crosses 2 d (r^(1/d) m)^(d - 1) blocks, a part of whose N / m^d paths each are
    told wrongly: in proportion r^((d - 1)/d) N / (c m). The sum is least where

        m = ((2 / d) r^(1/2 - 1/d) N / (sqrt(2) c scale))^(2 / (d + 2)).

    Without `query_share` the sum is averaged over r from 0 to 1, where E sqrt(r) = 2/3 and E r^((d-1)/d) = d/(2d-1).

    Source: Shaham, Ghinita and Shahabi (2022), section 3.1. Departures: (6)
        counts the blocks along one edge of the query, not those on its
        border, which differ unless d = 2; so (8) and (13) have other factors
        and another exponent (`published` takes (13)). The sum is averaged
        over r, not its optimum. Algorithm 1 leaves r, and the paper epsilon_0
        open: none, and a hundredth. Where an axis has fewer places than m,
        the others take more parts. The noisy total is at least one.
    """

    published: bool = False
    query_share: Fraction | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.query_share is not None and not 0 < self.query_share <= 1:
            raise ConfigError(f"query_share is {self.query_share}; it must be above 0 and at most 1")

    def parts_of_axis(self, paths: float, scale: float, dimensions: int) -> float:
        """The optimum."""
        d, signal = dimensions, paths / (sqrt(2) * CROSSED * scale)
        if self.published:
            optimum = (2 * (d - 1) / d * signal) ** (2 / (3 * d - 2))
            return optimum * d * (3 * d - 2) / (3 * d**2 - 3 * d + 2)
        if self.query_share is None:
            return (3 / (2 * d - 1) * signal) ** (2 / (d + 2))
        return (2 / d * float(self.query_share) ** (1 / 2 - 1 / d) * signal) ** (2 / (d + 2))
