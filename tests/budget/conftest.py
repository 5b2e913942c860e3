"""A fresh ledger, and costs to charge it with."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import pytest

from quietway.budget import Charge, Cost, Ledger
from quietway.universe.unit import PrivacyUnit

Pay = Callable[[str], Charge]


@pytest.fixture(scope="session")
def folders() -> Iterator[Callable[[], Path]]:
    """Makes empty folders, in memory where the system has such a place.

    The ledger syncs as always; only the disk's own speed is left out. None of
    these tests can cut the power, so none can tell the difference.
    """
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as name:
        yield lambda: Path(mkdtemp(dir=name))


@pytest.fixture
def tmp_path(folders: Callable[[], Path]) -> Path:
    """An empty folder of the test's own."""
    return folders()


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A ledger where the dataset 'rides' may spend 1."""
    ledger = Ledger.open(tmp_path / "budget.ledger")
    ledger.limit("rides", Fraction(1))
    return ledger


@pytest.fixture
def pay(ledger: Ledger) -> Pay:
    """Charge 'rides' with an epsilon given as text."""

    def charge(epsilon: str) -> Charge:
        cost = Cost(Fraction(epsilon), PrivacyUnit())
        return ledger.charge("rides", cost, purpose="trip table", spec_hash="5bec")

    return charge
