"""What the ledger grants, refuses and remembers."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quietway.budget import Account, Charge, Cost, Kind, Ledger
from quietway.errors import BudgetError, BudgetExceeded, ConfigError, LedgerError
from quietway.universe.unit import Neighbours, PrivacyUnit, Protects

Pay = Callable[[str], Charge]
TRIP = PrivacyUnit()
USER = PrivacyUnit(protects=Protects.USER, max_trips=4)


def test_a_charge_is_remembered(ledger: Ledger, pay: Pay) -> None:
    """Opening the file again shows what was spent, on what, and for which specification."""
    before = datetime.now(UTC)
    charge = pay("1/10")
    again = Ledger.open(ledger.path, create=False)
    assert again.account("rides") == Account(
        dataset="rides", limit=Fraction(1), spent=Fraction(1, 10), unit=TRIP
    )
    last = again.entries()[-1]
    assert (last.id, last.hash, last.time, last.epsilon) == (
        charge.id,
        charge.hash,
        charge.time,
        charge.epsilon,
    )
    assert (last.kind, last.purpose, last.spec_hash) == (Kind.CHARGE, "trip table", "5bec")
    assert before <= datetime.fromisoformat(charge.time) <= datetime.now(UTC)
    assert ledger.verify() == []


def test_a_charge_needs_a_limit_first(ledger: Ledger) -> None:
    """A dataset that nobody gave a limit cannot spend, and the refusal names the command."""
    with pytest.raises(
        BudgetError,
        match=r"'night rides' has no limit.*`quietway ledger limit 'night rides' EPSILON --ledger \S+`",
    ):
        ledger.charge("night rides", Cost(Fraction(1), TRIP), purpose="", spec_hash="")
    with pytest.raises(BudgetError, match="no limit"):
        ledger.account("night rides")


def test_a_refusal_changes_nothing(ledger: Ledger, pay: Pay) -> None:
    """The file is byte for byte what it was before a charge too many."""
    pay("9/10")
    before = ledger.path.read_bytes()
    with pytest.raises(
        BudgetExceeded, match=r"1/10 \(0\.1\) left of its limit 1; this charge asks for 1/5 \(0\.2\)"
    ):
        pay("1/5")
    assert ledger.path.read_bytes() == before


def test_the_advice_names_the_ledger(tmp_path: Path) -> None:
    """A command copied from a refusal works on the file that refused, even one with a space in its name."""
    ledger = Ledger.open(tmp_path / "our ledger")
    ledger.limit("rides", Fraction(1))
    advice = f"`quietway ledger limit rides EPSILON --ledger '{ledger.path}'`"
    cost = Cost(Fraction(2), TRIP)
    for standing in (ledger.account("rides"), *ledger.accounts()):
        with pytest.raises(BudgetExceeded, match=re.escape(advice)):
            standing.charged(cost)
    with pytest.raises(BudgetExceeded, match=re.escape(advice)):
        ledger.charge("rides", cost, purpose="", spec_hash="")


def test_a_refused_first_charge_does_not_fix_the_unit(ledger: Ledger, pay: Pay) -> None:
    """Only what is spent binds a dataset to a promise."""
    with pytest.raises(BudgetExceeded):
        ledger.charge("rides", Cost(Fraction(2), USER), purpose="", spec_hash="")
    pay("1/10")
    assert ledger.account("rides").unit == TRIP


def test_the_first_charge_fixes_who_contributes(ledger: Ledger) -> None:
    """What the ledger remembers of a unit includes how its contributors are told apart."""
    one, other = (replace(USER, contributor=f"column {name}") for name in "ut")
    ledger.charge("rides", Cost(Fraction(1, 10), one), purpose="", spec_hash="")
    with pytest.raises(BudgetError, match="apart by column u, not by column t"):
        ledger.charge("rides", Cost(Fraction(1, 10), other), purpose="", spec_hash="")
    ledger.charge("rides", Cost(Fraction(1, 10), one), purpose="", spec_hash="")
    assert ledger.account("rides").spent == Fraction(1, 5)
    assert ledger.verify() == []


@pytest.mark.parametrize("other", [USER, PrivacyUnit(neighbours=Neighbours.REPLACE_ONE)])
def test_the_first_charge_fixes_the_unit(ledger: Ledger, pay: Pay, other: PrivacyUnit) -> None:
    """A later charge under another promise is refused, and so is a limit that states one."""
    pay("1/10")
    with pytest.raises(BudgetError, match="cannot be added up"):
        ledger.charge("rides", Cost(Fraction(1, 10), other), purpose="", spec_hash="")
    with pytest.raises(BudgetError, match="cannot be added up"):
        ledger.limit("rides", Fraction(2), unit=other)
    assert ledger.account("rides").limit == 1


def test_a_limit_may_fix_the_unit(ledger: Ledger) -> None:
    """A steward can decide the promise before anything is spent."""
    ledger.limit("taxis", Fraction(2), unit=USER)
    with pytest.raises(BudgetError, match=r"per user \(add-remove, at most 4 trips each\)"):
        ledger.charge("taxis", Cost(Fraction(1), TRIP), purpose="", spec_hash="")
    assert [entry.kind for entry in ledger.entries("taxis")] == [Kind.LIMIT, Kind.OPEN]


def test_a_limit_can_be_raised_and_lowered_down_to_what_is_spent(ledger: Ledger, pay: Pay) -> None:
    """Each change is an entry; below what is spent there is none."""
    pay("1/2")
    assert ledger.limit("rides", Fraction(2)).left == Fraction(3, 2)
    assert ledger.limit("rides", Fraction(1, 2)).left == 0
    with pytest.raises(BudgetError, match=r"1/2 \(0\.5\).*1/3 \(about 0\.333333\)"):
        ledger.limit("rides", Fraction(1, 3))
    limits = [entry.epsilon for entry in ledger.entries("rides") if entry.kind is Kind.LIMIT]
    assert limits == [1, 2, Fraction(1, 2)]


def test_the_same_limit_again_is_no_entry(ledger: Ledger) -> None:
    """A pipeline may state its limit at every run."""
    ledger.limit("rides", Fraction(1))
    assert len(ledger.entries()) == 1


def test_datasets_do_not_share_a_budget(ledger: Ledger, pay: Pay) -> None:
    """Each dataset has its own limit, sum and unit."""
    ledger.limit("taxis", Fraction(3))
    ledger.charge("taxis", Cost(Fraction(1), USER), purpose="", spec_hash="")
    pay("1/4")
    standing = {account.dataset: (account.spent, account.unit) for account in ledger.accounts()}
    assert standing == {"rides": (Fraction(1, 4), TRIP), "taxis": (Fraction(1), USER)}
    assert {entry.dataset for entry in ledger.entries("taxis")} == {"taxis"}


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["limit", "charge"]),
        st.sampled_from(["a", "b"]),
        st.fractions(min_value=Fraction(1, 20), max_value=1, max_denominator=20),
    ),
    max_size=12,
)


@settings(max_examples=25, deadline=None)
@given(OPERATIONS)
def test_any_history_keeps_to_the_rules(
    folders: Callable[[], Path], operations: list[tuple[str, str, Fraction]]
) -> None:
    """Against a plain model: what is granted, what is refused, what stands, and an intact chain."""
    ledger = Ledger.open(folders() / "ledger")
    limits, spent = dict[str, Fraction](), dict[str, Fraction]()
    for kind, dataset, epsilon in operations:
        total = spent.get(dataset, Fraction(0))
        try:
            if kind == "limit":
                ledger.limit(dataset, epsilon)
                assert epsilon >= total
                limits[dataset] = epsilon
            else:
                ledger.charge(dataset, Cost(epsilon, TRIP), purpose="", spec_hash="")
                assert total + epsilon <= limits[dataset]
                spent[dataset] = total + epsilon
        except BudgetError:
            room = total if kind == "limit" else limits.get(dataset, Fraction(0))
            assert (epsilon < room) if kind == "limit" else (total + epsilon > room)
    assert {account.dataset: account.limit for account in ledger.accounts()} == limits
    assert {account.dataset: account.spent for account in ledger.accounts() if account.spent} == spent
    assert ledger.verify() == []


@pytest.mark.parametrize("name", ["", " rides", "ri\ndes", "rides\u200b", "e\u0301te", "\ud800", "x" * 501])
def test_a_dataset_has_a_plain_name(ledger: Ledger, name: str) -> None:
    """Two names that look the same would be two budgets for the same people."""
    with pytest.raises(ConfigError, match="dataset must be one line of plain text"):
        ledger.limit(name, Fraction(1))


def test_names_with_quotes_and_accents_are_just_names(ledger: Ledger) -> None:
    """Nothing in a name is ever run as SQL."""
    name = "été'; DROP TABLE entries; --"
    ledger.limit(name, Fraction(1))
    assert ledger.account(name).limit == 1


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(-1)])
def test_a_limit_is_positive(ledger: Ledger, epsilon: Fraction) -> None:
    """A limit of nothing is no limit."""
    with pytest.raises(ConfigError, match="positive"):
        ledger.limit("rides", epsilon)


def test_a_ledger_is_not_made_unless_allowed(tmp_path: Path) -> None:
    """A mistyped path is an error where the ledger should exist."""
    with pytest.raises(LedgerError, match=r"there is no ledger at .* name its file with `--ledger FILE`"):
        Ledger.open(tmp_path / "absent", create=False)
    assert not list(tmp_path.iterdir())


def test_a_ledger_that_vanishes_is_not_begun_anew(ledger: Ledger, pay: Pay) -> None:
    """Deleting the file under a running program does not refill the budget."""
    ledger.path.unlink()
    with pytest.raises(LedgerError, match="cannot be opened"):
        pay("1/10")
    assert not ledger.path.exists()


def test_nothing_stays_open_between_calls(ledger: Ledger, pay: Pay) -> None:
    """The folder holds the one file, so a plain copy of it is a complete backup."""
    pay("1/10")
    assert list(ledger.path.parent.iterdir()) == [ledger.path]
    copy = ledger.path.with_name("copy")
    copy.write_bytes(ledger.path.read_bytes())
    assert Ledger.open(copy).accounts() == ledger.accounts()


def test_threads_may_share_a_ledger(ledger: Ledger, pay: Pay) -> None:
    """Twelve threads ask for a fifth each: five get it."""
    granted = list[Charge]()

    def ask() -> None:
        try:
            granted.append(pay("1/5"))
        except BudgetExceeded:
            return

    threads = [Thread(target=ask) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(granted) == 5
    assert ledger.account("rides").left == 0
    assert ledger.verify() == []


def test_another_process_holding_the_file_is_named(ledger: Ledger) -> None:
    """After waiting, the refusal says that the ledger is locked, and nothing was spent."""
    hasty = Ledger.open(ledger.path, patience=0.05)
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LedgerError, match="locked by another process; nothing was spent"):
            hasty.charge("rides", Cost(Fraction(1, 10), TRIP), purpose="", spec_hash="")
    assert ledger.account("rides").spent == 0
