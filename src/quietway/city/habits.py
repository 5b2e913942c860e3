"""Where and when invented people travel, drawn axis by axis from the public shape of a universe."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quietway.city.apportion import integer_weights
from quietway.city.days import DAYS, PERIODS
from quietway.city.draws import Draws
from quietway.errors import InputError

if TYPE_CHECKING:
    from quietway.universe import Universe
    from quietway.universe.axis import Axis

_CLOCK = re.compile(r"(?<!\d)([01]?\d|2[0-4]):([0-5]\d)")
_CANDIDATES = 16


@dataclass(frozen=True, kw_only=True, eq=False)
class Habits:
    """How to draw each axis. Positions are of axes in the universe.

    `mirrored` axes hold the stages of one trip (origin to destination), which
    a trip back visits in reverse; `clocks` holds a weight per period of the day.
    """

    sizes: tuple[int, ...]
    places: Mapping[int, NDArray[np.float64]]
    clocks: Mapping[int, NDArray[np.int64]]
    mirrored: tuple[int, ...]

    @classmethod
    def over(cls, universe: Universe, places: Mapping[str, NDArray[np.float64]]) -> Habits:
        """What the names, labels and coordinates of a universe suggest."""
        checked = {universe.position(name): _checked(universe.axis(name), at) for name, at in places.items()}
        located = {i: at for i, at in checked.items() if np.isfinite(at).all(axis=1).any()}
        clocks = {i: _day_weights(axis) for i, axis in enumerate(universe.axes) if _tells_time(axis)}
        return cls(
            sizes=universe.shape,
            places=located,
            clocks={i: weights for i, weights in clocks.items() if i not in located},
            mirrored=_alike([(axis.size, axis.labels) for axis in universe.axes], set(clocks) - set(located)),
        )

    def draw(self, user: NDArray[np.int64], draws: Draws) -> tuple[NDArray[np.int64], ...]:
        """One index array per axis, for trips of the given users (numbered from 0, in order)."""
        people = int(user[-1]) + 1 if user.size else 0
        turn = np.arange(user.size) - np.searchsorted(user, user, side="left")
        habit = self._draw_habits(people, draws)
        columns = [
            self._draw_times(i, user, draws) if i in self.clocks else habit[self._stage(i, turn), user]
            for i in range(len(self.sizes))
        ]
        return tuple(columns)

    def _draw_habits(self, people: int, draws: Draws) -> NDArray[np.int64]:
        """A row per axis, a column per person: what does not change from trip to trip."""
        habit = np.zeros((len(self.sizes), people), dtype=np.int64)
        before: int | None = None
        for i, size in enumerate(self.sizes):
            if i in self.places and before is not None:
                habit[i] = _near(self.places[i], self.places[before][habit[before]], draws)
            else:
                habit[i] = _zipf(size, people, draws)
            before = i if i in self.places else before
        return habit

    def _stage(self, axis: int, turn: NDArray[np.int64]) -> NDArray[np.int64]:
        """Which axis of the habit stands here: every second trip goes back."""
        if axis not in self.mirrored:
            return np.full(turn.size, axis)
        back = self.mirrored[-1 - self.mirrored.index(axis)]
        return np.where(turn % 2 == 1, back, axis)

    def _draw_times(self, axis: int, user: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """Periods of the day, in order for each user."""
        period = draws.pick(self.clocks[axis], user.size)
        return period[np.lexsort((period, user))]


def _alike(shapes: list[tuple[int, tuple[str, ...] | None]], clocks: set[int]) -> tuple[int, ...]:
    """The first axes that range over the same elements: the stages of a trip."""
    for i, shape in enumerate(shapes):
        same = tuple(j for j in range(i, len(shapes)) if shapes[j] == shape and j not in clocks)
        if len(same) > 1:
            return same
    return ()


def _checked(axis: Axis, at: NDArray[np.float64]) -> NDArray[np.float64]:
    if at.shape != (axis.size, 2):
        raise InputError(f"places of axis '{axis.name}' must be a longitude and a latitude for each element")
    return at


def _tells_time(axis: Axis) -> bool:
    return axis.labels is not None and axis.size > 1 and all(_CLOCK.search(label) for label in axis.labels)


def _day_weights(axis: Axis) -> NDArray[np.int64]:
    """How busy each period usually is, by the time its label names first."""
    clock = [_CLOCK.search(label) for label in axis.labels or ()]
    hours = np.array([int(at[1]) + int(at[2]) / 60 for at in clock if at])
    profile = np.array(DAYS["weekday"].profile, dtype=np.float64)
    weights = np.interp(hours, np.arange(PERIODS) * (24.0 / PERIODS), profile, period=24.0)
    return np.maximum(integer_weights(weights), 1)


def _zipf(size: int, draws_wanted: int, draws: Draws) -> NDArray[np.int64]:
    """Elements of rank r with probability log(1 + 1/r) / log(size + 1), without listing them.

    Ranks are scattered over the axis by a fixed bijection, so that popular
    elements are not neighbours, and the same ones are popular on like axes.
    """
    rank = np.minimum((size + 1.0) ** draws.uniform(draws_wanted), size).astype(np.int64) - 1
    return rank * _coprime(size) % size


def _coprime(size: int) -> int:
    """A multiplier near the golden section of the size, small enough not to overflow."""
    step = max(1, min(int(size * 0.618), 2**62 // size))
    while gcd(step, size) > 1:
        step -= 1
    return step


def _near(places: NDArray[np.float64], origin: NDArray[np.float64], draws: Draws) -> NDArray[np.int64]:
    """Popular places, preferring near ones: one of a few candidates, weighted by gravity.

    Choosing among candidates costs the same however many places there are.
    """
    candidates = _zipf(len(places), origin.shape[0] * _CANDIDATES, draws).reshape(-1, _CANDIDATES)
    ends = np.cumsum(_pull(places, candidates, origin), axis=1)
    at = draws.uniform(origin.shape[0])[:, None] * ends[:, -1:]
    choice = np.minimum((ends <= at).sum(axis=1), _CANDIDATES - 1)
    return np.take_along_axis(candidates, choice[:, None], axis=1)[:, 0]


def _pull(
    places: NDArray[np.float64], candidates: NDArray[np.int64], origin: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Gravity that falls to a half at a third of the spread of the places, and is slight on the spot."""
    narrowing = np.array([np.cos(np.radians(np.nanmean(places[:, 1]))), 1.0])
    spread = np.nanvar(places * narrowing, axis=0).sum() / 9.0 + 1e-12
    squared = (((places[candidates] - origin[:, None]) * narrowing) ** 2).sum(axis=2) / spread
    pull = np.where(squared > 0.0, 1.0 / (1.0 + squared), 0.01)
    return np.where(np.isnan(squared), 0.5, pull)
