"""What a release says about itself."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from quietway.universe import PrivacyUnit

FORMAT = 1


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """Where a release comes from and what it cost."""

    name: str
    dataset: str
    created: str
    quietway: str
    versions: dict[str, str]
    spec_hash: str
    unit: PrivacyUnit
    epsilon: Fraction
    parts: tuple[tuple[str, Fraction], ...]
    method: str
    settings: dict[str, Any]
    rehearsal: bool
    private: bool
    ledger_entry: int | None
    ledger_hash: str | None

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary; rationals as text."""
        return {
            "format": FORMAT,
            "name": self.name,
            "dataset": self.dataset,
            "created": self.created,
            "quietway": self.quietway,
            "versions": self.versions,
            "spec_hash": self.spec_hash,
            "unit": self.unit.to_json(),
            "epsilon": str(self.epsilon),
            "parts": [{"name": name, "epsilon": str(epsilon)} for name, epsilon in self.parts],
            "method": self.method,
            "settings": self.settings,
            "rehearsal": self.rehearsal,
            "private": self.private,
            "ledger_entry": self.ledger_entry,
            "ledger_hash": self.ledger_hash,
        }

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Manifest:
        """The inverse of `to_json`."""
        plain = {
            key: record[key]
            for key in (
                "name",
                "dataset",
                "created",
                "quietway",
                "versions",
                "spec_hash",
                "method",
                "settings",
            )
        }
        entry, digest = record["ledger_entry"], record["ledger_hash"]
        if not isinstance(entry, int | None) or not isinstance(digest, str | None):
            raise ValueError("ledger_entry must be a whole number and ledger_hash a text, or both null")
        return cls(
            **plain,
            unit=PrivacyUnit.from_json(record["unit"]),
            epsilon=Fraction(record["epsilon"]),
            parts=tuple((part["name"], Fraction(part["epsilon"])) for part in record["parts"]),
            rehearsal=record["rehearsal"],
            private=record["private"],
            ledger_entry=entry,
            ledger_hash=digest,
        )
