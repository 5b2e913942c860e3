"""What holds of paths however the records come, beside the same paths made by hand, slowly."""

from __future__ import annotations

import math
import random
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quietway.records.paths import PathReading
from tests.records.paths.conftest import Records, by_frames, by_sequence, by_stays, per_user

Row = dict[str, Any]
Place = tuple[int, ...]
MONDAY = datetime(2024, 5, 13)
FRAMES = ((6, 12), (12, 20))
METRES = 111_320


@st.composite
def rows(draw: st.DrawFn) -> list[Row]:
    """Rows of a few users that are stops and sightings alike; numbers are never the same within a path."""
    crowded = draw(st.booleans())
    users, days, minutes, cells = ("ab", 1, (680, 760), 2) if crowded else ("abc", 3, (0, 1439), 10)
    person = st.tuples(st.sampled_from(users), st.integers(1, days))
    people = draw(st.lists(person, min_size=16 if crowded else 1, max_size=30))
    numbers = draw(st.permutations(range(len(people))))
    return [
        {
            "user": user,
            "path": path,
            "sequence": number,
            "lon": draw(st.integers(0, cells - 1)) + draw(st.sampled_from([0.5, 0.501, 0.503])),
            "lat": 0.5,
            "time": MONDAY + timedelta(days=path, minutes=draw(st.integers(*minutes))),
        }
        for (user, path), number in zip(people, numbers, strict=True)
    ]


READINGS: dict[str, PathReading] = {
    "stops": by_sequence(fewer="drop", more="ends"),
    "first": by_frames(*FRAMES, fewer="drop"),
    "last": by_frames(*FRAMES, fewer="drop", pick="last"),
    "most": by_frames(*FRAMES, fewer="drop", pick="most"),
    "stays": by_stays(fewer="drop", more="first"),
}
some = settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
every_reading = pytest.mark.parametrize("name", READINGS)


def made(records: Records, given: list[Row], name: str) -> Counter[Place]:
    """The paths of some rows, no user bounded by less than what they have."""
    return Counter(records.cells(given, READINGS[name], unit=per_user(100)))


@every_reading
@some
@given(given=rows(), seed=st.integers(0, 9))
def test_the_order_of_rows_changes_nothing(records: Records, name: str, given: list[Row], seed: int) -> None:
    """Paths come in an order of their own, so even that stays."""
    shuffled = random.Random(seed).sample(given, len(given))
    first, second = (records.cells(order, READINGS[name], unit=per_user(100)) for order in (given, shuffled))
    assert first == second


@every_reading
@some
@given(given=rows())
def test_a_users_rows_change_that_users_paths_alone(records: Records, name: str, given: list[Row]) -> None:
    """The paths of all are those of each, put together; here users share the names of their paths."""
    apart = Counter[Place]()
    for user in {row["user"] for row in given}:
        apart += made(records, [row for row in given if row["user"] == user], name)
    assert made(records, given, name) == apart


@every_reading
@some
@given(given=rows(), most=st.integers(1, 2))
def test_nobody_keeps_more_paths_than_the_limit(
    records: Records, name: str, given: list[Row], most: int
) -> None:
    """Each user keeps the lesser of their paths and the limit, out of their own."""
    kept = Counter(records.cells(given, READINGS[name], unit=per_user(most)))
    assert kept <= made(records, given, name)
    own = [
        sum(made(records, [row for row in given if row["user"] == user], name).values())
        for user in {row["user"] for row in given}
    ]
    assert sum(kept.values()) == sum(min(most, paths) for paths in own)


@every_reading
@settings(some, max_examples=25)
@given(given=rows())
def test_paths_are_those_made_by_hand(records: Records, name: str, given: list[Row]) -> None:
    """The engine's queries do what their words say."""
    assert made(records, given, name) == Counter(BY_HAND[name](given))


@some
@given(given=rows())
def test_numbers_matter_by_their_order_alone(records: Records, given: list[Row]) -> None:
    """Stretched numbers leave paths as they were; turned round, they turn the paths."""
    paths = made(records, given, "stops")
    assert made(records, [{**row, "sequence": row["sequence"] ** 3 - 7} for row in given], "stops") == paths
    turned = made(records, [{**row, "sequence": -row["sequence"]} for row in given], "stops")
    assert turned == Counter({path[::-1]: number for path, number in paths.items()})


