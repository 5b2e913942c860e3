"""How many charges a ledger makes durable in a second, beside what the disk itself allows."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from quietway.budget import Cost, Ledger
from quietway.universe.unit import PrivacyUnit

OUT = Path(__file__).parent / "out"  # beside the code, because temporary folders are often in memory
CHARGES = 300
GRAIN = Cost(Fraction(1, 10_000), PrivacyUnit())


def run() -> dict[str, float]:
    """Print the table, and return the ratios of the same run."""
    rows = table()
    for row in rows:
        print(f"{row['operation']:<26}{row['per second']:>12,} /s")
    return {"ledger_charges_per_second": float(rows[0]["per second"])}


def table(charges: int = CHARGES) -> list[dict[str, str | float]]:
    """Durable operations per second, all on the same disk in the same run."""
    OUT.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=OUT) as name:
        folder = Path(name)
        return [
            {"operation": "charge, durable", "per second": round(charges_per_second(folder, charges))},
            {
                "operation": "append to a file, fsync",
                "per second": round(appends_per_second(folder, charges)),
            },
            {"operation": "read an account", "per second": round(accounts_per_second(folder, charges))},
            {"operation": "verify, entries", "per second": round(verified_per_second(folder, charges))},
        ]


def charges_per_second(folder: Path, charges: int) -> float:
    """Charges to one dataset, each durable before the next begins."""
    ledger = _ledger(folder / "charges")
    return _per_second(lambda: _pay(ledger), charges)


def appends_per_second(folder: Path, appends: int) -> float:
    """The floor: a line of the same length, appended and synced."""
    descriptor = os.open(folder / "lines", os.O_CREAT | os.O_WRONLY | os.O_APPEND)

    def append() -> None:
        os.write(descriptor, b"x" * 500)
        os.fsync(descriptor)

    try:
        return _per_second(append, appends)
    finally:
        os.close(descriptor)


def accounts_per_second(folder: Path, reads: int) -> float:
    """Looking up what is left."""
    ledger = _ledger(folder / "accounts")
    return _per_second(lambda: ledger.account("rides"), reads)


def verified_per_second(folder: Path, entries: int) -> float:
    """Entries audited, in a ledger with that many charges."""
    ledger = _ledger(folder / "audits")
    for _ in range(entries):
        _pay(ledger)
    return entries * _per_second(ledger.verify, 1)


def _ledger(path: Path) -> Ledger:
    ledger = Ledger.open(path)
    ledger.limit("rides", Fraction(1000))
    return ledger


def _pay(ledger: Ledger) -> None:
    ledger.charge("rides", GRAIN, purpose="benchmark", spec_hash="0" * 64)


def _per_second(work: Callable[[], object], times: int) -> float:
    start = perf_counter()
    for _ in range(times):
        work()
    return times / (perf_counter() - start)
