"""People with far more paths than they may keep, from rows that are stops to the transcript."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.contracts import gates
from tests.contracts.cases import EPSILON, cube
from tests.contracts.neighbours import Pair, counted
from tests.contracts.path_cases import PathCase, every_path_case
from tests.contracts.project import PATHS, write_project

from quietway.counts import Counts, Paths
from quietway.paths.count import count_paths
from quietway.paths.spec import load_path_spec
from quietway.universe import Neighbours

BOUND = 3
UNIVERSE = cube(3, 3, 3, 3)
WIDE = 'rows = "paths"'
LONG = 'rows = "stops"\npath = "tour"\nsequence = "number"\nfewer = "drop"\nmore = "ends"\ntwice = "drop"'
AT = 'at = { start = ["lon0", "lat0"], end = ["lon1", "lat1"] }'


def tours(rider: str, paths: int, seed: int, *, places: tuple[float, float] = (0.0, 1.0)) -> list[str]:
    """One rider's rows: paths of two or three stops, their names those of everybody's paths."""
    random = np.random.default_rng(seed)
    return [
        f"{rider},{path},{number},{lon},{lat}"
        for path, stops in enumerate(random.integers(2, 4, paths).tolist())
        for number, (lon, lat) in enumerate(random.uniform(*places, (stops, 2)).tolist())
    ]


def kept(folder: Path, rows: list[str], neighbours: Neighbours) -> Counts:
    """The paths of a file, by the pipeline's own road, as a table of counts."""
    release = PATHS.replace(WIDE, LONG).replace(AT, 'lon = "lon"\nlat = "lat"')
    release = release.replace("max_trips = 3", f'max_trips = {BOUND}\nneighbours = "{neighbours}"')
    file = write_project(folder, release=release.replace('"paths.csv"', '"paths.csv"\noutside = "drop"'))
    (folder / "paths.csv").write_text("\n".join(["rider,tour,number,lon,lat", *rows]) + "\n")
    return table(count_paths(load_path_spec(file)))


def table(paths: Paths) -> Counts:
    """How many there are in each cell."""
    cells = np.ravel_multi_index(tuple(paths.points.T), paths.space.shape)
    return counted(UNIVERSE, np.bincount(cells, minlength=UNIVERSE.size), paths.unit)


OTHERS = [row for i in range(40) for row in tours(f"r{i}", i % (BOUND + 1), seed=i)]
CANARIES = {
    "ten times the bound": tours("canary", 10 * BOUND, seed=99),
    "ten thousand paths": tours("canary", 10_000, seed=99),
    "mostly abroad": tours("canary", 4, seed=99)
    + [f"canary,far {i},{n},9,9" for i in range(50) for n in (0, 1)],
    "mostly left out": tours("canary", 9, seed=99)
    + [f"canary,short {i},0,0.5,0.5" for i in range(50)]
    + [f"canary,twice {i},0,0.5,0.{n}" for i in range(50) for n in (1, 2)],
}


@pytest.fixture(scope="module", params=CANARIES)
def pairs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[Neighbours, Pair]:
    """The town with and without the canary, or with another rider in its place."""
    canary, another = CANARIES[request.param], tours("another", 50, seed=7)
    made = dict[Neighbours, Pair]()
    for neighbours, instead in ((Neighbours.ADD_REMOVE, []), (Neighbours.REPLACE_ONE, another)):
        folder = tmp_path_factory.mktemp("tours")
        one = kept(folder / "with", OTHERS + canary, neighbours)
        made[neighbours] = Pair(request.param, one, kept(folder / "without", OTHERS + instead, neighbours))
    return made


def test_nobody_moves_more_than_the_bound(pairs: dict[Neighbours, Pair]) -> None:
    """The canary's paths are at most so many more; everybody else's stay as they are."""
    pair = pairs[Neighbours.ADD_REMOVE]
    more = pair.one.dense() - pair.other.dense()
    assert more.min() >= 0 and 0 <= more.sum() <= BOUND
    assert pair.other.values.sum() == sum(i % (BOUND + 1) for i in range(40))


@pytest.mark.parametrize("neighbours", list(Neighbours), ids=str)
@every_path_case
def test_a_rider_with_many_paths_is_hidden(
    case: PathCase, neighbours: Neighbours, pairs: dict[Neighbours, Pair]
) -> None:
    """However many paths a rider has, the whole transcript gives away at most epsilon of them."""
    pair = pairs[neighbours]
    gates.replay_all(case.over(UNIVERSE, pair.one.unit, EPSILON), [pair] * 3)


@every_path_case
def test_without_bounding_the_canary_is_seen(case: PathCase, pairs: dict[Neighbours, Pair]) -> None:
    """The gate refuses the same rider where the bound is declared and not applied."""
    honest = pairs[Neighbours.ADD_REMOVE].other
    everything = counted(UNIVERSE, honest.dense() + np.arange(UNIVERSE.size) % 2, honest.unit)
    with pytest.raises(AssertionError):
        gates.replay_all(case.over(UNIVERSE, honest.unit, EPSILON), [Pair("unbounded", honest, everything)])
