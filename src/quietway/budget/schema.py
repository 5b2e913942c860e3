"""The ledger's file: an SQLite database that only ever grows, durable at every commit."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from shlex import quote
from typing import NamedTuple

from quietway.budget.entry import GENESIS
from quietway.errors import LedgerError, Unsettled

APPLICATION = 0x51574C47  # "QWLG", in the file's header
VERSION = 1

# A rollback journal keeps the whole ledger in one file whenever nobody writes, so a plain copy of
# it is a complete backup. EXTRA syncs the folder too once the journal is gone: with less, a power
# cut just after a commit could bring the journal back, and the commit would be undone.
PRAGMAS = ("PRAGMA journal_mode = DELETE", "PRAGMA synchronous = EXTRA", "PRAGMA fullfsync = ON")

TABLES = {
    "entries": """CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('limit', 'open', 'charge')),
    dataset TEXT NOT NULL,
    unit TEXT,
    epsilon TEXT,
    "limit" TEXT NOT NULL,
    spent TEXT NOT NULL,
    purpose TEXT NOT NULL,
    spec_hash TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL
) STRICT""",
    "entries_by_dataset": "CREATE INDEX entries_by_dataset ON entries (dataset, id)",
    "head": """CREATE TABLE head (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    entry INTEGER NOT NULL,
    hash TEXT NOT NULL
) STRICT""",
}
GUARDS = {
    "entries_keep": """CREATE TRIGGER entries_keep BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'an entry of the ledger is never changed'); END""",
    "entries_stay": """CREATE TRIGGER entries_stay BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'an entry of the ledger is never deleted'); END""",
    "entries_follow": """CREATE TRIGGER entries_follow BEFORE INSERT ON entries
WHEN NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM entries)
BEGIN SELECT RAISE(ABORT, 'an entry of the ledger follows the last one'); END""",
    "head_stays": """CREATE TRIGGER head_stays BEFORE DELETE ON head
BEGIN SELECT RAISE(ABORT, 'the head of the ledger is never deleted'); END""",
}

_UNSETTLED = "SQLITE_IOERR"
_REASONS = {
    "SQLITE_BUSY": "is locked by another process; nothing was spent. Try again when that process is done",
    "SQLITE_LOCKED": "is locked by another process; nothing was spent. Try again when that process is done",
    "SQLITE_FULL": "has no room left on its disk; nothing was spent. Free some space and try again",
    "SQLITE_READONLY": "cannot be written; nothing was spent. Let this user write the file and its folder",
    "SQLITE_CANTOPEN": "cannot be opened; nothing was spent. Let this user write the file and its folder",
    _UNSETTLED: (
        "could not be read or written: the disk reported a failure. A charge under way may or may not stand; "
        "look at `quietway ledger show --ledger {path}` before trying again"
    ),
}
_DAMAGED = "is damaged or is not a ledger; nothing was spent. Restore it from a copy, or name another file"


@contextmanager
def connected(path: Path, *, patience: float) -> Generator[sqlite3.Connection]:
    """A connection to an existing ledger; what is not committed when it closes is undone."""
    with _explained(path), closing(_connect(path, "rw", patience)) as connection:
        _require_ledger(connection, path)
        yield connection


@contextmanager
def transaction(connection: sqlite3.Connection, *, writes: bool) -> Generator[None]:
    """One consistent view; when it writes, alone, and durable once the block has ended well."""
    connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
    yield
    connection.execute("COMMIT")


class Mark(NamedTuple):
    """What a file shows from outside: any change moves its time, but for one in the same tick of the clock."""

    inode: int
    size: int
    modified: int


def mark(path: Path) -> Mark:
    """The file as it stands. It is not opened: closing it again would drop the engine's locks on it."""
    found = path.stat()
    return Mark(found.st_ino, found.st_size, found.st_mtime_ns)


def create(path: Path, *, patience: float) -> None:
    """A new, empty ledger at `path`, whole or not at all; one that is already there is left alone.

    It is written under another name and linked into place, because a link
    never replaces a file: of two processes, the first one's ledger stays.
    """
    if not os.path.isdir(path.parent):  # noqa: PTH112 - Path.is_dir raises in a folder closed to us
        raise LedgerError(
            f"ledger {path} cannot be created: the folder {path.parent} does not exist. Make it, or name another file"
        )
    draft = path.with_name(f".{path.name}.{token_hex(8)}")
    try:
        with _explained(path), closing(_connect(draft, "rwc", patience)) as connection:
            _write_schema(connection)
        with suppress(FileExistsError):
            os.link(draft, path)
        _sync_folder(path.parent)
    except OSError as error:
        raise LedgerError(
            f"ledger {path} cannot be created: {error.strerror}. Name a folder that allows it"
        ) from error
    finally:
        draft.unlink(missing_ok=True)


def file_problems(connection: sqlite3.Connection) -> list[str]:
    """What is wrong with the file itself: rules that were dropped or altered, pages that do not fit together."""
    found = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall())
    altered = sorted({**TABLES, **GUARDS}.items() - found.items())
    foreign = sorted(found.keys() - TABLES.keys() - GUARDS.keys())
    pages = [str(line) for (line,) in connection.execute("PRAGMA integrity_check") if line != "ok"]
    return [
        *(f"the file's rule '{name}' was dropped or altered" for name, _ in altered),
        *(f"the file holds '{name}', which no ledger has" for name in foreign),
        *(f"the file is damaged: {line}" for line in pages),
    ]


def _connect(path: Path, mode: str, patience: float) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=patience, isolation_level=None
    )
    try:
        for pragma in PRAGMAS:
            connection.execute(pragma)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _write_schema(connection: sqlite3.Connection) -> None:
    with transaction(connection, writes=True):
        for statement in (*TABLES.values(), *GUARDS.values()):
            connection.execute(statement)
        connection.execute("INSERT INTO head VALUES (1, ?, ?)", GENESIS)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _require_ledger(connection: sqlite3.Connection, path: Path) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION or version < 1:
        raise LedgerError(f"{path} is not a Quietway ledger; name the ledger's file, or a new one")
    if version > VERSION:
        raise LedgerError(
            f"ledger {path} was written by a newer Quietway (format {version}; this one reads {VERSION}); "
            "upgrade first"
        )


@contextmanager
def _explained(path: Path) -> Generator[None]:
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorname", "")  # absent where Python itself found the fault
        reason = next((_REASONS[known] for known in _REASONS if code.startswith(known)), _DAMAGED)
        failure = Unsettled if code.startswith(_UNSETTLED) else LedgerError
        raise failure(f"ledger {path} {reason.format(path=quote(str(path)))}") from error


def _sync_folder(folder: Path) -> None:
    """Make a new file's name as durable as its content, where folders can be synced."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
