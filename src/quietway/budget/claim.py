"""What releases say about their payments, held against the entries they name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from quietway.budget.cost import in_words
from quietway.budget.entry import Entry, Kind, Row
from quietway.universe.unit import PrivacyUnit


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One release's account of how it was paid for; `source` is how messages name the release."""

    source: str
    dataset: str
    epsilon: Fraction
    unit: PrivacyUnit
    spec_hash: str
    private: bool
    rehearsal: bool
    entry: int | None
    hash: str | None


def disagreements(claims: Sequence[Claim], rows: Iterable[Row]) -> Iterator[str]:
    """Everything that the entries do not bear out. Whether the entries are whole is another question."""
    wanted = {claim.entry for claim in claims}
    found = {row["id"]: row for row in rows if row["id"] in wanted}
    for claim in claims:
        yield from _unpaid(claim)
        if claim.entry is not None:
            yield from _unlike(claim, found.get(claim.entry))
    yield from _paid_once_for_all(claims)


def _unpaid(claim: Claim) -> Iterator[str]:
    if claim.rehearsal:
        yield f"{claim.source} is a rehearsal: its trips are invented, nobody paid for it, and it is no release"
    if claim.entry is None and claim.private:
        yield f"{claim.source} says that it is private, but names no entry that paid for it"
    elif claim.entry is None and not claim.rehearsal:
        yield f"{claim.source} names no entry that paid for it, and does not say that it is private"


def _unlike(claim: Claim, row: Row | None) -> Iterator[str]:
    if row is None or row["hash"] != claim.hash:
        yield (
            f"{claim.source} names entry {claim.entry} with a hash that this ledger does not have there: the ledger "
            "was rewritten or cut short, the manifest was altered, or this is another ledger"
        )
        return
    try:
        entry = Entry.from_row(row)
    except ValueError:
        yield f"{claim.source} names entry {claim.entry}, which cannot be read"
        return
    if entry.kind is not Kind.CHARGE:
        yield f"{claim.source} names entry {entry.id}, which is no charge but '{entry.kind}'"
        return
    for what, said, paid in _terms(claim, entry):
        if said != paid:
            yield f"{claim.source} states {what} {said}, but entry {entry.id} was charged for {paid}"


def _terms(claim: Claim, entry: Entry) -> tuple[tuple[str, str, str], ...]:
    return (
        ("dataset", f"'{claim.dataset}'", f"'{entry.dataset}'"),
        ("epsilon", str(claim.epsilon), str(entry.epsilon)),
        ("unit", _promise(claim.unit), _promise(entry.unit)),
        ("specification", claim.spec_hash, entry.spec_hash),
    )


def _promise(unit: PrivacyUnit | None) -> str:
    return "none" if unit is None else in_words(unit)


def _paid_once_for_all(claims: Iterable[Claim]) -> Iterator[str]:
    named = defaultdict[int, list[str]](list)
    for claim in claims:
        if claim.entry is not None:
            named[claim.entry].append(claim.source)
    for entry, sources in named.items():
        if len(sources) > 1:
            yield (
                f"{' and '.join(sources)} name the same entry {entry}: one charge pays for one release; if they are "
                "copies of it, name one of them"
            )
