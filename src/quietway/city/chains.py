"""Who made which trips: links trips into days that one person could have lived.

A trip may be followed by one that starts where it ended, after it ended. Links
are made in rounds over whole groups at once: in each, every chain is dealt one
role, to be continued or to continue another, so no link can conflict.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quietway.city.draws import Draws

HOUR = 3600


@dataclass(frozen=True, kw_only=True, eq=False)
class Journeys:
    """Trips with seconds of the day at which they start and end."""

    origin: NDArray[np.int64]
    destination: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Chains:
    """Disjoint sequences of trips: the first and last of each, and who belongs where."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    of_trip: NDArray[np.int64]

    def join(self, leaders: NDArray[np.int64], followers: NDArray[np.int64]) -> _Chains:
        """Let each follower continue its leader."""
        last = self.last.copy()
        last[leaders] = self.last[followers]
        keep = np.ones(self.first.size, dtype=np.bool_)
        keep[followers] = False
        number = np.cumsum(keep) - 1
        number[followers] = number[leaders]
        return _Chains(self.first[keep], last[keep], number[self.of_trip])


def link_into_days(trips: Journeys, draws: Draws) -> NDArray[np.int64]:
    """A person number for each trip: most make two, some one, a few up to eight."""
    each = np.arange(trips.starts.size)
    chains = _Chains(each, each, each)
    for _ in range(4):
        chains = _link_returns(trips, chains, draws)
    for share in (0.35, 0.35):
        chains = _link_onward(trips, chains, share, draws)
    return chains.of_trip


def _link_returns(trips: Journeys, chains: _Chains, draws: Draws) -> _Chains:
    """Single trips out are followed by single trips back, after a class or a day's work."""
    single = np.flatnonzero(chains.first == chains.last)
    trip = chains.first[single]
    lead = draws.uniform(single.size) < np.clip((17 * HOUR - trips.starts[trip]) / (9 * HOUR), 0.1, 0.9)
    place = int(trips.origin.max() + trips.destination.max()) + 1
    outward = trips.origin[trip] * place + trips.destination[trip]
    inward = trips.destination[trip] * place + trips.origin[trip]
    stay = _stay(trip.size, draws)
    opens, closes = match_in_turn(
        outward[lead], trips.ends[trip[lead]] + stay[lead], inward[~lead], trips.starts[trip[~lead]]
    )
    return chains.join(single[lead][opens], single[~lead][closes])


def _stay(size: int, draws: Draws) -> NDArray[np.int64]:
    """One to four hours for a class, or seven to nine for a working day."""
    work = draws.uniform(size) < 0.4
    return np.where(work, 7 * HOUR + draws.below(2 * HOUR, size), HOUR + draws.below(3 * HOUR, size))


def _link_onward(trips: Journeys, chains: _Chains, share: float, draws: Draws) -> _Chains:
    """Some chains are followed by another that starts where they ended."""
    role = draws.uniform(chains.first.size)
    lead, follow = np.flatnonzero(role < share), np.flatnonzero(role >= 1.0 - share)
    stay = HOUR // 4 + draws.below(2 * HOUR, lead.size)
    opens, closes = match_in_turn(
        trips.destination[chains.last[lead]],
        trips.ends[chains.last[lead]] + stay,
        trips.origin[chains.first[follow]],
        trips.starts[chains.first[follow]],
    )
    return chains.join(lead[opens], follow[closes])


def match_in_turn(
    open_key: NDArray[np.int64],
    ready: NDArray[np.int64],
    close_key: NDArray[np.int64],
    leaves: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pair those who are ready with departures of the same key that come no earlier.

    First come, first served: the k-th departure that finds someone waiting takes the
    k-th who became ready. Returns the positions of both, pair by pair.
    """
    key = np.concatenate((open_key, close_key))
    closing = np.arange(key.size) >= open_key.size
    order = np.lexsort((closing, np.concatenate((ready, leaves)), key))
    served = np.zeros(key.size, dtype=np.bool_)
    served[order] = closing[order] & ~_finds_nobody(key[order], closing[order])
    closes = order[served[order]]
    opens = order[~closing[order]]
    taken = _rank_within(key[opens]) < _how_many(key[closes], key[opens])
    return opens[taken], closes - open_key.size


def _finds_nobody(key: NDArray[np.int64], closing: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Departures with nobody left waiting: where the running balance of its key sinks to a new low."""
    balance = np.cumsum(np.where(closing, -1, 1))
    starts = np.concatenate(([True], key[1:] != key[:-1]))[: key.size]
    before = np.where(starts, balance - np.where(closing, -1, 1), 0)
    group = np.cumsum(starts) - 1
    within = balance - before[starts][group]
    # Each group is pushed below all earlier ones, so that one running minimum serves for all.
    depth = 2 * key.size + 2
    floor = np.minimum.accumulate(np.minimum(within, 0) - group * depth)
    previous = np.where(starts, 0, np.roll(floor, 1) + group * depth)
    return closing & (within < previous)


def _rank_within(key: NDArray[np.int64]) -> NDArray[np.int64]:
    """The position of each element among its equals, in a sorted array."""
    return np.arange(key.size) - np.searchsorted(key, key, side="left")


def _how_many(among: NDArray[np.int64], key: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often each key occurs in a sorted array."""
    return np.searchsorted(among, key, side="right") - np.searchsorted(among, key, side="left")
