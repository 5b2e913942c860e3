"""Exact likelihood ratios: on tiny universes, the whole tree of what a mechanism may draw.

A run is a path in a tree: each node is a draw, each branch one of its answers.
Trees of two neighbours are walked together. Along a path the log-likelihood
ratios add up; a vector's coordinates are independent, so its largest ratio is
the sum of theirs. Numbers are enumerated over 20 steps beyond the counts, on
either side; further out the ratios are constant. Where a run begins with a
single number or a choice, every answer of it is followed; after any other draw,
the extremes are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from fractions import Fraction
from itertools import product
from math import inf
from operator import add

import numpy as np
from numpy.typing import NDArray
from tests.contracts import laws
from tests.contracts.gates import SLACK, Measured, require_alike
from tests.contracts.neighbours import all_tables, are_neighbours, counted
from tests.contracts.transcript import Draw, dense, filtered, hidden, require_integers

from quietway.counts import Counts
from quietway.measurement import Measurement, NoisyBoxes, NoisyCells, NoisyGrid
from quietway.mechanisms import Mechanism
from quietway.noise import HiddenCells, Survivors
from quietway.noise.testing import ListedCells
from quietway.universe import Partition, PrivacyUnit, Universe

Ints = NDArray[np.int64]
MOST = 2  # the largest count of a cell
REACH = 20


class _Asked(Exception):
    """A draw beyond the answers prescribed."""

    def __init__(self, draw: Draw) -> None:
        super().__init__("a draw")
        self.draw = draw


@dataclass(frozen=True, kw_only=True)
class Enumerating:
    """Gives the prescribed answers, and stops the run at the first draw after them."""

    answers: tuple[Ints, ...]
    counts: Counts
    given: list[int] = field(default_factory=list)

    @property
    def private(self) -> bool:
        """Never."""
        return False

    def laplace(self, true: Ints, scale: Fraction) -> Ints:
        """The next prescribed answer."""
        return self._next("laplace", true, scale).copy()

    def laplace_above(self, true: Ints, empty: int, threshold: int, scale: Fraction) -> Survivors:
        """The next prescribed answer of all cells, filtered."""
        noisy = self._next("above", dense(self.counts, true, empty), scale, threshold)
        return filtered(self.counts, noisy, threshold)

    def hide(self, true: Ints, where: Ints, sizes: Ints, scale: Fraction) -> HiddenCells:
        """The next prescribed answer of all cells, shown as asked for."""
        cells = hidden(self.counts, true, where, sizes)
        return ListedCells(self._next("hide", cells, scale, sizes=tuple(sizes.tolist())), sizes)

    def select(self, scores: Ints, scale: Fraction) -> int:
        """The next prescribed choice."""
        return int(self._next("select", scores, scale)[0])

    def choose(self, scores: Ints, scale: Fraction) -> int:
        """The next prescribed choice."""
        return int(self._next("choose", scores, scale)[0])

    def positive(self, true: Ints, scale: Fraction) -> NDArray[np.bool_]:
        """The next prescribed decisions."""
        return self._next("positive", true, scale).astype(np.bool_)

    def _next(
        self,
        kind: str,
        true: Ints,
        scale: Fraction,
        threshold: int | None = None,
        sizes: tuple[int, ...] = (),
    ) -> Ints:
        require_integers(true, scale)
        if len(self.given) == len(self.answers):
            draw = Draw(
                kind=kind, true=true.copy(), scale=scale, answer=true[:0], threshold=threshold, sizes=sizes
            )
            raise _Asked(draw)
        self.given.append(len(self.given))
        return self.answers[len(self.given) - 1]


@dataclass(frozen=True, kw_only=True, eq=False)
class Node:
    """A draw with what follows each answer, or the end of the run."""

    draw: Draw | None
    children: tuple[Node, ...] = ()
    output: tuple[Measured, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Forest:
    """The trees of one mechanism; equal draws and outputs are kept once, so that a pair is compared once."""

    mechanism: Mechanism
    draws: dict[object, Draw] = field(default_factory=dict)
    outputs: dict[object, tuple[Measured, ...]] = field(default_factory=dict)
    ratios: dict[tuple[Draw, Draw], NDArray[np.float64]] = field(default_factory=dict)

    def grow(self, counts: Counts, answers: tuple[Ints, ...] = ()) -> Node:
        """The tree of all runs that begin with these answers."""
        try:
            output = self.mechanism.measure(counts, rng=Enumerating(answers=answers, counts=counts))
        except _Asked as asked:
            draw = self.draws.setdefault((asked.draw.shape, asked.draw.true.tobytes()), asked.draw)
        else:
            return Node(draw=None, output=self.outputs.setdefault(_digest(output), output))
        followed = _outcomes_of_all(draw) if _is_choice(draw) or not answers else _extremes(draw)
        return Node(draw=draw, children=tuple(self.grow(counts, (*answers, answer)) for answer in followed))

    def loss(self, one: Node, other: Node) -> float:
        """The largest ln Pr(path | one) / Pr(path | other); infinite where the trees differ in shape."""
        if one.draw is None or other.draw is None:
            return 0.0 if one.draw is other.draw and _alike(one.output, other.output) else inf
        if one.draw.shape != other.draw.shape:
            return inf
        ratios = self._ratios(one.draw, other.draw)
        after = [self.loss(a, b) for a, b in zip(one.children, other.children, strict=True)]
        if len(after) == ratios.size:
            return max(map(add, ratios.tolist(), after))
        return float(ratios.max()) + max(after)

    def _ratios(self, one: Draw, other: Draw) -> NDArray[np.float64]:
        """ln Pr(answer | one) / Pr(answer | other) of every single answer, or the largest of any vector."""
        if (one, other) not in self.ratios:
            every = _logs(one) - _logs(other)
            if one.kind == "positive":
                return np.array([every[np.arange(len(every)), told].sum() for told in _outcomes_of_all(one)])
            self.ratios[one, other] = every[0] if len(every) == 1 else every.max(axis=1).sum(keepdims=True)
        return self.ratios[one, other]


def largest_ratio(mechanism: Mechanism, universe: Universe, unit: PrivacyUnit, *, most: int = MOST) -> float:
    """The largest |ln Pr(outcome | x) / Pr(outcome | x')| over all neighbours x, x' and all outcomes."""
    tables, forest = all_tables(universe, most), Forest(mechanism=mechanism)
    trees = [forest.grow(counted(universe, table, unit)) for table in tables]
    return max(
        forest.loss(one, other)
        for one, table in zip(trees, tables, strict=True)
        for other, neighbour in zip(trees, tables, strict=True)
        if are_neighbours(table, neighbour, unit)
    )


def exact(mechanism: Mechanism, universe: Universe, unit: PrivacyUnit, *, most: int = MOST) -> float:
    """The gate: no outcome is more than e^epsilon times likelier under a neighbour."""
    found = largest_ratio(mechanism, universe, unit, most=most)
    epsilon = float(mechanism.cost.epsilon)
    assert found <= epsilon + SLACK, (
        f"an outcome is e^{found:.4g} times likelier under a neighbour, epsilon {epsilon}"
    )
    return found


def _alike(one: tuple[Measured, ...], other: tuple[Measured, ...]) -> bool:
    if one is other:
        return True
    try:
        require_alike(one, other)
    except AssertionError:
        return False
    return True


def _digest(output: tuple[Measured, ...]) -> object:
    return tuple(_digest_of(m) if isinstance(m, Measurement) else _plain(m) for m in output)


def _plain(value: object) -> object:
    """Anything of paths: its arrays as bytes, the rest as it is."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, NoisyBoxes | NoisyGrid | NoisyCells):
        return tuple(_plain(getattr(value, part.name)) for part in fields(value))
    return value


def _digest_of(m: Measurement) -> object:
    return (
        m.name,
        _rules(m.partition),
        m.noisy.tobytes(),
        m.scale,
        m.blocks is not None and m.blocks.tobytes(),
        m.threshold,
        m.floors and (_rules(m.floors.groups), m.floors.levels.tobytes()),
    )


def _rules(partition: Partition) -> object:
    return tuple(
        (rule.axes, rule.name, rule.blocks, rule.labels is not None and rule.labels.tobytes())
        for rule in partition.rules
    )


def _is_choice(draw: Draw) -> bool:
    return draw.kind in ("select", "choose", "positive")


def _outcomes(draw: Draw) -> Ints:
    """What one coordinate may show."""
    if draw.kind == "positive":
        return np.arange(2)
    if _is_choice(draw):
        return np.arange(draw.true.size)
    if draw.threshold is not None:
        return np.arange(draw.threshold, draw.threshold + REACH + 1)
    return np.arange(-REACH, REACH + 3 * MOST + 1)


def _outcomes_of_all(draw: Draw) -> Iterator[Ints]:
    """Every answer of a single number, a choice or decisions; the extremes of a vector."""
    if draw.kind == "positive":
        yield from (np.array(told, dtype=np.int64) for told in product((0, 1), repeat=draw.true.size))
        return
    single = _is_choice(draw) or (draw.threshold is None and draw.true.size == 1)
    yield from _outcomes(draw)[:, None] if single else _extremes(draw)


def _extremes(draw: Draw) -> Iterator[Ints]:
    """All low (unlisted, where only what reaches a threshold is listed), and all high."""
    low, high = _outcomes(draw)[[0, -1]]
    yield np.full(draw.true.shape, low - (draw.threshold is not None))
    yield np.full(draw.true.shape, high)


def _logs(draw: Draw) -> NDArray[np.float64]:
    if draw.kind == "positive":
        return laws.log_decisions(draw.true, draw.scale)
    if _is_choice(draw):
        return np.log(laws.selection(draw.kind, draw.true, draw.scale))[None, :]
    listed = laws.log_pmf(_outcomes(draw)[None, :] - draw.true[:, None], draw.scale)
    if draw.threshold is None:
        return listed
    unlisted = laws.log_below(draw.threshold - draw.true, draw.scale)
    return np.column_stack([unlisted, listed])
