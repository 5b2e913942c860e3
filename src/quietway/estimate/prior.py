"""What is held of the cells before anything is measured: public structure alone, and how to choose by noisy margins."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.dispersion import best_likelihood
from quietway.estimate.solution import Floats, sums
from quietway.measurement import Measurement
from quietway.universe import Partition, Universe
from quietway.universe.ends import endpoints

REACHES = (3.0, 1.0, 0.5, 0.3, 0.2, 0.1)
DOUBT = 0.1
KM_PER_DEGREE = 111.2


@dataclass(frozen=True, kw_only=True, eq=False)
class PublicTable:
    """What is publicly held of some blocks of a partition, in any unit; of the others, that nobody goes there."""

    partition: Partition
    blocks: NDArray[np.int64]
    values: Floats

    @property
    def digest(self) -> str:
        """What tells this table from others."""
        whole = hashlib.sha256(repr([rule.axes for rule in self.partition.rules]).encode())
        for part in (self.blocks, self.values):
            whole.update(np.ascontiguousarray(part).tobytes())
        return whole.hexdigest()

    def over_cells(self, doubt: float) -> Floats:
        """A share of every cell, the blocks' evenly within; `doubt` of all is spread evenly over everything."""
        within = np.zeros(self.partition.blocks)
        within[self.blocks] = self.values / self.partition.sizes()[self.blocks]
        return (
            doubt / self.partition.universe.size
            + (1 - doubt) / self.values.sum() * within[self.partition.labels()]
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Background:
    """Public knowledge of a universe's cells.

    `kind` is "uniform", "gravity", or "table" for a public table or an earlier
    release; `places` are longitude and latitude of an axis's elements.
    """

    universe: Universe
    kind: str
    places: Mapping[str, Floats]
    table: PublicTable | None = None

    def guesses(self) -> Iterator[tuple[str, Floats]]:
        """Relative expectations of the cells, each with the words for it."""
        if self.table is not None:
            yield "the public table", self.table.over_cells(DOUBT)
            return
        yield "even", np.ones(self.universe.size)
        if self.kind == "gravity":
            yield from self._by_distance()

    def _by_distance(self) -> Iterator[tuple[str, Floats]]:
        """Trips thin out with distance; by how much is for the margins to tell."""
        ends = located_ends(self.universe, self.places)
        if ends is None:
            return
        distance = distances(self.places[ends[0]], self.places[ends[1]])
        usual = float(np.median(distance)) or 1.0
        for reach in REACHES:
            pairs = np.exp(-distance / (reach * usual))
            pairs = DOUBT / pairs.size + (1 - DOUBT) * pairs / pairs.sum()
            words = f"falling by a factor e with every {reach * usual:.3g} km"
            yield words, _over_cells(pairs, self.universe, ends)


Labelled = tuple[Measurement, NDArray[np.int32]]


def expectation(background: Background, trips: float, telling: Sequence[Labelled]) -> tuple[str, Floats]:
    """The cells' expectations before the margins: the guess under which those that can tell are likeliest."""
    found = [(words, guess * (trips / guess.sum())) for words, guess in background.guesses()]
    return max(found, key=lambda guess: sum(_likelihood(guess[1], *margin) for margin in telling))


def _likelihood(cells: Floats, margin: Measurement, label: NDArray[np.int32]) -> float:
    return best_likelihood(sums(label, cells, margin.partition.blocks), margin.noisy, margin.variance)


def located_ends(universe: Universe, places: Mapping[str, Floats]) -> tuple[str, str] | None:
    """The axes trips go from and to, if it is known where their places are."""
    ends = endpoints(universe)
    return ends if ends is not None and set(ends) <= places.keys() else None


def distances(here: Floats, there: Floats) -> Floats:
    """Kilometres between points of longitude and latitude, near enough over a city."""
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
