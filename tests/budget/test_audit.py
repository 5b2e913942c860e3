"""What an altered ledger shows, and what only a manifest can show."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from quietway.budget import Charge, Cost, Kind, Ledger, schema
from quietway.budget.account import Account
from quietway.budget.book import Book
from quietway.budget.entry import GENESIS, Head, Row, sealed_row
from quietway.errors import LedgerError
from quietway.universe.unit import PrivacyUnit

Pay = Callable[[str], Charge]


@pytest.fixture
def charges(pay: Pay) -> list[Charge]:
    """Three charges: entries 3, 4 and 5, after the limit and the opening."""
    return [pay(epsilon) for epsilon in ("1/10", "1/5", "1/4")]


def later(path: Path) -> None:
    """Edits come after the last charge, by more than a tick of the file system's clock."""
    found = path.stat()
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns + 10**9))


def tamper(path: Path, *statements: str) -> None:
    """Edit as someone who knows the schema would: guards off, edit, guards on again."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for name in schema.GUARDS:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in (*statements, *schema.GUARDS.values()):
            connection.execute(statement)
    later(path)


def behind(path: Path, *statements: str) -> None:
    """Edit without putting anything back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
    later(path)


def forge(path: Path, rows: Iterable[Row]) -> None:
    """Replace every entry by others, with hashes and a head that fit."""
    tamper(path, "DELETE FROM entries", "UPDATE head SET entry = 0")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for row in rows:
            connection.execute(
                f"INSERT INTO entries VALUES ({','.join('?' * len(row))})", tuple(row.values())
            )
            connection.execute("UPDATE head SET entry = ?, hash = ?", (row["id"], row["hash"]))


def chained(moves: Iterable[tuple[Kind, Account, Fraction | None]]) -> list[Row]:
    """A chain with proper hashes, whatever it says."""
    rows, head = list[Row](), GENESIS
    for kind, account, epsilon in moves:
        row = sealed_row(kind, account, after=head, time="2026-01-05T08:00:00+00:00", epsilon=epsilon)
        head = Head(int(str(row["id"])), str(row["hash"]))
        rows.append(row)
    return rows


def test_an_untouched_ledger_is_intact(ledger: Ledger, charges: list[Charge]) -> None:
    """No problem, and every charge is where it was made."""
    assert ledger.verify() == []
    assert all(Ledger.open(ledger.path).contains(charge.id, charge.hash) for charge in charges)


@pytest.mark.parametrize(
    "edit",
    [
        "spent = '1/1000', epsilon = '1/1000'",
        "epsilon = '2/10'",
        "\"limit\" = '9/1'",
        "dataset = 'taxis'",
        "purpose = 'nothing'",
        "spec_hash = ''",
        "time = '2020-01-01T00:00:00+00:00'",
        "kind = 'limit'",
        "unit = NULL",
        "previous = hash",
        "hash = previous",
    ],
)
def test_an_edited_entry_shows(ledger: Ledger, charges: list[Charge], edit: str) -> None:
    """Whatever is edited in an entry, the audit names that entry."""
    tamper(ledger.path, f"UPDATE entries SET {edit} WHERE id = {charges[1].id}")
    assert any("entry 4" in problem for problem in ledger.verify())


def test_each_problem_is_told_apart(ledger: Ledger, charges: list[Charge]) -> None:
    """An understated charge breaks its own hash and the sums after it, and nothing else."""
    tamper(ledger.path, f"UPDATE entries SET spent = '1/10', epsilon = '1/20' WHERE id = {charges[1].id}")
    assert ledger.verify() == [
        "entry 4 was altered: its hash does not fit what it says",
        "entry 4 states another limit, sum or unit than the entries before it give",
        "entry 5 states another limit, sum or unit than the entries before it give",
    ]


