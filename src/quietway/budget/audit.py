"""Whether a chain of entries is whole, and whether it kept to the rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quietway.budget.account import Account
from quietway.budget.cost import Cost
from quietway.budget.entry import GENESIS, Entry, Head, Kind, Row, digest
from quietway.errors import QuietwayError


def problems(rows: Iterable[Row], *, head: Head) -> Iterator[str]:
    """Everything wrong with the entries, against the file's own head."""
    last, accounts = GENESIS, dict[str, Account]()
    for row in rows:
        yield from broken_links(row, after=last)
        yield from _broken_rules(row, accounts)
        last = _head(row)
    if last != head:
        yield f"the entries end at {last.entry}, which is not where the head says they do"


def broken_links(row: Row, *, after: Head) -> Iterator[str]:
    """Where a row does not follow the one before, or its hash does not fit."""
    if row["id"] != after.entry + 1:
        yield f"entry {row['id']} comes after entry {after.entry}: entries are missing or out of order"
    if row["previous"] != after.hash:
        yield f"entry {row['id']} does not continue from the entry before it"
    if row["hash"] != digest(row):
        yield f"entry {row['id']} was altered: its hash does not fit what it says"


def chain_reaches(rows: Iterable[Row], wanted: Head) -> bool:
    """Whether unbroken rows from the first on end in the wanted entry."""
    last = GENESIS
    for row in rows:
        if any(broken_links(row, after=last)):
            return False
        last = _head(row)
    return last == wanted and last != GENESIS


def _broken_rules(row: Row, accounts: dict[str, Account]) -> Iterator[str]:
    try:
        entry = Entry.from_row(row)
        if _moved(accounts.get(entry.dataset), entry) != entry.account:
            yield f"entry {entry.id} states another limit, sum or unit than the entries before it give"
        accounts[entry.dataset] = entry.account
    except ValueError:
        yield f"entry {row['id']} cannot be read"
    except QuietwayError as refusal:
        yield f"entry {row['id']} breaks a rule: {refusal.message}"


def _moved(account: Account | None, entry: Entry) -> Account | None:
    """The account after an entry, by the same rules that let it be written; None if it cannot follow."""
    if entry.kind is Kind.LIMIT and entry.epsilon is not None:
        start = account or Account(dataset=entry.dataset, limit=entry.epsilon)
        return start.limited(entry.epsilon)
    if account is None or entry.unit is None:
        return None
    if entry.kind is Kind.OPEN:
        return account.opened(entry.unit) if account.unit is None and entry.epsilon is None else None
    return None if entry.epsilon is None else account.charged(Cost(entry.epsilon, entry.unit))


def _head(row: Row) -> Head:
    return Head(int(str(row["id"])), str(row["hash"]))
