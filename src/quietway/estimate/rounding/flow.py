"""The cheapest flow of whole units over arcs that carry one unit or none.

Notation: a node's excess is what it has to send on, negative where units are wanted. An arc is kept as two ways, one
at each of its ends, the second at minus the cost; of the two one is open, and taking it opens its mate instead. A
way's reduced cost is its cost + price of the node it leaves - price of its end.

Source: Goldberg and Tarjan (1990), "Finding minimum-cost circulations by successive approximation", refinement with a
    queue of active nodes. Costs are whole numbers times one more than there are nodes: so the last refinement, to
    within one, leaves no cycle that would lower the cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from quietway.compiled import compiled
from quietway.errors import FitError
from quietway.estimate.solution import Floats

Index = NDArray[np.int64]
Short = NDArray[np.int32]
Flags = NDArray[np.bool_]

SHRINK = 4
FINEST = 20


@dataclass(frozen=True, kw_only=True, eq=False)
class Network:
    """Arcs of one unit each, what a unit on them costs, and how many units each node has to send on."""

    tail: Short
    head: Short
    cost: Floats
    excess: Index


def cheapest(network: Network) -> Flags:
    """Which arcs carry a unit. If a flow of fractions sends on all excess, one of units does.

    Costs count to a millionth; less finely where prices over millions of nodes would not fit into 64 bits.
    """
    nodes = network.excess.size
    bits = min(FINEST, 58 - 2 * nodes.bit_length())
    cost = np.rint(network.cost * 2.0**bits).astype(np.int64) * (nodes + 1)
    first, end, costs, mate, own = ways(network.tail, network.head, cost, nodes)
    is_open = np.zeros(end.size, dtype=np.bool_)
    is_open[own] = True
    excess, price = network.excess.copy(), np.zeros(nodes, dtype=np.int64)
    step = 1 + int(np.abs(cost).max(initial=1))
    while step > 1:
        step = ceil(step / SHRINK)
        oblige(first, end, costs, mate, is_open, excess, price)
        if not settle(first, end, costs, mate, is_open, excess, price, step):
            raise FitError(
                "these totals cannot be rounded together: no flow meets all of them; check that they add up"
            )
    return ~is_open[own]


@compiled
def ways(tail: Short, head: Short, cost: Index, nodes: int) -> tuple[Index, Short, Index, Short, Short]:
    """Where each node's ways begin; every way's end, cost and mate; and the way that is the arc itself."""
    first = np.zeros(nodes + 1, dtype=np.int64)
    for a in range(tail.size):
        first[tail[a] + 1] += 1
        first[head[a] + 1] += 1
    first = np.cumsum(first)
    place = first[:-1].copy()
    end, mate = np.empty(2 * tail.size, dtype=np.int32), np.empty(2 * tail.size, dtype=np.int32)
    costs, own = np.empty(2 * tail.size, dtype=np.int64), np.empty(tail.size, dtype=np.int32)
    for a in range(tail.size):
        there, back = place[tail[a]], place[head[a]]
        place[tail[a]] += 1
        place[head[a]] += 1
        end[there], end[back] = head[a], tail[a]
        mate[there], mate[back] = back, there
        costs[there], costs[back] = cost[a], -cost[a]
        own[a] = there
    return first, end, costs, mate, own


@compiled
def oblige(
    first: Index, end: Short, cost: Index, mate: Short, is_open: Flags, excess: Index, price: Index
) -> None:
    """Take every open way of negative reduced cost, whatever excess that leaves."""
    for u in range(excess.size):
        for way in range(first[u], first[u + 1]):
            if is_open[way] and cost[way] + price[u] < price[end[way]]:
                is_open[way] = False
                is_open[mate[way]] = True
                excess[u] -= 1
                excess[end[way]] += 1


@compiled
def settle(
    first: Index, end: Short, cost: Index, mate: Short, is_open: Flags, excess: Index, price: Index, step: int
) -> bool:
    """Send on all excess along ways of negative reduced cost, none of them below `step`.

    A node that has excess and no such way lowers its price, to `step` below what its cheapest open way needs. The
    flow before was cheapest to within SHRINK steps, so the way to a node in want is not longer than `lowest` allows.
    """
    nodes = excess.size
    lowest = price.min() - 2 * (SHRINK + 1) * nodes * step
    current = first[:-1].copy()
    queue = np.empty(nodes, dtype=np.int64)
    start, waiting = 0, 0
    for u in range(nodes):
        if excess[u] > 0:
            queue[waiting] = u
            waiting += 1
    while waiting > 0:
        u = queue[start]
        start = (start + 1) % nodes
        waiting -= 1
        stop = first[u + 1]
        while True:
            way, paid, left = current[u], price[u], excess[u]
            while way < stop:
                v = end[way]
                if is_open[way] and cost[way] + paid < price[v]:
                    is_open[way] = False
                    is_open[mate[way]] = True
                    left -= 1
                    excess[v] += 1
                    if excess[v] == 1:
                        queue[(start + waiting) % nodes] = v
                        waiting += 1
                    if left == 0:
                        break
                way += 1
            current[u] = way
            excess[u] = left
            if left == 0:
                break
            needed = lowest
            for other in range(first[u], stop):
                if is_open[other]:
                    needed = max(needed, price[end[other]] - cost[other])
            if needed == lowest:
                return False
            price[u] = needed - step
            current[u] = first[u]
    return True