@pytest.mark.parametrize("entry", [1, 2, 3, 4, 5])
def test_a_deleted_entry_shows(ledger: Ledger, charges: list[Charge], entry: int) -> None:
    """Wherever it stood."""
    tamper(ledger.path, f"DELETE FROM entries WHERE id = {entry}")
    assert len(charges) == 3
    assert ledger.verify()


def test_swapped_entries_show(ledger: Ledger, charges: list[Charge]) -> None:
    """Two entries that trade places no longer fit their neighbours."""
    one, other = charges[0].id, charges[1].id
    tamper(
        ledger.path,
        f"UPDATE entries SET id = -1 WHERE id = {one}",
        f"UPDATE entries SET id = {one} WHERE id = {other}",
        f"UPDATE entries SET id = {other} WHERE id = -1",
    )
    found = ledger.verify()
    assert "entry 3 does not continue from the entry before it" in found
    assert "entry 4 does not continue from the entry before it" in found


def test_renumbered_entries_show(ledger: Ledger, charges: list[Charge]) -> None:
    """Closing a gap by renumbering breaks the hashes, which cover the number."""
    tamper(
        ledger.path,
        f"DELETE FROM entries WHERE id = {charges[0].id}",
        f"UPDATE entries SET id = id - 1 WHERE id > {charges[0].id}",
    )
    assert "entry 3 was altered: its hash does not fit what it says" in ledger.verify()


def test_a_cut_tail_shows_in_the_head_or_in_a_manifest(ledger: Ledger, charges: list[Charge]) -> None:
    """Even when the head is moved back, the manifest of the last release knows better."""
    last, before = charges[2], charges[1]
    tamper(ledger.path, f"DELETE FROM entries WHERE id = {last.id}")
    assert ledger.verify() == ["the entries end at 4, which is not where the head says they do"]
    tamper(ledger.path, f"UPDATE head SET entry = {before.id}, hash = '{before.hash}'")
    assert ledger.verify() == []
    assert ledger.contains(before.id, before.hash)
    assert not ledger.contains(last.id, last.hash)


def test_a_ledger_rewritten_whole_shows_in_a_manifest_alone(ledger: Ledger, charges: list[Charge]) -> None:
    """Hashes without a secret cannot tell a forger from the ledger; a published hash can."""
    limited = Account(dataset="rides", limit=Fraction(1))
    opened = replace(limited, unit=PrivacyUnit())
    grain = Fraction(1, 1000)
    forge(
        ledger.path,
        chained(
            [
                (Kind.LIMIT, limited, Fraction(1)),
                (Kind.OPEN, opened, None),
                (Kind.CHARGE, replace(opened, spent=grain), grain),
            ]
        ),
    )
    assert ledger.verify() == []
    assert not ledger.contains(charges[0].id, charges[0].hash)


LIMITED = Account(dataset="rides", limit=Fraction(1))
OPENED = replace(LIMITED, unit=PrivacyUnit())
BEGUN = [(Kind.LIMIT, LIMITED, Fraction(1)), (Kind.OPEN, OPENED, None)]


@pytest.mark.parametrize(
    "moves",
    [
        [*BEGUN, (Kind.CHARGE, replace(OPENED, spent=Fraction(2)), Fraction(2))],
        [*BEGUN, (Kind.CHARGE, OPENED, Fraction(1, 2))],
        [*BEGUN, (Kind.CHARGE, OPENED, None)],
        [*BEGUN, (Kind.CHARGE, OPENED, Fraction(0))],
        [*BEGUN, (Kind.OPEN, OPENED, None)],
        [*BEGUN, (Kind.LIMIT, OPENED, None)],
        [BEGUN[0], (Kind.CHARGE, replace(LIMITED, spent=Fraction(1, 2)), Fraction(1, 2))],
        [(Kind.OPEN, OPENED, None)],
        [(Kind.LIMIT, replace(LIMITED, spent=Fraction(1, 2)), Fraction(1))],
    ],
    ids=[
        "overspent",
        "unsummed",
        "no epsilon",
        "zero",
        "reopened",
        "no limit",
        "no unit",
        "unlimited",
        "headstart",
    ],
)
def test_a_chain_with_proper_hashes_must_still_keep_the_rules(
    ledger: Ledger, moves: list[tuple[Kind, Account, Fraction | None]]
) -> None:
    """The audit replays every entry by the rules that let entries be written."""
    forge(ledger.path, chained(moves))
    problems = ledger.verify()
    assert len(problems) == 1
    assert f"entry {len(moves)} " in problems[0]


