"""The cheapest flow against a linear program, and flows that do not exist."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from quietway.errors import FitError
from quietway.estimate.rounding.flow import Network, cheapest


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """Any arcs between a few nodes, rings and parallels among them, with the excess that some flow would send on."""
    nodes, arcs = draw(st.integers(2, 8)), draw(st.integers(1, 30))
    random = np.random.default_rng(draw(st.integers(0, 2**31)))
    tail = random.integers(0, nodes, arcs)
    head = (tail + random.integers(1, nodes, arcs)) % nodes
    carries = random.random(arcs) < draw(st.floats(0, 1))
    excess = np.bincount(tail[carries], minlength=nodes) - np.bincount(head[carries], minlength=nodes)
    cost = random.choice([random.uniform(-2, 2, arcs), random.integers(-2, 3, arcs).astype(float)])
    return Network(tail=tail.astype(np.int32), head=head.astype(np.int32), cost=cost, excess=excess)


def sent(network: Network) -> np.ndarray:
    """One row per node: what each arc takes away from it."""
    nodes = np.arange(network.excess.size)[:, None]
    return (nodes == network.tail).astype(float) - (nodes == network.head)


@given(networks())
@settings(max_examples=300)
def test_the_flow_sends_on_all_excess_and_none_is_cheaper(network: Network) -> None:
    """The optimum of the linear program, to the millionths that costs count in."""
    carries = cheapest(network)
    assert (sent(network) @ carries == network.excess).all()
    best = linprog(network.cost, A_eq=sent(network), b_eq=network.excess, bounds=(0, 1), method="highs")
    assert float(network.cost @ carries) == pytest.approx(best.fun, abs=1e-4)


@given(networks(), st.integers(0, 7), st.integers(0, 7))
def test_excess_that_cannot_be_sent_on_is_refused(network: Network, at: int, to: int) -> None:
    """Rather than looked for without end."""
    more = network.excess.copy()
    more[at % more.size] += 40
    more[to % more.size] -= 40
    if at % more.size != to % more.size:
        with pytest.raises(FitError, match="add up"):
            cheapest(Network(tail=network.tail, head=network.head, cost=network.cost, excess=more))


def test_nothing_to_send_is_sent_nowhere() -> None:
    """A network without arcs."""
    empty = np.zeros(0, dtype=np.int32)
    assert not cheapest(Network(tail=empty, head=empty, cost=np.zeros(0), excess=np.zeros(2, np.int64))).size
