"""Records made into paths, beside the same job written by hand in DuckDB's SQL, in one run.

python benchmarks/od_ingest.py [ROWS]

The jobs, from a Parquet file: rows that are stops put in order, and sightings
reduced to the first of each frame of the day, the place most seen in it, or
stays. Each keeps at most 4 paths of three stops of each user and fetches a row
and a column of a 1000 by 1000 grid for each stop. Ours also checks every
record, and that is part of its time; the SQL checks nothing. By hand, a stay
is found as ours is: there is no other way in SQL that was found to be faster.
Each runs alone in a process of its own, whose peak memory is reported.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

OUT = Path(__file__).parent / "out"
ROWS = 1_000_000
ROWS_PER_USER = 50
LIMIT = 4
REPEATS = 3
SIDE = 1_000
WEST, SOUTH, EAST, NORTH = -84.0, 42.0, -83.0, 43.0
FRAMES = ((0, 10), (10, 15), (15, 24))
RADIUS, MINUTES = 300, 30
HEADINGS = ("job", "seconds", "CPU seconds", "peak GB", "paths")
KINDS = ("stops", "first", "most", "stays")

Row = dict[str, Any]


def run(rows: int = ROWS) -> dict[str, float]:
    """Print the table, and return our processor time over that of the SQL, job by job, from the same run."""
    OUT.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=OUT) as folder:
        path = Path(folder) / "sightings.parquet"
        write_rows(path, rows)
        rounds = [[_measured(kind, side, path) for kind in KINDS for side in JOBS] for _ in range(REPEATS)]
    found = [_best(list(runs)) for runs in zip(*rounds, strict=True)]
    for row in (dict(zip(HEADINGS, HEADINGS, strict=True)), *found):
        print("".join(f"{_shown(row[heading]):<18}" for heading in HEADINGS))
    pairs = list(zip(KINDS, found[::2], found[1::2], strict=True))
    for kind, own, sql in pairs:
        assert own["paths"] == sql["paths"], f"not the same paths by {kind}"
    return {f"od_ingest_{kind}_vs_sql": own["CPU seconds"] / sql["CPU seconds"] for kind, own, sql in pairs}


def write_rows(path: Path, rows: int) -> None:
    """Sightings of ten days, each user about a home of their own; five names of paths for each user."""
    import duckdb

    users = max(rows // ROWS_PER_USER, 1)
    degrees = {
        name: f"{low} + 0.1 + (hash(u + {salt}) % 800) / 1e3 + (hash(i // 4 + {salt}) % 80) / 1e3 "
        f"+ (hash(i + {salt}) % 1000) / 1e6"
        for name, low, salt in (("lon", WEST, 3), ("lat", SOUTH, 4))
    }
    columns = ", ".join(f"{value} AS {name}" for name, value in degrees.items())
    duckdb.sql(
        f'COPY (SELECT u AS "user", (hash(i + 9) % 5)::BIGINT AS path, (hash(i + 1) % 1000000000)::BIGINT AS number, '
        "TIMESTAMP '2024-03-01' + to_seconds((hash(i // 4 + 6) % 864000 + i % 4 * 900)::BIGINT) AS time, "
        f"{columns} FROM (SELECT i, (hash(i // {ROWS_PER_USER}) % {users})::BIGINT AS u FROM range({rows}) n(i)) "
        f"ORDER BY hash(i)) TO '{path}' (FORMAT parquet)"
    )


def ours(kind: str, path: Path) -> int:
    """Quietway, from opening the file to points."""
    from quietway.counts.tabulate_paths import tabulate_paths
    from quietway.records import Clock, GridAxis
    from quietway.records.column import Column, Kind
    from quietway.records.paths import FramePaths, StayPaths, StopRows, StopRules, open_paths
    from quietway.universe import PrivacyUnit, Protects

    clock = Clock(column="time", timezone="America/Detroit", clock="local")
    rules = StopRules(fewer="drop", more="ends", twice="drop")
    spans = tuple((60 * start, 60 * end) for start, end in FRAMES)
    readings = {
        "stops": StopRows(path="path", order=Column(name="number", kind=Kind.ORDER), rules=rules),
        "first": FramePaths(clock=clock, spans=spans, fewer="drop"),
        "most": FramePaths(clock=clock, spans=spans, pick="most", fewer="drop"),
        "stays": StayPaths(clock=clock, lon="lon", lat="lat", radius=RADIUS, minutes=MINUTES, rules=rules),
    }
    box: dict[str, Any] = {"west": WEST, "south": SOUTH, "east": EAST, "north": NORTH}
    grid = GridAxis(name="places", rows=SIDE, columns=SIDE, lon="lon", lat="lat", **box)
    paths = open_paths(
        path,
        stops=("a", "b", "c"),
        places=(grid,) * 3,
        reading=readings[kind],
        unit=PrivacyUnit(protects=Protects.USER, max_trips=LIMIT),
        user="user",
    )
    return len(tabulate_paths(paths, outside="drop").points)


def sql(kind: str, path: Path) -> int:
    """The same by hand, without any check."""
    import duckdb
    import numpy as np

    engine = duckdb.connect()
    engine.sql("SET disabled_optimizers = 'top_n_window_elimination'")
    day = 'epoch_us(time) // 86400000000 AS day, epoch_us(time) AS t, "user"'
    queries = {
        "stops": _ends(
            f'SELECT *, row_number() OVER (PARTITION BY "user", path ORDER BY number) - 1 AS k, '
            f'count(*) OVER (PARTITION BY "user", path) AS n FROM (SELECT "user", path, number, {_cell()} FROM '
            f"'{path}')",
            '"user", path',
        ),
        "first": _framed(
            f"SELECT {day}, {_cell()} FROM '{path}'",
            "arg_min(cell, t)",
            "min(t)",
            lambda a, b: _between(a, b),
        ),
        "most": _framed(
            'SELECT *, row_number() OVER (PARTITION BY "user", day, frame ORDER BY n DESC, t, cell) AS k FROM '
            f'(SELECT "user", day, frame, cell, count(*) AS n, min(t) AS t FROM (SELECT *, CASE {_cases()} END AS '
            f"frame FROM (SELECT {day}, {_cell()} FROM '{path}')) GROUP BY ALL)",
            "max(cell)",
            "max(cell)",
            lambda a, b: f"k = 1 AND frame = {a}",
        ),
        "stays": _ends(_stays(path, day), '"user", day'),
    }
    draw = f'SELECT a, b, c FROM (SELECT *, row_number() OVER (PARTITION BY "user" ORDER BY random()) AS k FROM ({queries[kind]})) WHERE k <= {LIMIT} AND a + b + c IS NOT NULL'
    found = engine.sql(draw).fetchnumpy()
    return len(np.column_stack([part for cell in "abc" for part in np.divmod(found[cell], SIDE)]))


def _cell() -> str:
    column = f"least(floor((lon - {WEST}) / {(EAST - WEST) / SIDE})::BIGINT, {SIDE - 1})"
    row = f"least(floor((lat - {SOUTH}) / {(NORTH - SOUTH) / SIDE})::BIGINT, {SIDE - 1})"
    inside = f"lon BETWEEN {WEST} AND {EAST} AND lat BETWEEN {SOUTH} AND {NORTH}"
    return f"CASE WHEN {inside} THEN {row} * {SIDE} + {column} END AS cell"


def _between(first: int, last: int) -> str:
    hour = 3_600_000_000
    return f"t % 86400000000 BETWEEN {first * hour} AND {last * hour - 1}"


def _cases() -> str:
    return " ".join(f"WHEN {_between(first, last)} THEN {first}" for first, last in FRAMES)


def _framed(rows: str, cell: str, known: str, within: Callable[[int, int], str]) -> str:
    stops = ", ".join(
        f"{cell} FILTER ({within(*span)}) AS {name}, {known} FILTER ({within(*span)}) AS {name}_known"
        for name, span in zip("abc", FRAMES, strict=True)
    )
    whole = " AND ".join(f"{name}_known IS NOT NULL" for name in "abc")
    return f'SELECT * FROM (SELECT "user", day, {stops} FROM ({rows}) GROUP BY ALL) WHERE {whole}'


def _ends(rows: str, key: str) -> str:
    chosen = ", ".join(f"max(cell) FILTER (k = {i} * (n - 1) // 2) AS {name}" for i, name in enumerate("abc"))
    return f"SELECT {key}, {chosen} FROM ({rows}) GROUP BY {key} HAVING max(n) >= 3"


def _stays(path: Path, day: str) -> str:
    key, onward = 'PARTITION BY "user", day', 'PARTITION BY "user", day ORDER BY t, lon, lat'
    soon = f"{key} ORDER BY t RANGE BETWEEN CURRENT ROW AND {MINUTES * 60_000_000} FOLLOWING"
    known = (
        f"SELECT *, lead(t) OVER w AS t2, lead(lon) OVER w AS lon2, lead(lat) OVER w AS lat2, max(t) OVER s AS t1, "
        f"min(lon) OVER s AS x0, max(lon) OVER s AS x1, min(lat) OVER s AS y0, max(lat) OVER s AS y1 "
        f"FROM (SELECT {day}, lon, lat FROM '{path}') WINDOW w AS ({onward}), s AS ({soon})"
    )
    metres, width = "* 111320", 2 * RADIUS
    near = f"(y1 - y0) {metres} <= {width} AND (x1 - x0) * cos(radians(lat)) {metres} <= {width}"
    next_too = (
        f"(greatest(y1, lat2) - least(y0, lat2)) {metres} <= {width} AND t2 IS NOT NULL AND "
        f"(greatest(x1, lon2) - least(x0, lon2)) * cos(radians(lat)) {metres} <= {width}"
    )
    reach = f"SELECT *, CASE WHEN {next_too} THEN greatest(t1, t2) WHEN {near} THEN t1 ELSE t END AS reach FROM ({known})"
    begun = f"SELECT *, coalesce(t > max(reach) OVER ({onward} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), true) AS b FROM ({reach})"
    chained = f"SELECT *, sum(b::INT) OVER ({onward} ROWS UNBOUNDED PRECEDING) AS stay FROM ({begun})"
    stays = f'SELECT "user", day, min(t) AS t, median(lon) AS lon, median(lat) AS lat FROM ({chained}) GROUP BY "user", day, stay HAVING max(t) - min(t) >= {MINUTES * 60_000_000}'
    return f'SELECT *, row_number() OVER ({key} ORDER BY t) - 1 AS k, count(*) OVER ({key}) AS n FROM (SELECT "user", day, t, {_cell()} FROM ({stays}))'


JOBS: dict[str, Callable[[str, Path], int]] = {"ours": ours, "sql": sql}


def _best(runs: list[Row]) -> Row:
    least = {heading: min(run[heading] for run in runs) for heading in ("seconds", "CPU seconds")}
    return {**runs[0], **least, "peak GB": max(run["peak GB"] for run in runs)}


def _measured(kind: str, side: str, path: Path) -> Row:
    """One job in a process of its own, its imports left out of the time."""
    command = [sys.executable, __file__, "--job", kind, side, str(path)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _report(kind: str, side: str, path: Path) -> None:
    import duckdb  # noqa: F401
    import ibis

    import quietway.counts.tabulate_paths
    import quietway.records.paths  # noqa: F401

    ibis.duckdb.connect()
    start, processor = perf_counter(), process_time()
    found = JOBS[side](kind, path)
    seconds, processor = perf_counter() - start, process_time() - processor
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(json.dumps(dict(zip(HEADINGS, (f"{kind}, {side}", seconds, processor, peak, found), strict=True))))


def _shown(value: object) -> str:
    return f"{value:,.2f}" if isinstance(value, float) else f"{value}"


def main(arguments: list[str]) -> None:
    """Measure one job, or all of them."""
    if arguments[:1] == ["--job"]:
        kind, side, path = arguments[1:]
        _report(kind, side, Path(path))
        return
    for name, value in run(*map(int, arguments)).items():
        print(f"{name}: {value:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
