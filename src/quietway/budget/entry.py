"""One line of the ledger, and the hash that ties it to the line before."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from quietway.budget.account import Account
from quietway.budget.ratio import as_ratio, from_ratio
from quietway.errors import ConfigError
from quietway.universe.unit import PrivacyUnit

Row = dict[str, str | int | None]  # an entry as the file holds it: column -> value


class Kind(StrEnum):
    """What an entry does to its dataset."""

    LIMIT = "limit"  # sets what may be spent in total
    OPEN = "open"  # fixes the unit and the neighbour relation
    CHARGE = "charge"  # spends


class Head(NamedTuple):
    """The end of a chain: how many entries, and the hash of the last."""

    entry: int
    hash: str


GENESIS = Head(0, "0" * 64)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What happened to a dataset, and where that left it."""

    id: int
    time: str
    kind: Kind
    dataset: str
    unit: PrivacyUnit | None
    epsilon: Fraction | None
    limit: Fraction
    spent: Fraction
    purpose: str
    spec_hash: str
    previous: str
    hash: str

    @property
    def account(self) -> Account:
        """Where this entry left its dataset."""
        return Account(dataset=self.dataset, limit=self.limit, spent=self.spent, unit=self.unit)

    @classmethod
    def from_row(cls, row: Row) -> Entry:
        """Read a row of the file, whether or not its hash fits; a ValueError if it holds no entry."""
        try:
            return cls._parsed(row)
        except (KeyError, TypeError, ConfigError) as error:
            raise ValueError("not an entry") from error

    @classmethod
    def _parsed(cls, row: Row) -> Entry:
        text = {column: str(value) for column, value in row.items()}
        return cls(
            id=int(text["id"]),
            time=text["time"],
            kind=Kind(text["kind"]),
            dataset=text["dataset"],
            unit=None if row["unit"] is None else _unit(text["unit"]),
            epsilon=None if row["epsilon"] is None else from_ratio(text["epsilon"]),
            limit=from_ratio(text["limit"]),
            spent=from_ratio(text["spent"]),
            purpose=text["purpose"],
            spec_hash=text["spec_hash"],
            previous=text["previous"],
            hash=text["hash"],
        )


def sealed_row(
    kind: Kind,
    account: Account,
    *,
    after: Head,
    time: str,
    epsilon: Fraction | None = None,
    purpose: str = "",
    spec_hash: str = "",
) -> Row:
    """The row that records a move to `account`, hashed onto the entry it comes after."""
    row: Row = {
        "id": after.entry + 1,
        "time": time,
        "kind": str(kind),
        "dataset": account.dataset,
        "unit": None if account.unit is None else canonical(account.unit.to_json()),
        "epsilon": None if epsilon is None else as_ratio(epsilon),
        "limit": as_ratio(account.limit),
        "spent": as_ratio(account.spent),
        "purpose": purpose,
        "spec_hash": spec_hash,
        "previous": after.hash,
    }
    return {**row, "hash": digest(row)}


def digest(row: Row) -> str:
    """SHA-256 of everything in the row but the hash itself, hence of the previous hash too."""
    return sha256(canonical({column: row[column] for column in row if column != "hash"}).encode()).hexdigest()


def canonical(record: object) -> str:
    """JSON with one spelling: sorted keys, no spaces, ASCII."""
    return _CANONICAL(record)


# Made once: a charge reads every entry of the ledger, and most of them state the same unit.
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str).encode


@lru_cache(maxsize=256)
def _unit(text: str) -> PrivacyUnit:
    return PrivacyUnit.from_json(json.loads(text))
