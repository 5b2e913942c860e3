"""DAF-Homogeneity: cuts chosen so that paths are spread evenly within the parts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from quietway.errors import ConfigError
from quietway.mechanisms.od.candidates import scattered
from quietway.mechanisms.od.cutting import Cuts, numbered
from quietway.mechanisms.od.density import DensityAware, Ints
from quietway.mechanisms.od.growing import Growth
from quietway.mechanisms.od.kernels import GRID, unevenness
from quietway.noise import NoiseSource

RULES = ("permute-and-flip", "exponential")


@dataclass(frozen=True, kw_only=True)
class DafHomogeneity(DensityAware):
    """The density-aware framework with cuts chosen among candidates.

    A candidate's unevenness is the sum, over the places along the axis that is cut, of how far a place's paths are
    from the mean of its part. A path more moves it by 2 - 2 / width at most, so on a grid of 1/1024, rounded down
    part by part, by at most 2048 steps, in exact integers.

    Privacy: as the framework, with `share` of each level's part for choosing.
        Scores move by 2048 steps for every path that moves, so a choice for
        epsilon has scale 2 * 2048 * sensitivity / epsilon. Nodes of a level
        are disjoint, and their scores move by no more than their own paths.
    Source: Shaham, Ghinita and Shahabi (2022), Algorithm 3. Departures, beside
        those of Algorithm 2: one candidate is chosen by permute-and-flip or
        the exponential mechanism, because scores with the printed noise of
        scale 2 / (p epsilon) cost 2 p times epsilon and more; every choice is
        paid, the root's too; it is bought after a node is known to go on, not
        before; m parts have m - 1 cuts; and a score is that of the node's
        counts along one axis, since of single cells, nearly all of which are
        empty, it is the same for any cuts. The number of candidates is 8.
    """

    share: Fraction = Fraction(3, 10)
    candidates: int = 8
    rule: str = "permute-and-flip"

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise ConfigError(f"the share for choosing cuts is {self.share}; it must be between 0 and 1")
        if self.candidates < 1:
            raise ConfigError(f"there are {self.candidates} candidates; give 1 or more")
        if self.rule not in RULES:
            raise ConfigError(f"the rule of choice is '{self.rule}'; it may be {' or '.join(RULES)}")
        super().__post_init__()

    @property
    def name(self) -> str:
        """What the boxes are called."""
        return "daf-homogeneity"

    @property
    def share_of_cuts(self) -> Fraction:
        """How much of a level's share is for choosing where to cut."""
        return self.share

    def cuts(
        self, growth: Growth, which: Ints, axis: Ints, parts: Ints, paid: list[Fraction], *, rng: NoiseSource
    ) -> Cuts:
        """For each node the chosen one of its candidates."""
        low, high = growth.low[which, axis], growth.high[which, axis]
        offered = [scattered(growth.nodes[which], low, high, parts, i) for i in range(self.candidates)]
        places, offsets = np.stack([cuts.places for cuts in offered]), offered[0].offsets
        scores = -self._unevenness(growth, which, axis, places, offsets)
        chosen = self._chosen(scores, paid, parts, rng=rng)
        box, _ = numbered(parts - 1)
        return Cuts(places[chosen[box], np.arange(len(box))], offsets)

    def _unevenness(self, growth: Growth, which: Ints, axis: Ints, places: Ints, offsets: Ints) -> Ints:
        return unevenness(
            growth.points,
            growth.starts[which],
            growth.starts[which + 1],
            axis,
            growth.low[which, axis].astype(np.int64),
            growth.high[which, axis].astype(np.int64),
            places,
            offsets,
        )

    def _chosen(self, scores: Ints, paid: list[Fraction], parts: Ints, *, rng: NoiseSource) -> Ints:
        """Which candidate each node takes. One part needs no choice."""
        choose = rng.select if self.rule == "permute-and-flip" else rng.choose
        moved = 2 * GRID * self.unit.sensitivity
        chosen = np.zeros(len(scores), dtype=np.int64)
        for node in np.flatnonzero(parts > 1):
            chosen[node] = choose(scores[node], 2 * moved / paid[node])
        return chosen
