"""The organisation's record of what every dataset may spend and has spent."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from unicodedata import is_normalized

from quietway.budget import schema
from quietway.budget.account import Account, limit_command
from quietway.budget.audit import chain_reaches, problems
from quietway.budget.book import Book
from quietway.budget.claim import Claim, disagreements
from quietway.budget.cost import Cost, parse_epsilon
from quietway.budget.entry import Entry, Head, Kind
from quietway.errors import BudgetError, ConfigError, LedgerError
from quietway.universe.unit import PrivacyUnit

PATIENCE = 10.0  # seconds to wait for another process to finish its charge


@dataclass(frozen=True, kw_only=True)
class Charge:
    """A payment that stands, whatever happens next."""

    id: int
    dataset: str
    epsilon: Fraction
    hash: str
    time: str


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """One file, many datasets, entries that are only ever added.

    Every call opens the file anew, so a ledger may be shared by threads and
    forked processes, and never works on a file that was replaced. The whole
    chain is checked before anything rests on it, again whenever the file is
    not as this object left it.

    Privacy: the charges of a dataset never exceed its limit, whatever is
        chosen adaptively, however many processes ask at once, and wherever
        one of them is killed. What the chain of hashes proves, and what it
        cannot, stands in docs/methods/budget.md.
    """

    path: Path
    patience: float = PATIENCE
    _checked: dict[str, tuple[schema.Mark, Head]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    @classmethod
    def open(cls, path: str | Path, create: bool = True, *, patience: float = PATIENCE) -> Ledger:
        """The ledger in that file; a new one if there is none and `create` allows it."""
        ledger = cls(path=Path(path).absolute(), patience=patience)
        if not os.path.exists(ledger.path):  # noqa: PTH110 - Path.exists raises in a folder closed to us
            if not create:
                raise LedgerError(
                    f"there is no ledger at {ledger.path}; name its file with `--ledger FILE`, or begin one: "
                    f"`{limit_command('DATASET', ledger.path)}`"
                )
            schema.create(ledger.path, patience=patience)
        with ledger._book(writes=False, intact=False):
            return ledger

    def limit(self, dataset: str, epsilon: Fraction, *, unit: PrivacyUnit | None = None) -> Account:
        """Set, raise or lower the total that a dataset may spend; with a unit, fix that too."""
        _require_text("dataset", dataset, empty=False)
        wanted = parse_epsilon(epsilon)
        with self._book(writes=True) as book:
            before = book.account(dataset)
            account = (before or Account(dataset=dataset, limit=wanted, ledger=self.path)).limited(wanted)
            if account != before:
                book.append(Kind.LIMIT, account, epsilon=wanted)
            return account if unit is None else _opened(book, account, unit)

    def charge(self, dataset: str, cost: Cost, *, purpose: str, spec_hash: str) -> Charge:
        """Pay before any noise is drawn: durable when this returns.

        A QuietwayError means that nothing was spent, unless it is `Unsettled`;
        after any other exception the charge may stand.
        """
        _require_text("purpose", purpose)
        _require_text("spec_hash", spec_hash)
        with self._book(writes=True) as book:
            account = _opened(book, self._known(book, dataset), cost.unit)
            entry = book.append(
                Kind.CHARGE, account.charged(cost), epsilon=cost.epsilon, purpose=purpose, spec_hash=spec_hash
            )
        return Charge(id=entry.id, dataset=dataset, epsilon=cost.epsilon, hash=entry.hash, time=entry.time)

    def account(self, dataset: str) -> Account:
        """Where a dataset stands."""
        with self._book(writes=False) as book:
            return self._known(book, dataset)

    def accounts(self) -> tuple[Account, ...]:
        """Where every dataset stands, by name."""
        with self._book(writes=False) as book:
            return book.accounts()

    def entries(self, dataset: str | None = None) -> tuple[Entry, ...]:
        """What happened, in order, to one dataset or to all."""
        with self._book(writes=False) as book:
            return book.entries(dataset)

    def verify(self) -> list[str]:
        """Every problem found in the whole file; an empty list means intact."""
        with self._book(writes=False, intact=False) as book:
            return [*schema.file_problems(book.connection), *problems(book.rows(), head=book.head())]

    def disputed(self, claims: Iterable[Claim]) -> list[str]:
        """Everything that releases say about their payments and the entries they name do not bear out."""
        with self._book(writes=False, intact=False) as book:
            return list(disagreements(tuple(claims), book.rows()))

    def contains(self, entry_id: int, hash: str) -> bool:
        """Whether the chain, checked from its first entry on, reaches that entry with that hash."""
        with self._book(writes=False, intact=False) as book:
            if self._knows(book):
                return book.holds(Head(entry_id, hash))
            return chain_reaches(book.rows(up_to=entry_id), Head(entry_id, hash))

    @contextmanager
    def _book(self, *, writes: bool, intact: bool = True) -> Generator[Book]:
        with (
            schema.connected(self.path, patience=self.patience) as connection,
            schema.transaction(connection, writes=writes),
        ):
            book = Book(self.path, connection)
            if intact and not self._knows(book):
                book.require_intact()
            yield book
            head = book.head()
        if intact:
            self._checked["last"] = schema.mark(self.path), head

    def _knows(self, book: Book) -> bool:
        """Whether the file is as this object last checked or left it."""
        return self._checked.get("last") == (schema.mark(self.path), book.head())

    def _known(self, book: Book, dataset: str) -> Account:
        account = book.account(dataset)
        if account is None:
            raise BudgetError(
                f"dataset '{dataset}' has no limit in ledger {self.path}; "
                f"set what it may spend in total first: `{limit_command(dataset, self.path)}`"
            )
        return account


def _opened(book: Book, account: Account, unit: PrivacyUnit) -> Account:
    """The account held to the unit, which its first use records."""
    opened = account.opened(unit)
    if account.unit is None:
        book.append(Kind.OPEN, opened)
    return opened


def _require_text(name: str, text: str, *, empty: bool = True) -> None:
    """Refuse what would look like another name, or could not be written as one line."""
    odd = not text.isprintable() or text != text.strip() or not is_normalized("NFC", text)
    if odd or len(text) > 500 or not (text or empty):
        raise ConfigError(
            f"{name} must be one line of plain text, without spaces around it, of at most 500 characters"
        )