@pytest.mark.parametrize("text", ["0.1", "'1/0'", "'x'", "''"])
def test_an_entry_that_cannot_be_read_is_named(ledger: Ledger, charges: list[Charge], text: str) -> None:
    """The audit goes on where the other calls have to stop."""
    tamper(ledger.path, f"UPDATE entries SET epsilon = {text} WHERE id = {charges[0].id}")
    assert "entry 3 cannot be read" in ledger.verify()
    with pytest.raises(
        LedgerError, match=r"altered or damaged: entry 3 .*Run `quietway ledger verify --ledger \S+`"
    ):
        ledger.entries()


@pytest.mark.parametrize(
    "unit", ["{}", "[]", "1", "{", '{"protects":"trip","max_trips":3,"neighbours":"add-remove"}']
)
def test_a_unit_that_cannot_be_read_is_named(ledger: Ledger, charges: list[Charge], unit: str) -> None:
    """A unit that no release could have is damage, not a crash."""
    tamper(ledger.path, f"UPDATE entries SET unit = '{unit}' WHERE id = {charges[0].id}")
    assert "entry 3 cannot be read" in ledger.verify()


def test_no_charge_follows_an_altered_entry(ledger: Ledger, charges: list[Charge], pay: Pay) -> None:
    """A refilled budget cannot be spent: the last entry must fit its hash, and nothing is shown in its place."""
    tamper(ledger.path, f"UPDATE entries SET spent = '0/1' WHERE id = {charges[2].id}")
    for ask in (lambda: pay("1/10"), lambda: ledger.account("rides"), ledger.accounts, ledger.entries):
        with pytest.raises(LedgerError, match=r"entry 5 was altered: .*; nothing was spent"):
            ask()


def test_no_charge_follows_a_cut_tail(ledger: Ledger, charges: list[Charge], pay: Pay) -> None:
    """A refilled budget cannot be spent: the last entry must be the one the head names."""
    tamper(ledger.path, f"DELETE FROM entries WHERE id = {charges[2].id}")
    with pytest.raises(LedgerError, match="the entries end at 4, which is not where the head says"):
        pay("1/10")


@pytest.mark.parametrize("guarded", [False, True])
@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE entries SET epsilon = '1/20', spent = '1/20' WHERE id = 3",
        "UPDATE entries SET purpose = 'nothing' WHERE id = 1",
        "UPDATE entries SET previous = hash WHERE id = 4",
        "DELETE FROM entries WHERE id = 4",
    ],
)
def test_no_charge_follows_a_chain_that_is_broken_anywhere(
    ledger: Ledger, charges: list[Charge], pay: Pay, edit: str, guarded: bool
) -> None:
    """What is left rests on every entry, so none is charged or limited after one that was altered long ago."""
    assert len(charges) == 3
    if guarded:
        tamper(ledger.path, edit)
    else:
        behind(ledger.path, "DROP TRIGGER entries_keep", "DROP TRIGGER entries_stay", edit)
    before = ledger.path.read_bytes()
    for ask in (lambda: pay("1/10"), lambda: ledger.limit("rides", Fraction(2))):
        with pytest.raises(LedgerError, match=r"was altered or damaged: .*; nothing was spent"):
            ask()
    assert ledger.path.read_bytes() == before


