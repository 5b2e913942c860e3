"""A release file over 100,000 x 100,000 zones x 96 periods with a million synthetic trips, and its release.

python benchmarks/huge_release.py FOLDER
"""

from __future__ import annotations

import csv
import sys
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from synthetic import PERIODS, PLACES, RINGS, ZONES, Index, trips

GRID_SIDE = 317
MINUTES = 15
TEXT = """
[release]
name = "A country, one day"
dataset = "country"
output = "published"

[records]
path = "trips.parquet"

[unit]
protects = "trip"

[privacy]
epsilon = "{epsilon}"
ledger = "ledger.sqlite"
{axes}
[[axes]]
name = "period"
kind = "periods"
column = "departed_at"
minutes = {minutes}
timezone = "Europe/Paris"
clock = "local"
{groups}
[[features]]
name = "period"
by = ["period"]

[[features]]
name = "zone pair by period"
by = ["origin:zone", "destination:zone", "period"]

[[features]]
name = "ring pair by period"
by = ["origin:ring_of_origin", "destination:ring_of_destination", "period"]

[method]
name = "cbdp"
prior = "none"
"""
AXIS = """
[[axes]]
name = "{name}"
kind = "places"
column = "{name}"
file = "zones.csv"
id = "id"
lon = "lon"
lat = "lat"
"""
GROUP = """
[groups.{name}]
file = "zones.csv"
labels = ["id"]
block = "{name}"
"""


def write_country(folder: Path, number: int = 10**6, zones: int = PLACES, epsilon: str = "1/10") -> Path:
    """The trips, the zones with their groups, and the release file, whose path is returned."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_zones(folder / "zones.csv", zones)
    parquet.write_table(_records(trips(number), zones), folder / "trips.parquet")
    axes = "".join(AXIS.format(name=name) for name in ("origin", "destination"))
    groups = "".join(GROUP.format(name=name) for name in ("zone", "ring_of_origin", "ring_of_destination"))
    path = folder / "release.toml"
    path.write_text(TEXT.format(epsilon=epsilon, axes=axes, groups=groups, minutes=MINUTES))
    return path


def _write_zones(path: Path, zones: int) -> None:
    """Zones on a grid; zones of zones are bands of it, rings come back several times."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "lon", "lat", "zone", "ring_of_origin", "ring_of_destination"])
        for i in range(zones):
            row, column = divmod(i, GRID_SIDE)
            rings = (i * groups * 3 // zones % groups for groups in RINGS)
            writer.writerow(
                [f"z{i}", f"{0.03 * column:.3f}", f"{42 + 0.02 * row:.3f}", i * ZONES // zones, *rings]
            )


def _records(found: tuple[Index, Index, Index], zones: int) -> pa.Table:
    origin, destination, period = found
    names = np.array([f"z{i}" for i in range(zones)])
    start = np.datetime64(datetime(2024, 3, 12), "us")
    step = np.timedelta64(timedelta(days=1) // PERIODS, "us")
    return pa.table(
        {
            "origin": names[origin * zones // PLACES],
            "destination": names[destination * zones // PLACES],
            "departed_at": start + period * step,
        }
    )


def main() -> None:
    """Write the files and release them, and say what each step took."""
    import resource
    from time import perf_counter

    from quietway.budget import Ledger
    from quietway.pipeline import release
    from quietway.spec import load_spec

    path = write_country(Path(sys.argv[1]))
    marks = [("reading the release file", perf_counter())]
    spec = load_spec(path)
    Ledger.open(spec.ledger).limit(spec.file.release.dataset, 10 * spec.epsilon)
    release(spec, on_step=lambda step: marks.append((step, perf_counter())))
    marks.append(("", perf_counter()))
    for (step, start), (_, end) in pairwise(marks):
        print(f"{step:<34}{end - start:8.2f} s")
    print(f"{'all':<34}{marks[-1][1] - marks[0][1]:8.2f} s")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")


if __name__ == "__main__":
    main()
