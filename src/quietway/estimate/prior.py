"""What is held of the cells before anything is measured: public structure alone, and how to choose by noisy margins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.dispersion import best_likelihood
from quietway.estimate.solution import Floats, sums
from quietway.measurement import Measurement
from quietway.universe import Universe
from quietway.universe.ends import endpoints

REACHES = (3.0, 1.0, 0.5, 0.3, 0.2, 0.1)
DOUBT = 0.1
KM_PER_DEGREE = 111.2


@dataclass(frozen=True, kw_only=True, eq=False)
class Background:
    """Public knowledge of a universe's cells.

    `places` are longitude and latitude of an axis's elements; `keys` and
    `counts` a public table or an earlier release, if there is one.
    """

    universe: Universe
    kind: str = "uniform"
    places: dict[str, Floats]
    keys: NDArray[np.int64] | None = None
    counts: NDArray[np.int64] | None = None

    def guesses(self) -> Iterator[tuple[str, Floats]]:
        """Relative expectations of the cells, each with the words for it."""
        yield "even", np.ones(self.universe.size)
        if self.kind != "uniform":
            yield from self._by_distance()

    def _by_distance(self) -> Iterator[tuple[str, Floats]]:
        """Trips thin out with distance; by how much is for the margins to tell."""
        ends = endpoints(self.universe)
        if ends is None or not set(ends) <= self.places.keys():
            return
        distance = kilometres(self.places[ends[0]], self.places[ends[1]])
        usual = float(np.median(distance)) or 1.0
        for reach in REACHES:
            pairs = np.exp(-distance / (reach * usual))
            words = f"falling by a factor e with every {reach * usual:.3g} km"
            yield words, _over_cells(pairs, self.universe, ends)

    def known(self) -> Floats | None:
        """Relative expectations by the public table, with some doubt."""
        if self.keys is None or self.counts is None:
            return None
        cells = np.full(self.universe.size, DOUBT / self.universe.size)
        cells[self.keys] += (1 - DOUBT) * self.counts / max(1, int(self.counts.sum()))
        return cells


Labelled = tuple[Measurement, NDArray[np.int32]]


def expectation(background: Background, trips: float, telling: Sequence[Labelled]) -> tuple[str, Floats]:
    """The cells' expectations before the margins: the guess under which those that can tell are likeliest."""
    known = background.known()
    if known is not None:
        return "the public table", known * (trips / known.sum())
    found = [(words, guess * (trips / guess.sum())) for words, guess in background.guesses()]
    return max(found, key=lambda guess: sum(_likelihood(guess[1], *margin) for margin in telling))


def _likelihood(cells: Floats, margin: Measurement, label: NDArray[np.int32]) -> float:
    return best_likelihood(sums(label, cells, margin.partition.blocks), margin.noisy, margin.variance)


def kilometres(here: Floats, there: Floats) -> Floats:
    """Distances between points of longitude and latitude, near enough over a city."""
    flat = np.cos(np.radians(np.mean(np.r_[here[:, 1], there[:, 1]])))
    east = (here[:, None, 0] - there[None, :, 0]) * flat
    north = here[:, None, 1] - there[None, :, 1]
    return KM_PER_DEGREE * np.hypot(east, north)


def _over_cells(pairs: Floats, universe: Universe, ends: tuple[str, str]) -> Floats:
    """A value per origin and destination, for every cell."""
    first, second = (universe.position(end) for end in ends)
    if first > second:
        pairs = pairs.T
    shape = [size if i in (first, second) else 1 for i, size in enumerate(universe.shape)]
    return np.broadcast_to(pairs.reshape(shape), universe.shape).ravel()
