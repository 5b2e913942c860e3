"""The same million trips in universes of 10^6 to 10^12 cells: noise, fit and integers, each size in a fresh process.

The cells' noise is hidden at every size, so that one way of working is seen to
grow. Small universes are not treated so: up to five million cells all noise is
drawn at once, which is faster; a row of its own shows that at 10^6.
"""

from __future__ import annotations

import re
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from math import sqrt
from multiprocessing import get_context
from pathlib import Path
from typing import Any

TRIPS = 10**6
EPSILON = Fraction(1, 10)
SIZES = tuple(10**power for power in range(6, 13))
REPEATS = 3


def run() -> tuple[dict[str, float], dict[str, object]]:
    """Print the seconds of every size; return how far they spread, and the peak memory at the largest."""
    print(f"{TRIPS:,} trips, epsilon {float(EPSILON):g}, best of {REPEATS}")
    print(f"{'cells':>10}{'listed':>10}{'positive':>10}{'seconds':>9}{'CPU':>9}{'MiB':>7}  status")
    drawn = _in_fresh_process(SIZES[0], most_dense=SIZES[0])
    print("^ all noise drawn at once; v hidden")
    rows = [_in_fresh_process(size, most_dense=0) for size in SIZES]
    seconds = [row["processor_seconds"] for row in rows]
    ratios = {
        "universe_flatness": max(seconds) / min(seconds),
        "peak_memory_mib_1e12": rows[-1]["peak_mib"],
    }
    return ratios, {"universe": rows, "universe, all noise drawn": [drawn]}


def _in_fresh_process(size: int, *, most_dense: int) -> dict[str, Any]:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        row = pool.submit(released, size, most_dense).result()
    print(
        f"{row['cells']:>10.3g}{row['listed']:>10,}{row['positive']:>10,}{row['seconds']:9.2f}"
        f"{row['processor_seconds']:9.2f}{row['peak_mib']:7.0f}  {row['status']}",
        flush=True,
    )
    return row


def released(size: int, most_dense: int) -> dict[str, Any]:
    """One size: as many zones as make about that many cells."""
    from quietway.estimate.constraint import cbdp
    from quietway.noise import secure
    from synthetic import PERIODS, counts_in, equal_shares, features_of, trips, universe_of
    from timing import best

    universe = universe_of(round(sqrt(size / PERIODS)))
    counts = counts_in(universe, trips(TRIPS))
    mechanism = equal_shares(features_of(universe), EPSILON, most_dense)
    listed = len(mechanism.measure(counts, rng=secure())[-1].noisy)
    timed = best(lambda: cbdp(mechanism.measure(counts, rng=secure())), REPEATS)
    return {
        "cells": universe.size,
        "listed": listed,
        "positive": len(timed.result.keys),
        "seconds": timed.wall,
        "processor_seconds": timed.processor,
        "peak_mib": peak_mib(),
        "status": timed.result.status,
    }


def peak_mib() -> float:
    """The most memory that this process has held; what the system calls ru_maxrss begins with its parent's."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) / 1024  # pyright: ignore[reportOptionalSubscript]
