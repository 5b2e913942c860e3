"""The ledger's file: made whole, kept durable, and refused when it is not what it should be."""

from __future__ import annotations

import resource
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from quietway.budget import Charge, Ledger, schema
from quietway.errors import LedgerError, Unsettled

Pay = Callable[[str], Charge]


def run(path: Path, *statements: str) -> None:
    """Change a ledger's file behind its back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def test_commits_wait_for_the_disk(ledger: Ledger) -> None:
    """Rollback journal with EXTRA: file, journal and folder are synced before a charge returns."""
    with schema.connected(ledger.path, patience=1) as connection:
        found = [
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "fullfsync")
        ]
    assert found == ["delete", 3, 1]


def test_a_new_ledger_is_synced_with_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of a new file is as durable as its content."""
    synced = list[Path]()
    monkeypatch.setattr(schema, "_sync_folder", synced.append)
    Ledger.open(tmp_path / "ledger")
    assert synced == [tmp_path]
    assert list(tmp_path.iterdir()) == [tmp_path / "ledger"]


def test_creating_never_replaces_a_ledger(ledger: Ledger, pay: Pay) -> None:
    """Whoever creates second finds the first one's entries."""
    pay("1/10")
    schema.create(ledger.path, patience=1)
    assert len(ledger.entries()) == 3
    assert list(ledger.path.parent.iterdir()) == [ledger.path]


@pytest.mark.parametrize(
    "statement", ["UPDATE entries SET spent = '0/1'", "DELETE FROM entries", "DELETE FROM head"]
)
def test_entries_are_only_ever_added(ledger: Ledger, statement: str) -> None:
    """A careless statement is refused by the file itself."""
    with pytest.raises(sqlite3.IntegrityError, match="never"):
        run(ledger.path, statement)


@pytest.mark.parametrize("entry", [1, 7, "NULL"])
def test_an_entry_cannot_be_replaced_or_skipped(ledger: Ledger, entry: int | str) -> None:
    """REPLACE, which deletes without asking the triggers, is refused too."""
    columns = "'', 'charge', 'rides', NULL, '1/1', '1/1', '0/1', '', '', '', ''"
    with pytest.raises(sqlite3.IntegrityError, match="follows the last one"):
        run(ledger.path, f"INSERT OR REPLACE INTO entries VALUES ({entry}, {columns})")


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n" * 500, b"SQLite format 3\x00" + b"\xff" * 4096])
def test_a_file_that_is_no_ledger_is_refused(tmp_path: Path, content: bytes) -> None:
    """An empty file, a table of trips or garbage is never taken for a ledger, nor overwritten."""
    path = tmp_path / "trips.csv"
    path.write_bytes(content)
    with pytest.raises(LedgerError, match=r"not a (Quietway )?ledger"):
        Ledger.open(path)
    assert path.read_bytes() == content


def test_another_database_is_refused(tmp_path: Path) -> None:
    """An SQLite file of another program is left alone."""
    run(tmp_path / "other.db", "CREATE TABLE entries (id)")
    with pytest.raises(LedgerError, match="not a Quietway ledger"):
        Ledger.open(tmp_path / "other.db")


def test_a_newer_ledger_is_refused(ledger: Ledger, pay: Pay) -> None:
    """An old program does not guess what a newer format means."""
    run(ledger.path, f"PRAGMA user_version = {schema.VERSION + 1}")
    with pytest.raises(LedgerError, match=r"newer Quietway \(format 2; this one reads 1\); upgrade first"):
        pay("1/10")


@pytest.mark.parametrize("page", [0, 1, 2, 3])
def test_corrupt_bytes_never_pass_for_a_budget(ledger: Ledger, pay: Pay, page: int) -> None:
    """Whichever page is overwritten, no charge is granted and no audit comes back clean."""
    pay("1/10")
    content = bytearray(ledger.path.read_bytes())
    content[4096 * page : 4096 * (page + 1)] = b"\xa5" * 4096
    ledger.path.write_bytes(content)
    with pytest.raises(LedgerError, match="damaged"):
        pay("1/10")
    try:
        assert "damaged" in ledger.verify()[0]
    except LedgerError as refusal:
        assert "is damaged" in refusal.message


def test_a_full_disk_spends_nothing(ledger: Ledger, pay: Pay, monkeypatch: pytest.MonkeyPatch) -> None:
    """When no page can be added, the charge that needed one leaves no trace."""
    pages = ledger.path.stat().st_size // 4096
    monkeypatch.setattr(schema, "PRAGMAS", (*schema.PRAGMAS, f"PRAGMA max_page_count = {pages}"))
    charges = list[Charge]()
    with pytest.raises(LedgerError, match="no room left on its disk; nothing was spent"):
        while len(charges) < 1000:
            charges.append(pay("1/1000"))
    assert ledger.account("rides").spent * 1000 == len(charges)
    assert ledger.verify() == []


def test_a_failing_disk_leaves_the_charge_open(ledger: Ledger, pay: Pay) -> None:
    """When a write itself fails, nothing is claimed about the charge, and the ledger is whole."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (256, before[1]))
    try:
        with pytest.raises(
            Unsettled, match=r"may or may not stand; look at `quietway ledger show --ledger \S+`"
        ):
            pay("1/10")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert ledger.verify() == []


def test_a_file_that_cannot_be_written_spends_nothing(
    ledger: Ledger, pay: Pay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ledger that may only be read can be shown and not charged."""
    with monkeypatch.context() as readonly:
        readonly.setattr(schema, "PRAGMAS", ("PRAGMA query_only = ON",))
        assert ledger.account("rides").left == 1
        with pytest.raises(LedgerError, match=r"cannot be written; nothing was spent. Let this user write"):
            pay("1/10")
    assert ledger.account("rides").left == 1


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    """The refusal says which folder to make, and makes nothing."""
    with pytest.raises(
        LedgerError, match=r"the folder \S+/nowhere does not exist\. Make it, or name another"
    ):
        Ledger.open(tmp_path / "nowhere" / "ledger")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("junk", [b"\x00", b"\x0d\x00", b"\xa5"])
@pytest.mark.parametrize("page", [1, 2, 3])
def test_a_page_begun_anew_is_not_shown_as_empty(ledger: Ledger, pay: Pay, page: int, junk: bytes) -> None:
    """Bytes that look like an empty page are damage, not an empty ledger."""
    pay("1/10")
    content = bytearray(ledger.path.read_bytes())
    content[4096 * page : 4096 * page + 600] = (junk + b"\x00" * 600)[:600]
    ledger.path.write_bytes(content)
    for ask in (ledger.accounts, ledger.entries, lambda: ledger.account("rides"), lambda: pay("1/10")):
        with pytest.raises(LedgerError, match="damaged"):
            ask()


def test_a_file_system_without_links_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a ledger cannot be made safely, it is not made at all."""

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    with pytest.raises(LedgerError, match="cannot be created: Operation not permitted"):
        Ledger.open(tmp_path / "ledger")
    assert not list(tmp_path.iterdir())
