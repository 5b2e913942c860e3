"""Linking trips into people's days, against plain loops and against sense."""

from __future__ import annotations

from collections import defaultdict, deque

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quietway.city.chains import Journeys, link_into_days, match_in_turn
from quietway.city.draws import Draws

_EVENTS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 6)), max_size=25)


def _first_come_first_served(
    opens: list[tuple[int, int]], closes: list[tuple[int, int]]
) -> list[tuple[int, int, int]]:
    """Pairs as (key, ready, leaves), found by walking through time."""
    waiting: dict[int, deque[int]] = defaultdict(deque)
    pairs: list[tuple[int, int, int]] = []
    events = [(time, 0, key) for key, time in opens] + [(time, 1, key) for key, time in closes]
    for time, leaves, key in sorted(events):
        if not leaves:
            waiting[key].append(time)
        elif waiting[key]:
            pairs.append((key, waiting[key].popleft(), time))
    return sorted(pairs)


@given(opens=_EVENTS, closes=_EVENTS)
def test_matching_agrees_with_a_queue(opens: list[tuple[int, int]], closes: list[tuple[int, int]]) -> None:
    """The vectorised matching pairs exactly whom a queue per key would pair."""
    open_at, close_at = (np.array(events, dtype=np.int64).reshape(-1, 2) for events in (opens, closes))
    first, second = match_in_turn(open_at[:, 0], open_at[:, 1], close_at[:, 0], close_at[:, 1])
    assert len(set(first.tolist())) == len(set(second.tolist())) == first.size
    assert (open_at[first, 0] == close_at[second, 0]).all()
    found = np.column_stack((open_at[first], close_at[second, 1]))
    assert sorted(map(tuple, found.tolist())) == _first_come_first_served(opens, closes)


@given(seed=st.integers(0, 1000), size=st.integers(1, 120))
def test_days_can_be_lived(seed: int, size: int) -> None:
    """Whatever the trips, nobody has more than eight, leaves before arriving, or starts elsewhere."""
    draws = Draws(seed)
    starts = draws.below(86_400, size)
    trips = Journeys(
        origin=draws.below(4, size), destination=draws.below(4, size), starts=starts, ends=starts + 600
    )
    person = link_into_days(trips, draws)
    assert sorted(set(person.tolist())) == list(range(person.max() + 1))
    assert np.bincount(person).max() <= 8
    order = np.lexsort((starts, person))
    same = np.diff(person[order]) == 0
    assert (trips.starts[order][1:] >= trips.ends[order][:-1])[same].all()
    assert (trips.origin[order][1:] == trips.destination[order][:-1])[same].all()


def test_a_morning_out_and_an_evening_back_become_one_person() -> None:
    """Many trips out at eight and back at eighteen are mostly made by people who make both."""
    out, back = np.zeros(200, dtype=np.int64), np.ones(200, dtype=np.int64)
    hour = np.repeat([8 * 3600, 18 * 3600], 200)
    trips = Journeys(
        origin=np.concatenate((out, back)),
        destination=np.concatenate((back, out)),
        starts=hour,
        ends=hour + 600,
    )
    each = np.bincount(link_into_days(trips, Draws(3)))
    assert (each == 2).sum() > 140


def test_no_day_has_more_than_eight_trips() -> None:
    """Even where everything could follow everything, days stop at eight trips, and some get there."""
    starts = Draws(4).below(10 * 86_400, 20_000)
    nowhere = np.zeros(20_000, dtype=np.int64)
    trips = Journeys(origin=nowhere, destination=nowhere, starts=starts, ends=starts + 1)
    assert np.bincount(link_into_days(trips, Draws(5))).max() == 8
