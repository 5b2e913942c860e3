"""At most k trips of each contributor, uniformly drawn."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import combinations, permutations
from math import comb
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, chi2_contingency

from quietway.errors import ConfigError, DataError
from quietway.records import TripTable, bound, open_trips
from quietway.records.bound import _mixed  # pyright: ignore[reportPrivateUsage]
from quietway.universe import PrivacyUnit, Protects
from tests.records.conftest import Count, Write, hours, modes, per_user, per_user_day

NOON = datetime(2024, 5, 17, 12)


def fits(observed: list[int], expected: float) -> bool:
    """Whether counts are those of equally likely outcomes (a chance of 1e-6 to be wrong)."""
    statistic = sum((number - expected) ** 2 for number in observed) / expected
    return bool(chi2.sf(statistic, len(observed) - 1) > 1e-6)


def drawn_sets(trips: TripTable, users: int, seed: int | None) -> Counter[tuple[str, ...]]:
    """How often each set of trips was kept."""
    return Counter(kept_by_user(trips, users, seed))


def kept_by_user(trips: TripTable, users: int, seed: int | None) -> list[tuple[str, ...]]:
    """Which trips each user kept."""
    kept = trips.collect(bound(trips, seed=seed))
    sets: dict[int, list[str]] = {user: [] for user in range(users)}
    for user, mode in zip(kept["quietway_user"].to_pylist(), kept["mode"].to_pylist(), strict=True):
        sets[int(user)].append(mode)
    return [tuple(sorted(modes)) for modes in sets.values()]


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


def test_a_missing_user_is_refused(write: Write, count: Count) -> None:
    """All trips without an id would be one user's, and somebody's promise would be broken."""
    source = write(user=["a", None], mode=["bus"] * 2)
    with pytest.raises(DataError, match="column 'user' has empty values"):
        count(source, modes(), **per_user(1))


# One round lays the upper half of a number over the lower half, so these four share what it knows of them.
FAR_APART = (0, 2**31, 2**63, 2**63 + 2**31)


@pytest.mark.parametrize("numbers", [(0, 1, 2, 3), (0, 2**40, 2**41, 2**40 + 1), FAR_APART])
def test_all_orders_of_four_rows_are_equally_likely(numbers: tuple[int, ...]) -> None:
    """Rows that stand still come in each of their 24 orders alike under fresh keys, wherever they stand."""
    assert fits(list(orders(numbers, rounds=2).values()), DRAWS / 24)


def test_one_round_of_mixing_would_show() -> None:
    """The four rows whose orders are checked tell two rounds from one."""
    assert not fits(list(orders(FAR_APART, rounds=1).values()), DRAWS / 24)


DRAWS = 24_000


def orders(numbers: Sequence[int], rounds: int) -> Counter[tuple[int, ...]]:
    """How often four numbers come in each order, under keys of so many rounds."""
    keys = np.random.default_rng(11).integers(0, 2**64, (DRAWS, rounds), dtype=np.uint64)
    rows = {"number": pa.array(np.tile(np.array(numbers, dtype=np.uint64), DRAWS))}
    rows |= {f"key_{i}": pa.array(np.repeat(keys[:, i], len(numbers))) for i in range(rounds)}
    table: Any = ibis.memtable(pa.table({**rows, "place": pa.array(range(DRAWS * len(numbers)))}))
    mixed: Any = _mixed(table["number"], tuple(table[f"key_{i}"] for i in range(rounds)))
    found = ibis.duckdb.connect().to_pyarrow(table.select("place", mixed=mixed).order_by("place"))
    ranks = found["mixed"].to_numpy().reshape(DRAWS, len(numbers)).argsort(axis=1)
    return Counter(dict.fromkeys(permutations(range(len(numbers))), 0)) + Counter(map(tuple, ranks.tolist()))


USERS = 20_000


def crowd(*, canary: bool) -> dict[str, Any]:
    """Four trips of each user, and one of somebody else in front of each four: gone, they move all rows."""
    users = np.repeat(np.arange(USERS), 5)
    users[::5] = USERS
    there = np.ones(users.size, dtype=bool) if canary else users < USERS
    return {"user": users[there], "mode": np.tile(list("xabcd"), USERS)[there]}


def written(folder: Path, form: str, columns: dict[str, Any]) -> Path:
    """A file of these columns, in a folder of its own."""
    folder.mkdir(parents=True)
    trips, file = pa.table(columns), folder / f"trips.{form}"
    if form == "csv":
        pa.csv.write_csv(trips, file)
    elif form == "jsonl":
        file.write_text("\n".join(map(json.dumps, trips.to_pylist())))
    else:
        pa.parquet.write_table(trips, file)
    return file


@pytest.mark.parametrize(
    ("form", "shadow"),
    [
        ("parquet", None),
        ("parquet", "filename"),
        ("parquet", "rowid"),
        ("csv", "file_row_number"),
        ("jsonl", "file_index"),
    ],
)
def test_one_user_less_leaves_the_draw_of_others_alone(tmp_path: Path, form: str, shadow: str | None) -> None:
    """What neighbours in the file keep, each and together, is drawn alike whether or not another was there."""
    seen: list[Counter[tuple[str, ...]]] = []
    for seed, canary in enumerate((True, False)):
        columns = crowd(canary=canary)
        if shadow is not None:
            columns[shadow] = np.zeros(columns["user"].size, dtype=np.int64)
        file = written(tmp_path / str(canary), form, columns)
        trips = open_trips(file, axes=[modes(*"abcd")], **per_user(2))
        kept = kept_by_user(trips, USERS + 1, seed)[:USERS]
        seen.append(Counter(one + other for one, other in zip(kept[::2], kept[1::2], strict=True)))
    together = [one + other for one in combinations("abcd", 2) for other in combinations("abcd", 2)]
    table = [[outcomes[pair] for pair in together] for outcomes in seen]
    assert all(fits(outcomes, USERS / 2 / 36) for outcomes in table)
    assert chi2_contingency(table).pvalue > 1e-6


@pytest.mark.parametrize("name", ["file_row_number", "file_index", "File_Row_Number"])
@pytest.mark.parametrize("values", [[7, 7], ["a", "b"]], ids=["numbers", "text"])
def test_a_column_that_would_number_the_rows_is_refused(write: Write, name: str, values: list[Any]) -> None:
    """Where rows are drawn, a column cannot stand in for the number of the row, however it is spelled."""
    source = write(user=["a", "a"], mode=["bus", "bus"], **{name: values})
    with pytest.raises(DataError, match=f"has a column '{name.lower()}'.*rename that column"):
        open_trips(source, axes=[modes()], **per_user(1))


@pytest.mark.parametrize("name", ["file_row_number", "File_Index", "quietway_row"])
def test_a_folder_name_that_would_number_the_rows_is_refused(write: Write, name: str) -> None:
    """The same holds for columns that stand in the names of folders."""
    source = write(f"parts/{name}=5/t.parquet", user=["a"], mode=["bus"]).parent.parent
    with pytest.raises(DataError, match="rename that column"):
        open_trips(source, axes=[modes()], **per_user(1))


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("name", ["quietway_row", "QUIETWAY_USER", "quietway_at_0"])
@pytest.mark.parametrize("how", [{"unit": PrivacyUnit()}, per_user(1)], ids=["trip", "user"])
def test_a_column_named_like_ours_is_refused(tmp_path: Path, form: str, name: str, how: Any) -> None:
    """Names that Quietway gives to columns of its own are taken, in every format and for every unit."""
    file = written(tmp_path / "t", form, {"user": ["a"], "mode": ["bus"], name: [1]})
    with pytest.raises(DataError, match=r"begins with 'quietway_'.*rename that column"):
        open_trips(file, axes=[modes()], **how)


def test_without_a_draw_no_row_needs_a_number(write: Write, count: Count) -> None:
    """Trips that are protected one by one may carry a column of numbers of rows."""
    assert count(write(mode=["bus"] * 2, file_row_number=[7, 7]), modes()).values.tolist() == [2]