def test_no_charge_follows_a_cut_tail_whose_head_was_moved_back(
    ledger: Ledger, charges: list[Charge], pay: Pay
) -> None:
    """What is left of the chain is whole, but the guard that was taken off to cut it is missing."""
    assert len(charges) == 3
    behind(
        ledger.path,
        "DROP TRIGGER entries_stay",
        "DELETE FROM entries WHERE id >= 3",
        "UPDATE head SET entry = 2, hash = (SELECT hash FROM entries WHERE id = 2)",
    )
    with pytest.raises(LedgerError, match="rule 'entries_stay' was dropped or altered; nothing was spent"):
        pay("1/10")


@pytest.mark.parametrize("guard", [*schema.GUARDS, "other"])
def test_no_charge_without_every_guard(ledger: Ledger, pay: Pay, guard: str) -> None:
    """Each guard is missed, and so is one that was replaced by a rule that guards nothing."""
    if guard == "other":
        behind(
            ledger.path,
            "DROP TRIGGER entries_stay",
            "CREATE TRIGGER entries_stay BEFORE DELETE ON entries BEGIN SELECT 1; END",
        )
    else:
        behind(ledger.path, f"DROP TRIGGER {guard}")
    with pytest.raises(LedgerError, match="was dropped or altered; nothing was spent"):
        pay("1/10")


def test_a_chain_with_proper_hashes_that_breaks_a_rule_is_not_charged(ledger: Ledger, pay: Pay) -> None:
    """Fitting hashes are not enough: the sums must follow from the entries."""
    opened = replace(Account(dataset="rides", limit=Fraction(1)), unit=PrivacyUnit())
    forge(ledger.path, chained([*BEGUN, (Kind.CHARGE, opened, Fraction(1, 2))]))
    with pytest.raises(LedgerError, match="entry 3 states another limit, sum or unit"):
        pay("1/10")


def test_a_missing_head_shows(ledger: Ledger, charges: list[Charge]) -> None:
    """A file whose head was deleted is not intact, and not charged."""
    assert len(charges) == 3
    tamper(ledger.path, "DELETE FROM head")
    assert ledger.verify() == ["the entries end at 5, which is not where the head says they do"]


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("DROP TRIGGER entries_keep", "the file's rule 'entries_keep' was dropped or altered"),
        ("DROP INDEX entries_by_dataset", "the file's rule 'entries_by_dataset' was dropped or altered"),
        ("CREATE TABLE trips (id)", "the file holds 'trips', which no ledger has"),
    ],
)
def test_a_changed_schema_shows(ledger: Ledger, statement: str, problem: str) -> None:
    """Guards that were taken off, and things smuggled in, are named."""
    behind(ledger.path, statement)
    assert ledger.verify() == [problem]


def test_containing_means_the_chain_leads_there(ledger: Ledger, charges: list[Charge]) -> None:
    """An entry is contained only if every entry up to it still fits."""
    first, second = charges[0], charges[1]
    assert ledger.contains(second.id, second.hash)
    assert not ledger.contains(second.id, first.hash)
    assert not ledger.contains(0, GENESIS.hash)
    assert not ledger.contains(99, first.hash)
    tamper(ledger.path, f"UPDATE entries SET purpose = 'other' WHERE id = {first.id}")
    for reader in (ledger, Ledger.open(ledger.path)):
        assert not reader.contains(second.id, second.hash)


def test_a_file_that_is_as_it_was_left_is_not_checked_again(
    ledger: Ledger, pay: Pay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of charges by one object checks the chain once; a charge by another object makes it check again."""
    checks = list[Path]()
    check = Book.require_intact

    def counted(book: Book) -> None:
        checks.append(book.path)
        check(book)

    monkeypatch.setattr(Book, "require_intact", counted)
    for _ in range(4):
        pay("1/100")
    assert not checks
    Ledger.open(ledger.path).charge("rides", Cost(Fraction(1, 100), PrivacyUnit()), purpose="", spec_hash="")
    pay("1/100")
    assert len(checks) == 2
