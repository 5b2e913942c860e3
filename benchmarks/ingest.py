"""Trips bounded and counted, beside the same job written by hand in DuckDB's SQL, in one run.

python benchmarks/ingest.py [TRIPS]

The job: from a Parquet file, keep at most 20 trips of each user, find the
grid cells of origin and destination and the hour of the local day, count.
Ours also checks every record, and that is part of its time. Each runs
alone in a process of its own, whose peak memory is reported.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, Literal

OUT = Path(__file__).parent / "out"
TRIPS = 20_000_000
TRIPS_PER_USER = 20
LIMIT = 20
REPEATS = 5
SIDE = 20
WEST, SOUTH, EAST, NORTH = -83.85, 42.15, -83.55, 42.40
HEADINGS = ("job", "seconds", "CPU seconds", "peak GB", "trips counted")

Row = dict[str, float | str]


def run(trips: int = TRIPS) -> dict[str, float]:
    """Print the table, and return the ratios of the same run."""
    rows = table(trips)
    for row in (dict(zip(HEADINGS, HEADINGS, strict=True)), *rows):
        print("".join(f"{_shown(row[heading]):<18}" for heading in HEADINGS))
    return _ratios(rows)


def ratios(trips: int = TRIPS) -> dict[str, float]:
    """Our time, of the slower policy on outsiders, over that of the faster SQL by hand; 1.5 is the most it may be.

    By the clock, and in processor time, which says more where other work shares the machine.
    """
    return _ratios(table(trips))


def table(trips: int = TRIPS) -> list[Row]:
    """The best of some runs of each job, taken in turn: each time the least, the peak the greatest."""
    OUT.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=OUT) as folder:
        path = Path(folder) / "trips.parquet"
        write_trips(path, trips)
        rounds = [[_measured(name, path) for name in JOBS] for _ in range(REPEATS)]
    return [_best(runs) for runs in zip(*rounds, strict=True)]


def _best(runs: Sequence[Row]) -> Row:
    least = {heading: min(float(run[heading]) for run in runs) for heading in ("seconds", "CPU seconds")}
    return {**runs[0], **least, "peak GB": max(float(run["peak GB"]) for run in runs)}


def write_trips(path: Path, trips: int) -> None:
    """Synthetic trips of one month, of users with 20 each on average."""
    import duckdb

    users = max(trips // TRIPS_PER_USER, 1)
    degrees = {
        f"{end}_{axis}": f"{low} + (hash(i + {salt}) % 1000000) / 1e6 * {high - low:.6f}"
        for end, salts in (("from", (1, 2)), ("to", (3, 4)))
        for (axis, low, high), salt in zip((("lon", WEST, EAST), ("lat", SOUTH, NORTH)), salts, strict=True)
    }
    columns = ", ".join(f"{value} AS {name}" for name, value in degrees.items())
    duckdb.sql(
        f"COPY (SELECT (hash(i + 5) % {users})::BIGINT AS user, {columns}, "
        "TIMESTAMP '2024-03-01' + to_seconds((hash(i + 6) % 2592000)::BIGINT) AS departed_at "
        f"FROM range({trips}) numbers(i)) TO '{path}' (FORMAT parquet)"
    )


def ours(path: Path, outside: Literal["drop", "refuse"] = "drop") -> int:
    """Quietway, from opening the file to counts."""
    from quietway.counts.tabulate import tabulate
    from quietway.records import GridAxis, PeriodAxis, open_trips
    from quietway.universe import PrivacyUnit, Protects, Universe

    box: dict[str, Any] = {"west": WEST, "south": SOUTH, "east": EAST, "north": NORTH}
    box |= {"rows": SIDE, "columns": SIDE}
    axes = (
        GridAxis(name="origin", lon="from_lon", lat="from_lat", **box),
        GridAxis(name="destination", lon="to_lon", lat="to_lat", **box),
        PeriodAxis(name="hour", column="departed_at", minutes=60, timezone="America/Detroit"),
    )
    universe = Universe(tuple(axis.axis() for axis in axes))
    unit = PrivacyUnit(protects=Protects.USER, max_trips=LIMIT)
    trips = open_trips(path, axes=axes, unit=unit, user="user")
    return int(tabulate(trips, universe, axes, outside=outside).values.sum())


def refusing(path: Path) -> int:
    """The same, where one trip outside would stop it."""
    return ours(path, "refuse")


def sql(path: Path, *settings: str) -> int:
    """The same by hand, without any check, the key found before the sort as the engine does best."""
    import duckdb

    connection = duckdb.connect()
    for setting in settings:
        connection.sql(setting)
    cells = (_cell("from_lon", "from_lat"), _cell("to_lon", "to_lat"))
    key = f"({cells[0]} * {SIDE * SIDE} + {cells[1]}) * 24 + hour(departed_at)"
    counted = connection.sql(
        "SELECT key, count(*) AS trips FROM (SELECT key, row_number() OVER (PARTITION BY user ORDER BY draw) AS rank "
        f"FROM (SELECT user, random() AS draw, {key} AS key FROM '{path}')) "
        f"WHERE rank <= {LIMIT} AND key IS NOT NULL GROUP BY key"
    ).fetchnumpy()
    return int(counted["trips"].sum())


def tuned_sql(path: Path) -> int:
    """The same with the optimisation off that costs this query time and memory."""
    return sql(path, "SET disabled_optimizers = 'top_n_window_elimination'")


JOBS: dict[str, Callable[[Path], int]] = {
    "ours, drop": ours,
    "ours, refuse": refusing,
    "sql": sql,
    "sql, tuned": tuned_sql,
}


def _cell(lon: str, lat: str) -> str:
    column = f"least(floor(({lon} - {WEST}) / {(EAST - WEST) / SIDE})::BIGINT, {SIDE - 1})"
    row = f"least(floor(({lat} - {SOUTH}) / {(NORTH - SOUTH) / SIDE})::BIGINT, {SIDE - 1})"
    inside = f"{lon} BETWEEN {WEST} AND {EAST} AND {lat} BETWEEN {SOUTH} AND {NORTH}"
    return f"CASE WHEN {inside} THEN {row} * {SIDE} + {column} END"


def _ratios(rows: list[Row]) -> dict[str, float]:
    return {"ingest_vs_sql": _ratio(rows, "seconds"), "ingest_cpu_vs_sql": _ratio(rows, "CPU seconds")}


def _ratio(rows: list[Row], heading: str) -> float:
    spent = {row["job"]: float(row[heading]) for row in rows}
    return max(spent["ours, drop"], spent["ours, refuse"]) / min(spent["sql"], spent["sql, tuned"])


def _measured(job: str, path: Path) -> Row:
    """One job in a process of its own, its imports left out of the time."""
    command = [sys.executable, __file__, "--job", job, str(path)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _report(job: str, path: Path) -> None:
    import duckdb  # noqa: F401
    import ibis

    import quietway.counts.tabulate  # noqa: F401

    ibis.duckdb.connect()
    start, processor = perf_counter(), process_time()
    counted = JOBS[job](path)
    seconds, processor = perf_counter() - start, process_time() - processor
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(json.dumps(dict(zip(HEADINGS, (job, seconds, processor, peak, counted), strict=True))))


def _shown(value: object) -> str:
    return f"{value:,.2f}" if isinstance(value, float) else f"{value}"


def main(arguments: list[str]) -> None:
    """Measure one job, or all of them."""
    if arguments[:1] == ["--job"]:
        _report(arguments[1], Path(arguments[2]))
        return
    trips = int(arguments[0]) if arguments else TRIPS
    for name, value in run(trips).items():
        print(f"\n{name}: {value:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