@pytest.mark.parametrize("name", ["first", "last", "most", "stays"])
@some
@given(given=rows(), days=st.integers(-200, 200))
def test_the_calendar_does_not_matter(records: Records, name: str, given: list[Row], days: int) -> None:
    """The same days a while later give the same paths."""
    later = [{**row, "time": row["time"] + timedelta(days=days)} for row in given]
    assert made(records, later, name) == made(records, given, name)


def groups(given: Iterable[Row], *keys: Callable[[Row], Any]) -> list[list[Row]]:
    """Rows with the same keys."""
    found: dict[Any, list[Row]] = defaultdict(list)
    for row in given:
        found[tuple(key(row) for key in keys)].append(row)
    return list(found.values())


def user(row: Row) -> str:
    """Whose it is."""
    return row["user"]


def day(row: Row) -> date:
    """Its day."""
    return row["time"].date()


def cell(row: Row) -> int:
    """Where it is."""
    return int(row["lon"])


def stops_by_hand(given: list[Row]) -> Iterable[Place]:
    """The two ends of each path."""
    for path in groups(given, user, lambda row: row["path"]):
        stops = sorted(path, key=lambda row: row["sequence"])
        if len(stops) >= 2:
            yield cell(stops[0]), cell(stops[-1])


def frames_by_hand(choose: Callable[[list[Row]], int]) -> Callable[[list[Row]], Iterable[Place]]:
    """A place for each frame of each day."""

    def by_hand(given: list[Row]) -> Iterable[Place]:
        for seen in groups(given, user, day):
            parts = [[row for row in seen if start <= row["time"].hour < end] for start, end in FRAMES]
            if all(parts):
                yield tuple(choose(part) for part in parts)

    return by_hand


def first(part: list[Row]) -> int:
    """The first place."""
    return min((row["time"], cell(row)) for row in part)[1]


def last(part: list[Row]) -> int:
    """The last place."""
    return min((-row["time"].timestamp(), cell(row)) for row in part)[1]


def most(part: list[Row]) -> int:
    """The place seen most often."""
    places = groups(part, cell)
    return min((-len(seen), min(row["time"] for row in seen), cell(seen[0])) for seen in places)[2]


def stays_by_hand(given: list[Row]) -> Iterable[Place]:
    """The first two stays of each day."""
    for seen in groups(given, user, day):
        stays = [chain for chain in chains(seen) if minutes(chain[0], chain[-1]) >= 10]
        if len(stays) >= 2:
            middles = [sorted(row["lon"] for row in chain) for chain in stays[:2]]
            yield tuple(int((m[(len(m) - 1) // 2] + m[len(m) // 2]) / 2) for m in middles)


def chains(seen: list[Row], least: int = 10) -> list[list[Row]]:
    """Sightings chained, each within the reach of an earlier one."""
    ordered = sorted(seen, key=lambda row: (row["time"], row["lon"], row["lat"]))
    times = [row["time"] for row in ordered]
    found: list[list[Row]] = []
    reach = datetime.min
    for i, row in enumerate(ordered):
        if row["time"] > reach:
            found.append([])
        found[-1].append(row)
        soon = ordered[
            bisect_left(times, row["time"]) : bisect_right(times, row["time"] + timedelta(minutes=least))
        ]
        for box in (soon, soon + ordered[i + 1 : i + 2]):
            if quiet(row, box):
                reach = max(reach, *(other["time"] for other in box))
    return found


def minutes(one: Row, other: Row) -> float:
    """From one to the other."""
    return (other["time"] - one["time"]).total_seconds() / 60


def quiet(row: Row, box: list[Row]) -> bool:
    """Whether it is narrower than 400 metres."""
    lons, lats = ([other[name] for other in box] for name in ("lon", "lat"))
    east = (max(lons) - min(lons)) * METRES * math.cos(math.radians(row["lat"]))
    return max(east, (max(lats) - min(lats)) * METRES) <= 400


BY_HAND: dict[str, Callable[[list[Row]], Iterable[Place]]] = {
    "stops": stops_by_hand,
    "first": frames_by_hand(first),
    "last": frames_by_hand(last),
    "most": frames_by_hand(most),
    "stays": stays_by_hand,
}
