"""Trips counted by cell."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quietway.counts.tabulate import tabulate
from quietway.errors import DataError, UniverseError
from quietway.records import TripTable, open_trips
from quietway.records.faults import Soundness
from quietway.universe import Axis, PrivacyUnit, Universe
from tests.records.conftest import Count, Write, cells, count, hours, modes, per_user, write

__all__ = ["count", "write"]

START = datetime(2024, 5, 17, 8)


def table(trips: int) -> dict[str, Any]:
    """Trips of ten users, by bus and on foot, through one morning."""
    return {
        "user": [f"u{i % 10}" for i in range(trips)],
        "mode": [("bus", "walk", "boat")[i % 3] for i in range(trips)],
        "time": [START + timedelta(minutes=7 * i) for i in range(trips)],
    }


def test_a_cell_counts_its_trips(write: Write, count: Count) -> None:
    """Each trip adds one to the cell of its labels."""
    source = write(mode=["bus", "walk", "bus"], time=[START, START, START + timedelta(hours=2)])
    assert cells(count(source, modes(), hours())) == {"bus 08:00": 1, "walk 08:00": 1, "bus 10:00": 1}


def test_the_order_of_axes_is_the_universes(write: Write) -> None:
    """Axes may be described in any order; keys follow the universe."""
    source = write(mode=["bus", "walk", "walk"], time=[START] * 3)
    axes = (hours(), modes())
    universe = Universe((modes().axis(), hours().axis()))
    counts = tabulate(open_trips(source, axes=axes, unit=PrivacyUnit()), universe, axes, outside="refuse")
    assert counts.keys.tolist() == [8, 24 + 8]
    assert counts.values.tolist() == [1, 2]


def test_outside_trips_are_dropped_in_silence(write: Write, count: Count) -> None:
    """A trip outside any axis is in no cell."""
    assert cells(count(write(mode=["bus", "boat"]), modes(), outside="drop")) == {"bus": 1}


def test_outside_trips_are_refused_by_column(write: Write, count: Count) -> None:
    """The refusal names file and column, and keeps values and numbers to itself."""
    source = write(mode=["bus", "canary-4711", "canary-4711"])
    with pytest.raises(DataError) as caught:
        count(source, modes(), outside="refuse")
    message = str(caught.value).replace(str(source), "FILE")
    assert message.startswith("FILE: column 'mode' has values outside axis 'mode'")
    assert "canary" not in message and not any(letter.isdigit() for letter in message)
    assert caught.value.sensitive is not None
    assert "canary-4711" in caught.value.sensitive and "2 of 3 rows" in caught.value.sensitive


def test_the_draw_precedes_the_universe(write: Write, count: Count) -> None:
    """Trips outside the universe take up their user's limit, so dropping them does not let others in."""
    source = write(user=["a"] * 400, mode=["bus", "boat"] * 200)
    kept = count(source, modes(), seed=1, **per_user(200)).values.sum()
    assert 70 < kept < 130


def test_nothing_left_is_an_empty_count(write: Write, count: Count) -> None:
    """Counts without cells are counts."""
    assert count(write(mode=["boat"]), modes()).keys.size == 0


def test_a_seed_repeats_the_draw(write: Write, count: Count) -> None:
    """The same seed gives the same counts; another seed, or none, gives others."""
    source = write(user=["a"] * 2000, mode=[str(i) for i in range(2000)])
    axis = modes(*(str(i) for i in range(2000)))
    first, again, other, fresh, fresher = (
        count(source, axis, seed=seed, **per_user(20)).keys.tolist() for seed in (5, 5, 6, None, None)
    )
    assert first == again
    assert len({tuple(keys) for keys in (first, other, fresh, fresher)}) == 4


def test_every_format_gives_the_same_counts(tmp_path: Path, count: Count) -> None:
    """Parquet, a glob, a partitioned folder, CSV and JSON lines hold the same trips."""
    paths = files(tmp_path, pa.table(table(60)))
    first, *others = (cells(count(path, modes(), hours())) for path in paths)
    assert sum(first.values()) == 40
    assert all(other == first for other in others)


def test_every_format_is_bounded(tmp_path: Path, count: Count) -> None:
    """Each of ten users keeps three of six trips, whatever the format."""
    paths = files(tmp_path, pa.table(table(60)))
    axis = modes("bus", "walk", "boat")
    assert {int(count(path, axis, **per_user(3)).values.sum()) for path in paths} == {30}


def files(folder: Path, trips: pa.Table) -> list[Path]:
    """The same trips in every format."""
    pa.parquet.write_table(trips, folder / "all.parquet")
    pa.csv.write_csv(trips, folder / "all.csv")
    (folder / "parts").mkdir(exist_ok=True)
    for i in range(3):
        pa.parquet.write_table(trips.slice(20 * i, 20), folder / "parts" / f"part-{i}.parquet")
    pa.parquet.write_to_dataset(
        trips, folder / "hive", partition_cols=["mode"], existing_data_behavior="delete_matching"
    )
    rows = [json.dumps({**row, "time": row["time"].isoformat()}) for row in trips.to_pylist()]
    (folder / "all.jsonl").write_text("\n".join(rows))
    return [folder / name for name in ("all.parquet", "all.csv", "parts/part-*.parquet", "hive", "all.jsonl")]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    trips=st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from(["bus", "walk", "boat"])), min_size=1, max_size=40
    ),
    most=st.integers(1, 6),
)
def test_nobody_moves_the_counts_by_more_than_the_limit(
    write: Write, count: Count, trips: list[tuple[int, str]], most: int
) -> None:
    """The total is the sum over users of their trips, cut at the limit."""
    users, by = zip(*trips, strict=True)
    total = count(write(user=users, mode=by), modes("bus", "walk", "boat"), **per_user(most)).values.sum()
    assert total == np.minimum(np.bincount(users), most).sum()


def test_axes_that_are_not_the_universes_are_refused(write: Write) -> None:
    """A universe made from other axes would shift every key."""
    trips = open_trips(write(mode=["bus"]), axes=[modes()], unit=PrivacyUnit())
    with pytest.raises(UniverseError, match="not those of the universe"):
        tabulate(trips, Universe((Axis(name="other", size=2),)), [modes()])
    with pytest.raises(UniverseError, match="not the one described"):
        tabulate(trips, Universe((Axis(name="mode", size=3),)), [modes()])


@pytest.mark.parametrize("outside", ["drop", "refuse"])
def test_the_records_are_read_once(
    write: Write, count: Count, monkeypatch: pytest.MonkeyPatch, outside: str
) -> None:
    """Checking, bounding, locating and counting sound trips is a single query."""
    queries: list[object] = []
    run = TripTable.collect
    monkeypatch.setattr(TripTable, "collect", lambda trips, query: queries.append(query) or run(trips, query))
    monkeypatch.setattr(Soundness, "require", queries.append)
    source = write(user=["a"] * 9, mode=["bus"] * 9, time=[START] * 9)
    assert cells(count(source, modes(), hours(), outside=outside, **per_user(2))) == {"bus 08:00": 2}
    assert len(queries) == 1


@pytest.mark.parametrize(("mode", "complaint"), [("boat", "outside axis 'mode'"), (None, "has empty values")])
def test_a_trip_beyond_the_limit_is_checked_like_others(
    write: Write, count: Count, mode: str | None, complaint: str
) -> None:
    """A faulty trip is found wherever its user's draw would have put it."""
    source = write(user=["a"] * 5000, mode=["bus"] * 4999 + [mode])
    with pytest.raises(DataError, match=complaint):
        count(source, modes(), outside="refuse", **per_user(1))
