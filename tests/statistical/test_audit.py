"""The statistical audit in small: it convicts what is broken, and nothing else."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from scipy.stats import binom
from tests.statistical import audit

RUNS = 40_000


@pytest.mark.parametrize("subject", audit.HONEST, ids=lambda subject: subject.name)
def test_correct_mechanisms_are_not_convicted(subject: audit.Subject) -> None:
    """No mechanism gives away more than it claims, and the attack comes near the claim."""
    finding = audit.audit(subject, runs=RUNS)
    assert not finding.convicted
    assert finding.bound > 0.5


@pytest.mark.parametrize("subject", audit.MUTANTS, ids=lambda subject: subject.name)
def test_broken_mechanisms_are_convicted(subject: audit.Subject) -> None:
    """Every mutant, and textbook floating-point noise, certainly give away more than they claim."""
    assert audit.audit(subject, runs=RUNS).bound > 1.5 * float(subject.claimed)


def test_the_audit_fails_when_a_verdict_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    """A broken mechanism that passes for honest makes the command fail, and its line says so."""
    pretender = replace(audit.MUTANTS[0], guilty=False)
    assert audit.main((audit.HONEST[0],), runs=RUNS) == 0
    assert audit.main((audit.HONEST[0], pretender), runs=RUNS) == 1
    assert "WRONG" in capsys.readouterr().out


@pytest.mark.parametrize(("hits", "runs"), [(0, 100), (3, 100), (60, 100), (100, 100)])
def test_bounds_of_a_probability_are_exact(hits: int, runs: int) -> None:
    """At the lower bound so many hits or more have exactly the allowed probability, and likewise above."""
    low, high = audit.clopper_pearson(hits, runs)
    assert low <= hits / runs <= high
    if hits:
        assert math.isclose(binom.sf(hits - 1, runs, low), audit.TAIL, rel_tol=1e-6)
    if hits < runs:
        assert math.isclose(binom.cdf(hits, runs, high), audit.TAIL, rel_tol=1e-6)
