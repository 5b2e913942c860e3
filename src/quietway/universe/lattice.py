"""The lattice of partitions, rule by rule: which determines which, meet and join.

Two partitions in product form fall apart into independent problems: groups of
rules that share axes, directly or through others. Each group is solved on a
table over its own axes only, so the universe is never listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from quietway.universe.rule import Rule, require_table_size
from quietway.universe.universe import Universe

LARGEST_NAMED = 1_000_000


@dataclass(frozen=True, eq=False)
class _Group:
    """Rules of the left and of the right partition that share axes."""

    left: tuple[Rule, ...]
    right: tuple[Rule, ...]

    @property
    def universe(self) -> Universe:
        return (*self.left, *self.right)[0].universe

    @property
    def axes(self) -> tuple[int, ...]:
        return tuple(sorted({i for rule in (*self.left, *self.right) for i in rule.axes}))


def determines(finer: Sequence[Rule], rule: Rule) -> bool:
    """Whether the blocks of `finer` tell the block of `rule`."""
    reading = tuple(r for r in finer if not set(r.axes).isdisjoint(rule.axes))
    if _keeps(reading, rule.axes):
        return True
    if prod(r.blocks for r in reading) < rule.blocks:
        return False  # no block of a rule is empty
    group = _Group(reading, (rule,))
    have, want = _table(group.left, group), _table(group.right, group)
    both = _combine(have, want)
    return int(both.max()) == int(_compact(have).max())


def meet(left: Sequence[Rule], right: Sequence[Rule]) -> tuple[Rule, ...]:
    """The common refinement."""
    rules = list[Rule]()
    for group in _groups(left, right):
        if not group.right or _keeps(group.left, group.axes):
            rules.extend(group.left)
        elif not group.left or _keeps(group.right, group.axes):
            rules.extend(group.right)
        else:
            rules.extend(_met(group))
    return tuple(sorted(rules, key=lambda rule: rule.axes))


def join(left: Sequence[Rule], right: Sequence[Rule]) -> tuple[Rule, ...]:
    """The finest common coarsening."""
    rules = list[Rule]()
    for group in _groups(left, right):
        if _keeps(group.left, group.axes):
            rules.extend(group.right)
        elif _keeps(group.right, group.axes):
            rules.extend(group.left)
        elif group.left and group.right:
            rules.extend(_joined(group))
    return tuple(sorted(rules, key=lambda rule: rule.axes))


def _met(group: _Group) -> Sequence[Rule]:
    have, other = _table(group.left, group), _table(group.right, group)
    table = _combine(have, other)
    return _known(group, have, other, table) or _rules(group, table, _names(group, table))


def _joined(group: _Group) -> Sequence[Rule]:
    have, other = _table(group.left, group), _table(group.right, group)
    table = _components(have, other)
    known, fresh = _known(group, have, other, table), _rules(group, table, None)
    needed = {i for rule in fresh for i in rule.axes}  # a known rule may read an axis that no longer matters
    return known if known and {i for rule in known for i in rule.axes} <= needed else fresh


def _groups(left: Sequence[Rule], right: Sequence[Rule]) -> list[_Group]:
    pending = [_Group((rule,), ()) for rule in left] + [_Group((), (rule,)) for rule in right]
    groups = list[_Group]()
    for new in pending:
        touching = [g for g in groups if not set(g.axes).isdisjoint(new.axes)]
        groups = [g for g in groups if g not in touching]
        groups.append(
            _Group(
                tuple(r for g in (*touching, new) for r in g.left),
                tuple(r for g in (*touching, new) for r in g.right),
            )
        )
    return groups


def _keeps(rules: Sequence[Rule], axes: Sequence[int]) -> bool:
    """Whether the rules keep each of these axes as it is."""
    return set(axes) <= {rule.axes[0] for rule in rules if rule.labels is None}


def _table(rules: Sequence[Rule], group: _Group) -> NDArray[np.int64]:
    """The combined block number of some rules, over all axes of the group."""
    sizes = [group.universe.axes[i].size for i in group.axes]
    require_table_size(sizes, " and ".join(rule.name for rule in (*group.left, *group.right)))
    table = np.zeros(sizes, dtype=np.int64)
    for rule in rules:
        shape = [size if i in rule.axes else 1 for i, size in zip(group.axes, sizes, strict=True)]
        table = _compact(table * rule.blocks + rule.table.reshape(shape))
    return table


def _compact(table: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same blocks, numbered without gaps."""
    _, inverse = np.unique(table, return_inverse=True)
    return inverse.reshape(table.shape)


def _combine(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    return _compact(left * (int(right.max()) + 1) + right)


def _components(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """Blocks of the two tables that overlap, directly or through others, become one."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    left, right = _compact(left), _compact(right)
    nodes = int(left.max()) + 1, int(right.max()) + 1
    edges = (np.ones(left.size, dtype=np.int8), (left.ravel(), right.ravel() + nodes[0]))
    graph = coo_array(edges, shape=(sum(nodes), sum(nodes)))
    _, component = connected_components(graph, directed=False)
    return _compact(component[left].astype(np.int64))


def _known(
    group: _Group, left: NDArray[np.int64], right: NDArray[np.int64], table: NDArray[np.int64]
) -> Sequence[Rule]:
    """The rules of a side that already cuts like the table, with their names; none if neither does.

    Meet and join are comparable to both sides, so as many blocks are the same blocks.
    """
    blocks = int(table.max())
    if blocks == int(left.max()):
        return group.left
    return group.right if blocks == int(right.max()) else ()


def _names(group: _Group, table: NDArray[np.int64]) -> tuple[str, ...] | None:
    """Each block of a common refinement, called after the blocks that meet in it."""
    if int(table.max()) >= LARGEST_NAMED:
        return None
    _, first = np.unique(table, return_index=True)
    cells = dict(zip(group.axes, np.unravel_index(first, table.shape), strict=True))
    rules = (*group.left, *group.right)
    parts = [[rule.block_name(block) for block in rule.block_of(cells).tolist()] for rule in rules]
    return tuple(" / ".join(names) for names in zip(*parts, strict=True))


def _rules(group: _Group, table: NDArray[np.int64], names: tuple[str, ...] | None) -> list[Rule]:
    """A table as a rule, without the axes that it does not depend on."""
    axes = list(group.axes)
    for position in range(len(axes) - 1, -1, -1):
        first = table.take([0], axis=position)
        if (table == first).all():
            table = first.squeeze(axis=position)
            del axes[position]
    if not axes:
        return []
    blocks = int(table.max()) + 1
    if len(axes) == 1 and blocks == table.size:
        return [Rule(group.universe, tuple(axes), None, blocks, group.universe.axes[axes[0]].name)]
    name = " x ".join(rule.name for rule in (*group.left, *group.right))
    return [Rule(group.universe, tuple(axes), np.ascontiguousarray(table).ravel(), blocks, name, names)]
