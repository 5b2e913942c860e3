"""At most k trips of each contributor, uniformly drawn."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from itertools import combinations
from math import comb

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from quietway.errors import ConfigError, DataError
from quietway.records import TripTable, bound, open_trips
from quietway.universe import PrivacyUnit, Protects
from tests.records.conftest import Count, Write, hours, modes, per_user, per_user_day

NOON = datetime(2024, 5, 17, 12)


def fits(observed: list[int], expected: float) -> bool:
    """Whether counts are those of equally likely outcomes (a chance of 1e-6 to be wrong)."""
    statistic = sum((number - expected) ** 2 for number in observed) / expected
    return bool(chi2.sf(statistic, len(observed) - 1) > 1e-6)


def drawn_sets(trips: TripTable, users: int, seed: int | None) -> Counter[tuple[str, ...]]:
    """Which of each user's trips were kept."""
    kept = trips.collect(bound(trips, seed=seed))
    sets: dict[int, list[str]] = {user: [] for user in range(users)}
    for user, mode in zip(kept["quietway_user"].to_pylist(), kept["mode"].to_pylist(), strict=True):
        sets[user].append(mode)
    return Counter(tuple(sorted(modes)) for modes in sets.values())


@pytest.mark.parametrize("seed", [None, 0, 1])
def test_every_set_of_trips_is_equally_likely(write: Write, seed: int | None) -> None:
    """Two of five trips of 20,000 users: the ten pairs come up alike, and a biased draw would not pass."""
    users = 20_000
    source = write(user=np.repeat(np.arange(users), 5), mode=list("abcde") * users)
    sets = drawn_sets(open_trips(source, axes=[modes(*"abcde")], **per_user(2)), users, seed)
    assert set(sets) == set(combinations("abcde", 2))
    assert fits(list(sets.values()), users / comb(5, 2))
    biased = [number + (250 if "a" in pair else -167) for pair, number in sets.items()]
    assert not fits(biased, users / comb(5, 2))


def test_every_set_is_equally_likely_over_keys(write: Write) -> None:
    """For one user whose rows stand still, fresh keys alone make the draw uniform."""
    users, draws = 40, 60
    source = write(user=np.repeat(np.arange(users), 4), mode=list("abcd") * users)
    trips = open_trips(source, axes=[modes(*"abcd")], **per_user(2))
    per_first_user: Counter[tuple[str, ...]] = Counter()
    for seed in range(draws):
        per_first_user += drawn_sets(trips, users, seed)
    assert fits(list(per_first_user.values()), users * draws / comb(4, 2))


def test_equal_rows_are_as_likely_as_others(write: Write, count: Count) -> None:
    """Nine equal rows and one other: the other is kept a tenth of the time, not half."""
    users = 20_000
    source = write(user=np.repeat(np.arange(users), 10), mode=(["bus"] * 9 + ["walk"]) * users)
    walks = int(count(source, modes(), seed=3, **per_user(1)).values[1])
    assert abs(walks - users / 10) < 5 * np.sqrt(users * 0.09)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(users=st.lists(st.integers(0, 3), min_size=1, max_size=30), most=st.integers(1, 8))
def test_nobody_keeps_more_than_the_limit(write: Write, users: list[int], most: int) -> None:
    """Each user keeps the lesser of their trips and the limit, and only trips that were theirs."""
    source = write(user=users, mode=[f"{user}-{i}" for i, user in enumerate(users)])
    trips = open_trips(source, axes=[modes()], **per_user(most))
    kept = trips.collect(bound(trips)).to_pylist()
    assert Counter(row["quietway_user"] for row in kept) == {
        user: min(most, number) for user, number in Counter(users).items()
    }
    assert all(row["mode"].startswith(f"{row['quietway_user']}-") for row in kept)
    assert len({row["mode"] for row in kept}) == len(kept)


