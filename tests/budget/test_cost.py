"""How costs add up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietway.budget import Cost, parse_epsilon
from quietway.errors import ConfigError, PrivacyError
from quietway.universe.unit import Neighbours, PrivacyUnit, Protects

ADD_REMOVE = PrivacyUnit()
REPLACE_ONE = PrivacyUnit(neighbours=Neighbours.REPLACE_ONE)
USER = PrivacyUnit(protects=Protects.USER, max_trips=4)
EPSILONS = st.lists(st.fractions(min_value=Fraction(1, 1000), max_value=10), min_size=1, max_size=8)
Compose = Callable[[Sequence[Cost]], Cost]


def costs(epsilons: Sequence[Fraction], unit: PrivacyUnit = ADD_REMOVE) -> list[Cost]:
    return [Cost(epsilon, unit) for epsilon in epsilons]


def test_epsilon_is_what_was_written() -> None:
    """0.1 is one tenth, and 'epsilon' is what a refusal calls it."""
    assert parse_epsilon(0.1) == Fraction(1, 10)
    with pytest.raises(ConfigError, match="epsilon is '-1'"):
        parse_epsilon("-1")


@given(EPSILONS)
def test_costs_on_the_same_records_add_up_exactly(epsilons: list[Fraction]) -> None:
    """Sequential composition is the sum, in any order and any grouping."""
    whole = Cost.sequential(costs(epsilons))
    assert whole == Cost(sum(epsilons, Fraction(0)), ADD_REMOVE)
    halves = [half for half in (epsilons[1::2], epsilons[::2]) if half]
    assert whole == Cost.sequential([Cost.sequential(costs(half)) for half in halves])


@given(EPSILONS)
def test_adding_or_removing_touches_one_block(epsilons: list[Fraction]) -> None:
    """Parallel composition under add-remove is the largest cost."""
    assert Cost.parallel(costs(epsilons)).epsilon == max(epsilons)


@given(EPSILONS)
def test_replacing_touches_two_blocks(epsilons: list[Fraction]) -> None:
    """Parallel composition under replace-one is the worst pair of blocks."""
    pairs = [a + b for i, a in enumerate(epsilons) for b in epsilons[:i]]
    assert Cost.parallel(costs(epsilons, REPLACE_ONE)).epsilon == max([*pairs, *epsilons])


@pytest.mark.parametrize("unit", [ADD_REMOVE, REPLACE_ONE])
def test_parallel_composition_covers_every_neighbour(unit: PrivacyUnit) -> None:
    """Over all small data sets, noising each block at its own epsilon loses what the rule says, and no more."""
    epsilons = (Fraction(1, 2), Fraction(1), Fraction(1, 3))
    datasets = list(product(range(3), repeat=len(epsilons)))  # how many records each block holds
    moved = 1 if unit is ADD_REMOVE else 2
    losses = [
        sum((e * abs(a - b) for e, a, b in zip(epsilons, one, other, strict=True)), Fraction(0))
        for one, other in product(datasets, repeat=2)
        if sum(abs(a - b) for a, b in zip(one, other, strict=True)) == moved
        and (unit is ADD_REMOVE or sum(one) == sum(other))
    ]
    assert max(losses) == Cost.parallel(costs(epsilons, unit)).epsilon


@pytest.mark.parametrize("compose", [Cost.sequential, Cost.parallel])
@pytest.mark.parametrize("other", [USER, REPLACE_ONE])
def test_promises_of_different_kinds_do_not_mix(compose: Compose, other: PrivacyUnit) -> None:
    """A loss per trip and a loss per user, or under other neighbours, have no sum."""
    with pytest.raises(PrivacyError, match=r"per (user|trip).*per trip \(add-remove\)"):
        compose([Cost(Fraction(1), ADD_REMOVE), Cost(Fraction(1), other)])


@pytest.mark.parametrize("compose", [Cost.sequential, Cost.parallel])
def test_nothing_has_no_cost(compose: Compose) -> None:
    """Composing no measurement at all is a mistake of the caller, not a free lunch."""
    with pytest.raises(ValueError, match="at least one"):
        compose([])


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(-1, 2)])
def test_a_cost_is_positive(epsilon: Fraction) -> None:
    """A negative cost would refill a budget."""
    with pytest.raises(ConfigError):
        Cost(epsilon, ADD_REMOVE)
