"""Reading and appending entries, inside one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from fractions import Fraction
from itertools import chain
from pathlib import Path
from shlex import quote

from quietway.budget.account import Account
from quietway.budget.audit import problems
from quietway.budget.entry import Entry, Head, Kind, Row, sealed_row
from quietway.budget.schema import file_problems
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

    def require_intact(self) -> None:
        """Go on from nothing but a file whose guards, pages and whole chain of entries are as they should be.

        The sums of one dataset rest on every entry before them, so all are
        checked, in the transaction that then charges.
        """
        found = chain(file_problems(self.connection), problems(self.rows(), head=self.head()))
        if problem := next(found, None):
            raise LedgerError(
                f"ledger {self.path} was altered or damaged: {problem}; nothing was spent. Run `quietway ledger verify "
                f"--ledger {quote(str(self.path))}` to see all that is wrong, and restore the file from a copy"
            )

    def account(self, dataset: str) -> Account | None:
        """Where a dataset stands, if it was ever given a limit."""
        last = f"{_SELECT} WHERE dataset = ? ORDER BY id DESC LIMIT 1"
        return next((self._account(row) for row in self._select(last, dataset)), None)

    def accounts(self) -> tuple[Account, ...]:
        """Where every dataset stands, by name."""
        return tuple(self._account(row) for row in self._select(_LATEST))

    def entries(self, dataset: str | None) -> tuple[Entry, ...]:
        """What happened, in order, to one dataset or to all."""
        return tuple(Entry.from_row(row) for row in self.rows(dataset=dataset))

    def rows(self, *, dataset: str | None = None, up_to: int | None = None) -> Iterator[Row]:
        """Entries in order, as the file holds them."""
        condition = "WHERE (?1 IS NULL OR dataset = ?1) AND (?2 IS NULL OR id <= ?2) ORDER BY id"
        return self._select(f"{_SELECT} {condition}", dataset, up_to)

    def head(self) -> Head:
        """What the file says its last entry is; if it says nothing, an end that no chain has."""
        found = self.connection.execute("SELECT entry, hash FROM head").fetchone()
        return Head(0, "") if found is None else Head(*found)

    def holds(self, head: Head) -> bool:
        """Whether that entry stands with that hash; whether the chain leads there is another question."""
        asked = self.connection.execute("SELECT 1 FROM entries WHERE id = ? AND hash = ?", head)
        return asked.fetchone() is not None

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
            after=self.head(),
            time=time,
            epsilon=epsilon,
            purpose=purpose,
            spec_hash=spec_hash,
        )
        self.connection.execute(_INSERT, tuple(row[column] for column in _COLUMNS))
        self.connection.execute("UPDATE head SET entry = ?, hash = ?", (row["id"], row["hash"]))
        return Entry.from_row(row)

    def _select(self, query: str, *values: str | int | None) -> Iterator[Row]:
        for values_found in self.connection.execute(query, values):
            yield dict(zip(_COLUMNS, values_found, strict=True))

    def _account(self, row: Row) -> Account:
        return replace(Entry.from_row(row).account, ledger=self.path)