def test_one_user_with_a_million_trips(write: Write, count: Count) -> None:
    """The heaviest of users keeps no more than the limit, and the others keep theirs."""
    users = np.concatenate([np.zeros(1_000_000, dtype=np.int64), np.arange(1, 101)])
    by = pa.DictionaryArray.from_arrays(np.where(users == 0, 0, 1).astype(np.int32), ["bus", "walk"])
    assert count(write(user=users, mode=by), modes(), **per_user(7)).values.tolist() == [7, 100]


def test_a_user_in_several_files_is_one_user(write: Write, count: Count) -> None:
    """The limit holds over all the files, whose rows have numbers of their own."""
    for i in range(3):
        source = write(f"parts/{i}.parquet", user=["a"] * 50, mode=["bus"] * 50)
    assert count(source.parent, modes(), **per_user(60)).values.tolist() == [60]


def test_rows_of_several_files_are_drawn_alike(write: Write, count: Count) -> None:
    """Rows that stand at the same place of two files are drawn apart from each other."""
    users = 4_000
    for name in ("bus", "walk"):
        source = write(f"parts/{name}.parquet", user=np.arange(users), mode=[name] * users)
    bus = int(count(source.parent, modes(), seed=2, **per_user(1)).values[0])
    assert abs(bus - users / 2) < 5 * np.sqrt(users / 4)


def test_a_user_day_is_a_local_date(write: Write, count: Count) -> None:
    """Two trips of one user, either side of local midnight, are two user-days."""
    either_side = [datetime(2024, 5, 17, 23, 59, 59, 999_999), datetime(2024, 5, 18)]
    source = write(user=["a", "a"], mode=["bus"] * 2, time=either_side)
    assert count(source, modes(), **per_user_day(1)).values.tolist() == [2]
    assert count(source, modes(), hours(clock="utc"), **per_user_day(1)).values.sum() == 1


def test_users_share_no_day(write: Write, count: Count) -> None:
    """Two users on one day are two contributors, and one user's day is one."""
    source = write(
        user=["a"] * 5 + ["b"] * 5, mode=["bus"] * 10, time=[NOON + timedelta(minutes=i) for i in range(10)]
    )
    assert count(source, modes(), **per_user_day(3)).values.tolist() == [6]


def test_a_user_day_may_come_from_dates(write: Write, count: Count) -> None:
    """A column of dates tells days apart without times."""
    days = [NOON.date(), NOON.date(), (NOON + timedelta(days=1)).date()]
    assert count(
        write(user=[1] * 3, mode=["bus"] * 3, time=days), modes(), **per_user_day(1)
    ).values.tolist() == [2]


def test_instants_need_a_place_for_their_midnight(write: Write, count: Count) -> None:
    """Times with a zone fall on different dates in different places, so a place must be told."""
    instants = pa.array([NOON], pa.timestamp("us", tz="UTC"))
    with pytest.raises(ConfigError, match="add a periods axis"):
        count(write(user=["a"], mode=["bus"], time=instants), modes(), **per_user_day(1))


def test_a_protected_trip_is_left_alone(write: Write, count: Count) -> None:
    """Protecting trips bounds nobody, whatever the ids."""
    assert count(write(mode=["bus"] * 9), modes()).values.tolist() == [9]


def test_a_unit_needs_its_columns(write: Write) -> None:
    """Users need ids, and user-days need times."""
    source = write(mode=["bus"])
    unit = PrivacyUnit(protects=Protects.USER, max_trips=1)
    day = PrivacyUnit(protects=Protects.USER_DAY, max_trips=1)
    with pytest.raises(ConfigError, match=r"unit\.user"):
        open_trips(source, axes=[modes()], unit=unit)
    with pytest.raises(ConfigError, match=r"unit\.time"):
        open_trips(source, axes=[modes()], unit=day, user="mode")


def test_a_missing_user_is_refused(write: Write) -> None:
    """All trips without an id would be one user's, and somebody's promise would be broken."""
    source = write(user=["a", None], mode=["bus"] * 2)
    with pytest.raises(DataError, match="column 'user' has empty values"):
        open_trips(source, axes=[modes()], **per_user(1))
