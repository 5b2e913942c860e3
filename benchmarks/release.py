"""The example day, released: time and peak memory of each step, beside a floor of plain reading and writing."""

from __future__ import annotations

import resource
import tempfile
import time
from itertools import pairwise
from pathlib import Path


def run() -> dict[str, float]:
    """Print the steps of one release."""
    from quietway.budget import Ledger
    from quietway.city import write_example
    from quietway.pipeline import release
    from quietway.spec import load_spec

    with tempfile.TemporaryDirectory() as folder:
        write_example(folder)
        warm = load_spec(Path(folder) / "release.toml")
        Ledger.open(warm.ledger).limit(warm.file.release.dataset, 10 * warm.epsilon)
        release(warm)
        warm.output.rename(warm.output.with_name("first"))
        steps: list[tuple[str, float]] = []
        release(warm, on_step=lambda step: steps.append((step, time.perf_counter())))
        steps.append(("", time.perf_counter()))
        floor = _floor(Path(folder))
    for (step, start), (_, end) in pairwise(steps):
        print(f"{step:<32} {end - start:7.3f} s")
    whole = steps[-1][1] - steps[0][1]
    print(f"{'the whole release':<32} {whole:7.3f} s, {whole / floor:.0f} times the floor")
    print(f"{'floor: read trips, write a table':<32} {floor:7.3f} s")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")
    return {"release_vs_floor": whole / floor}


def _floor(folder: Path) -> float:
    """Reading the trips, counting them without any privacy, and writing the counts."""
    import duckdb

    start = time.perf_counter()
    duckdb.sql(
        f"copy (select origin, destination, hour(departed_at) as hour, count(*) as trips "
        f"from '{folder / 'trips.parquet'}' group by all) to '{folder / 'floor.parquet'}'"
    )
    return time.perf_counter() - start
