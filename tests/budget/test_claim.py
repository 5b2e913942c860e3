"""What releases say of their payments, against the ledger that was paid."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from quietway.budget import Claim, Cost, Ledger
from quietway.universe.unit import Neighbours, PrivacyUnit, Protects

USER = PrivacyUnit(protects=Protects.USER, max_trips=4, contributor="column rider")


@pytest.fixture
def claim(ledger: Ledger) -> Claim:
    """A release that was paid for, and says so truly."""
    charge = ledger.charge("rides", Cost(Fraction(1, 10), USER), purpose="trip table", spec_hash="5bec")
    return Claim(
        source="published",
        dataset="rides",
        epsilon=charge.epsilon,
        unit=USER,
        spec_hash="5bec",
        private=True,
        rehearsal=False,
        entry=charge.id,
        hash=charge.hash,
    )


def test_a_true_claim_is_not_disputed(ledger: Ledger, claim: Claim) -> None:
    """A manifest that says what was paid agrees with the ledger, and no release is no dispute."""
    assert ledger.disputed([claim]) == []
    assert ledger.disputed([]) == []


@pytest.mark.parametrize(
    ("lie", "says"),
    [
        ({"dataset": "taxis"}, "states dataset 'taxis', but entry 3 was charged for 'rides'"),
        ({"epsilon": Fraction(1, 100)}, "states epsilon 1/100, but entry 3 was charged for 1/10"),
        ({"unit": replace(USER, max_trips=2)}, "states unit user (add-remove, at most 2 trips each"),
        ({"unit": replace(USER, neighbours=Neighbours.REPLACE_ONE)}, "states unit user (replace-one"),
        ({"unit": replace(USER, contributor="column t")}, "at most 4 trips each, column t), but entry 3"),
        ({"spec_hash": "0"}, "states specification 0, but entry 3 was charged for 5bec"),
        ({"hash": "0" * 64}, "names entry 3 with a hash that this ledger does not have there"),
        ({"hash": None}, "names entry 3 with a hash that this ledger does not have there"),
        ({"entry": 9}, "names entry 9 with a hash that this ledger does not have there"),
        ({"entry": None, "hash": None}, "says that it is private, but names no entry"),
        ({"entry": None, "hash": None, "private": False}, "names no entry that paid for it"),
        ({"rehearsal": True}, "is a rehearsal"),
        ({"rehearsal": True, "private": False, "entry": None, "hash": None}, "is a rehearsal"),
    ],
)
def test_each_untruth_is_a_problem(ledger: Ledger, claim: Claim, lie: dict[str, Any], says: str) -> None:
    """Whatever the manifest says that the entry does not bear out is told, and nothing else."""
    problems = ledger.disputed([replace(claim, **lie)])
    assert len(problems) == 1
    assert problems[0].startswith("published ") and says in problems[0]


def test_all_untruths_are_told(ledger: Ledger, claim: Claim) -> None:
    """A steward sees everything at once, for every release."""
    liar = replace(claim, source="other", dataset="taxis", epsilon=Fraction(2), spec_hash="0")
    problems = ledger.disputed([replace(claim, entry=None, rehearsal=True), liar])
    assert [problem.split()[0] for problem in problems] == ["published"] * 2 + ["other"] * 3


def test_an_entry_that_is_no_charge_pays_for_nothing(ledger: Ledger, claim: Claim) -> None:
    """A limit's hash is in the chain too, and spends nothing."""
    limit = ledger.entries()[0]
    assert ledger.disputed([replace(claim, entry=limit.id, hash=limit.hash)]) == [
        "published names entry 1, which is no charge but 'limit'"
    ]


def test_one_charge_pays_for_one_release(ledger: Ledger, claim: Claim) -> None:
    """Two folders that name the same entry are told together, and two unpaid ones share nothing."""
    problems = ledger.disputed([claim, replace(claim, source="twin")])
    assert len(problems) == 1
    assert problems[0].startswith("published and twin name the same entry 3")
    unpaid = replace(claim, entry=None, hash=None)
    assert not any("same entry" in problem for problem in ledger.disputed([unpaid, unpaid]))
