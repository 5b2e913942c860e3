"""People with far more trips than they may keep, from the file to the transcript."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from tests.contracts import gates
from tests.contracts.cases import CASES, EPSILON, Case, every_case
from tests.contracts.neighbours import Pair
from tests.contracts.project import write_project

from quietway import pipeline
from quietway.counts import Counts
from quietway.errors import DataError
from quietway.spec import load_spec
from quietway.universe import Neighbours

ZONES, MODES = ("north", "east", "south", "west"), ("bus", "bike", "foot")
BOUND = 3


def rides(rider: str, trips: int, seed: int, *, nowhere: int = 0) -> list[str]:
    """One rider's rows; some of them outside the universe."""
    random = np.random.default_rng(seed)
    zones = random.choice(ZONES, trips).tolist() + ["abroad"] * nowhere
    return [
        f"{rider},{zone},{mode}"
        for zone, mode in zip(zones, random.choice(MODES, trips + nowhere), strict=True)
    ]


def counted(folder: Path, rows: list[str], neighbours: Neighbours) -> Counts:
    """The counts of a file of trips, by the pipeline's own road."""
    file = write_project(folder)
    text = file.read_text().replace("max_trips = 3", f'max_trips = {BOUND}\nneighbours = "{neighbours}"')
    file.write_text(text.replace('path = "trips.csv"', 'path = "trips.csv"\noutside = "drop"'))
    (folder / "trips.csv").write_text("\n".join(["rider,zone,mode", *rows]) + "\n")
    return pipeline.count(load_spec(file))


OTHERS = [row for i in range(40) for row in rides(f"r{i}", i % (BOUND + 1), seed=i)]
CANARIES = {
    "ten times the bound": rides("canary", 10 * BOUND, seed=99),
    "ten thousand trips": rides("canary", 10_000, seed=99),
    "always the same trip": ["canary,north,bus"] * 10 * BOUND,
    "mostly abroad": rides("canary", 10, seed=99, nowhere=50),
}


@pytest.fixture(scope="module", params=CANARIES)
def pairs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[Neighbours, Pair]:
    """The town with and without the canary, or with another rider in its place."""
    canary, another = CANARIES[request.param], rides("another", 50, seed=7)
    made = dict[Neighbours, Pair]()
    for neighbours, instead in ((Neighbours.ADD_REMOVE, []), (Neighbours.REPLACE_ONE, another)):
        folder = tmp_path_factory.mktemp("rides")
        one = counted(folder / "with", OTHERS + canary, neighbours)
        made[neighbours] = Pair(request.param, one, counted(folder / "without", OTHERS + instead, neighbours))
    return made


@pytest.mark.parametrize("neighbours", list(Neighbours), ids=str)
@every_case
def test_a_rider_with_many_trips_is_hidden(
    case: Case, neighbours: Neighbours, pairs: dict[Neighbours, Pair]
) -> None:
    """However many trips a rider makes, the whole transcript gives away at most epsilon of them."""
    pair = pairs[neighbours]
    gates.replay_all(case.build(pair.one.universe, pair.one.unit, EPSILON), [pair] * 3)


def test_bounding_keeps_no_more_than_allowed(pairs: dict[Neighbours, Pair]) -> None:
    """The canary moves the table by at most the bound, in every run."""
    pair = pairs[Neighbours.ADD_REMOVE]
    assert (pair.one.dense() - pair.other.dense()).min() >= 0
    assert (pair.one.dense() - pair.other.dense()).sum() <= BOUND


def test_whoever_leaves_others_are_drawn_alike(tmp_path: Path) -> None:
    """Riders over the bound keep each of their trips as often with a rider among them as without."""
    riders = 3_000
    for name, passing in (("with", ["canary,abroad,bus"]), ("without", [])):
        rows = [row for i in range(riders) for row in [*passing, *(f"r{i},{zone},bus" for zone in ZONES)]]
        counts = counted(tmp_path / name, rows, Neighbours.ADD_REMOVE)
        share = BOUND / len(ZONES)
        assert counts.values.sum() == riders * BOUND
        assert np.abs(counts.values - riders * share).max() < 6 * np.sqrt(riders * share * (1 - share))


def test_records_cannot_number_themselves(tmp_path: Path) -> None:
    """A column that would decide which trips are drawn stops the count."""
    file = write_project(tmp_path)
    file.write_text(file.read_text().replace("trips.csv", "trips.parquet"))
    rows = {"rider": ["a"], "zone": ["north"], "mode": ["bus"], "file_row_number": [7]}
    pa.parquet.write_table(pa.table(rows), tmp_path / "trips.parquet")
    with pytest.raises(DataError, match="column 'file_row_number'"):
        pipeline.count(load_spec(file))


def test_without_bounding_the_canary_is_seen(tmp_path: Path) -> None:
    """The gate refuses the same rider where the bound is declared and not applied."""
    honest = counted(tmp_path / "honest", OTHERS, Neighbours.ADD_REMOVE)
    everything = honest.dense()
    np.add.at(everything, np.arange(30) % 12, 1)
    unbounded = Counts(honest.universe, np.flatnonzero(everything), everything[everything > 0], honest.unit)
    for case in CASES:
        with pytest.raises(AssertionError):
            gates.replay_all(
                case.build(honest.universe, honest.unit, EPSILON), [Pair("unbounded", honest, unbounded)]
            )
