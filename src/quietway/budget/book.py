"""Reading and appending entries, inside one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

from quietway.budget.account import Account
from quietway.budget.entry import GENESIS, Entry, Head, Kind, Row, digest, sealed_row
from quietway.errors import LedgerError

_COLUMNS = tuple(field.name for field in fields(Entry))
_NAMES = ", ".join(f'"{column}"' for column in _COLUMNS)
_SELECT = f"SELECT {_NAMES} FROM entries"
_INSERT = f"INSERT INTO entries ({_NAMES}) VALUES ({', '.join('?' * len(_COLUMNS))})"
_LATEST = f"{_SELECT} WHERE id IN (SELECT max(id) FROM entries GROUP BY dataset) ORDER BY dataset"


@dataclass(frozen=True)
class Book:
    """The entries of a ledger, as one transaction sees them."""

    path: Path
    connection: sqlite3.Connection

    def account(self, dataset: str) -> Account | None:
        """Where a dataset stands, if it was ever given a limit."""
        entry = self._last("WHERE dataset = ?", dataset)
        return None if entry is None else entry.account

    def accounts(self) -> tuple[Account, ...]:
        """Where every dataset stands, by name."""
        return tuple(self._trusted(row).account for row in self._select(_LATEST))

    def entries(self, dataset: str | None) -> tuple[Entry, ...]:
        """What happened, in order, to one dataset or to all."""
        return tuple(self._readable(row) for row in self.rows(dataset=dataset))

    def rows(self, *, dataset: str | None = None, up_to: int | None = None) -> Iterator[Row]:
        """Entries in order, as the file holds them."""
        condition = "WHERE (?1 IS NULL OR dataset = ?1) AND (?2 IS NULL OR id <= ?2) ORDER BY id"
        return self._select(f"{_SELECT} {condition}", dataset, up_to)

    def head(self) -> Head:
        """What the file says its last entry is; the genesis if it says nothing."""
        found = self.connection.execute("SELECT entry, hash FROM head").fetchone()
        return GENESIS if found is None else Head(*found)

    def append(
        self,
        kind: Kind,
        account: Account,
        *,
        epsilon: Fraction | None = None,
        purpose: str = "",
        spec_hash: str = "",
    ) -> Entry:
        """Record a move to `account` after the last entry, and make it the head."""
        time = datetime.now(UTC).isoformat(timespec="microseconds")
        row = sealed_row(
            kind,
            account,
            after=self._tail(),
            time=time,
            epsilon=epsilon,
            purpose=purpose,
            spec_hash=spec_hash,
        )
        self.connection.execute(_INSERT, tuple(row[column] for column in _COLUMNS))
        self.connection.execute("UPDATE head SET entry = ?, hash = ?", (row["id"], row["hash"]))
        return Entry.from_row(row)

    def _tail(self) -> Head:
        last = self._last("")
        tail = GENESIS if last is None else Head(last.id, last.hash)
        if tail != self.head():
            raise LedgerError(
                f"the last entry of ledger {self.path} is not the one that was written last; nothing was spent. "
                "Run `quietway ledger verify`"
            )
        return tail

    def _last(self, condition: str, *values: str) -> Entry | None:
        rows = self._select(f"{_SELECT} {condition} ORDER BY id DESC LIMIT 1", *values)
        return next((self._trusted(row) for row in rows), None)

    def _select(self, query: str, *values: str | int | None) -> Iterator[Row]:
        for values_found in self.connection.execute(query, values):
            yield dict(zip(_COLUMNS, values_found, strict=True))

    def _trusted(self, row: Row) -> Entry:
        if digest(row) != row["hash"]:
            raise LedgerError(
                f"entry {row['id']} of ledger {self.path} was altered; nothing was spent. "
                "Run `quietway ledger verify`"
            )
        return self._readable(row)

    def _readable(self, row: Row) -> Entry:
        try:
            return Entry.from_row(row)
        except ValueError as error:
            raise LedgerError(
                f"entry {row['id']} of ledger {self.path} is damaged; run `quietway ledger verify`"
            ) from error
