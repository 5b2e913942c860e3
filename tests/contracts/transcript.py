"""Sources that write down every draw, and that force the draws of one run upon another.

A sparse draw is written down as its dense equivalent: every cell of the
universe with its noise, filtered afterwards. A cell that is empty in one data
set may be occupied in its neighbour, so only the dense form can be compared.

Hidden cells likewise: all of them are noised when they are hidden, and the
levels at which they are looked at are written down too. A run may choose levels
by what it has been shown, so under the same answers a neighbour must ask for
the same ones: whatever it is then shown gives away no more than all cells do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from tests.contracts import laws

from quietway.counts import Counts
from quietway.noise import HiddenCells, NoiseSource, Revealed, Survivors
from quietway.noise.testing import ListedCells, listed

Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Draw:
    """What was asked of the source, and what it answered."""

    kind: str
    true: Ints
    scale: Fraction
    answer: Ints
    threshold: int | None = None
    sizes: tuple[int, ...] = ()
    asked: list[Ints] = field(default_factory=list)

    @property
    def shape(self) -> tuple[object, ...]:
        """All that must not depend on the records."""
        return self.kind, self.true.shape, self.scale, self.threshold, self.sizes


@dataclass(frozen=True, kw_only=True, eq=False)
class Watched:
    """Hidden cells whose levels are written down."""

    cells: HiddenCells
    asked: list[Ints]

    def reveal(self, levels: Ints) -> Revealed:
        """The cells' answer."""
        self.asked.append(levels.copy())
        return self.cells.reveal(levels)


@dataclass(frozen=True, kw_only=True, eq=False)
class Followed:
    """Hidden cells that are asked for the levels of another run, and no others."""

    cells: HiddenCells
    expected: Sequence[Ints]
    asked: list[Ints] = field(default_factory=list)

    def reveal(self, levels: Ints) -> Revealed:
        """The cells' answer, if the other run asked the same."""
        turn = len(self.asked)
        assert turn < len(self.expected), "structural mismatch: a neighbour looks at hidden cells more often"
        assert np.array_equal(levels, self.expected[turn]), (
            "structural mismatch: levels depend on the records"
        )
        self.asked.append(levels)
        return self.cells.reveal(levels)


@dataclass(frozen=True, kw_only=True)
class Recording:
    """Answers like another source, and keeps the transcript."""

    source: NoiseSource
    counts: Counts
    draws: list[Draw] = field(default_factory=list)

    @property
    def private(self) -> bool:
        """Never: the transcript is kept."""
        return False

    def laplace(self, true: Ints, scale: Fraction) -> Ints:
        """The source's answer."""
        require_integers(true, scale)
        answer = self.source.laplace(true, scale)
        self.draws.append(Draw(kind="laplace", true=true.copy(), scale=scale, answer=answer.copy()))
        return answer

    def laplace_above(self, true: Ints, empty: int, threshold: int, scale: Fraction) -> Survivors:
        """The source's noise on every cell, filtered."""
        require_integers(true, scale)
        cells = dense(self.counts, true, empty)
        noisy = self.source.laplace(cells, scale)
        self.draws.append(Draw(kind="above", true=cells, scale=scale, answer=noisy, threshold=threshold))
        return filtered(self.counts, noisy, threshold)

    def hide(self, true: Ints, where: Ints, sizes: Ints, scale: Fraction) -> HiddenCells:
        """The source's noise on every cell, shown as asked for."""
        require_integers(true, scale)
        cells = hidden(self.counts, true, where, sizes)
        noisy = self.source.laplace(cells, scale)
        draw = Draw(kind="hide", true=cells, scale=scale, answer=noisy, sizes=tuple(sizes.tolist()))
        self.draws.append(draw)
        return Watched(cells=ListedCells(noisy, sizes), asked=draw.asked)

    def select(self, scores: Ints, scale: Fraction) -> int:
        """The source's choice."""
        return self._selected("select", scores, scale, self.source.select(scores, scale))

    def choose(self, scores: Ints, scale: Fraction) -> int:
        """The source's choice."""
        return self._selected("choose", scores, scale, self.source.choose(scores, scale))

    def positive(self, true: Ints, scale: Fraction) -> NDArray[np.bool_]:
        """The source's decisions."""
        require_integers(true, scale)
        answer = self.source.positive(true, scale)
        self.draws.append(
            Draw(kind="positive", true=true.copy(), scale=scale, answer=answer.astype(np.int64))
        )
        return answer

    def _selected(self, kind: str, scores: Ints, scale: Fraction, chosen: int) -> int:
        require_integers(scores, scale)
        self.draws.append(Draw(kind=kind, true=scores.copy(), scale=scale, answer=np.array([chosen])))
        return chosen


@dataclass(frozen=True, kw_only=True)
class Replaying:
    """Forces a transcript upon a neighbour, and adds up what the answers give away.

    `loss` is ln Pr(answers | recorded run) / Pr(answers | this run), and
    `certificate` bounds the loss of any answers.
    """

    transcript: Sequence[Draw]
    counts: Counts
    followed: list[Followed] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    certificates: list[float] = field(default_factory=list)

    @property
    def private(self) -> bool:
        """Never."""
        return False

    @property
    def loss(self) -> float:
        """The loss of the answers so far."""
        return sum(self.losses)

    @property
    def certificate(self) -> float:
        """What no answers could exceed."""
        return sum(self.certificates)

    def laplace(self, true: Ints, scale: Fraction) -> Ints:
        """The recorded answer."""
        draw = self._next("laplace", true, scale)
        return self._told(draw, true)

    def laplace_above(self, true: Ints, empty: int, threshold: int, scale: Fraction) -> Survivors:
        """The recorded noise of every cell, filtered."""
        cells = dense(self.counts, true, empty)
        draw = self._next("above", cells, scale, threshold)
        return filtered(self.counts, self._told(draw, cells), threshold)

    def hide(self, true: Ints, where: Ints, sizes: Ints, scale: Fraction) -> HiddenCells:
        """The recorded noise of every cell, shown at the recorded levels."""
        cells = hidden(self.counts, true, where, sizes)
        draw = self._next("hide", cells, scale, sizes=tuple(sizes.tolist()))
        self.followed.append(Followed(cells=ListedCells(self._told(draw, cells), sizes), expected=draw.asked))
        return self.followed[-1]

    def select(self, scores: Ints, scale: Fraction) -> int:
        """The recorded choice."""
        return self._chosen(self._next("select", scores, scale), scores)

    def choose(self, scores: Ints, scale: Fraction) -> int:
        """The recorded choice."""
        return self._chosen(self._next("choose", scores, scale), scores)

    def positive(self, true: Ints, scale: Fraction) -> NDArray[np.bool_]:
        """The recorded decisions. Their certificate is their own loss: what follows depends on each of them."""
        draw = self._next("positive", true, scale)
        before, after = (
            laws.log_decisions(table, scale)[np.arange(table.size), draw.answer]
            for table in (draw.true, true)
        )
        self.losses.append(float((before - after).sum()))
        self.certificates.append(max(0.0, self.losses[-1]))
        return draw.answer.astype(np.bool_)

    def require_finished(self) -> None:
        """The recorded run drew as often as this one."""
        assert len(self.losses) == len(self.transcript), "structural mismatch: a neighbour draws fewer times"
        assert all(len(cells.asked) == len(cells.expected) for cells in self.followed), (
            "structural mismatch: a neighbour looks at hidden cells less often"
        )

    def _next(
        self,
        kind: str,
        true: Ints,
        scale: Fraction,
        threshold: int | None = None,
        sizes: tuple[int, ...] = (),
    ) -> Draw:
        require_integers(true, scale)
        assert len(self.losses) < len(self.transcript), "structural mismatch: a neighbour draws more times"
        draw = self.transcript[len(self.losses)]
        found = (kind, true.shape, scale, threshold, sizes)
        assert found == draw.shape, f"structural mismatch: {draw.shape} became {found} on a neighbour"
        return draw

    def _told(self, draw: Draw, true: Ints) -> Ints:
        gained = int((np.abs(draw.answer - true) - np.abs(draw.answer - draw.true)).sum())
        self.losses.append(float(gained / draw.scale))
        self.certificates.append(float(int(np.abs(true - draw.true).sum()) / draw.scale))
        return draw.answer.copy()

    def _chosen(self, draw: Draw, scores: Ints) -> int:
        chosen = int(draw.answer[0])
        before, after = (
            laws.selection(draw.kind, table, draw.scale)[chosen] for table in (draw.true, scores)
        )
        self.losses.append(float(np.log(before) - np.log(after)))
        self.certificates.append(float(2 * int(np.abs(scores - draw.true).max()) / draw.scale))
        return chosen


def require_integers(true: Ints, scale: Fraction) -> None:
    """No float takes part in any draw."""
    assert isinstance(true, np.ndarray) and true.dtype == np.int64, (
        "a draw was asked for with numbers not int64"
    )
    assert isinstance(scale, Fraction) and scale > 0, (
        "a draw was asked for with a scale that is no exact rational"
    )


def dense(counts: Counts, true: Ints, empty: int) -> Ints:
    """The cells of a sparse draw, all of them.

    The sparse filter stands for noise on every cell. It is given the occupied
    ones in key order and the number of all others; anything else would treat a
    cell by whether it is occupied.
    """
    assert np.array_equal(true, counts.values), (
        "the sparse filter was not given the occupied cells, in key order"
    )
    assert empty == counts.universe.size - len(counts.keys), "the sparse filter was given too few empty cells"
    return counts.dense()


def filtered(counts: Counts, noisy: Ints, threshold: int) -> Survivors:
    """What the sparse filter says when every cell's noisy count is known."""
    occupied, empty = noisy[counts.keys], np.delete(noisy, counts.keys)
    kept, sprung = np.flatnonzero(occupied >= threshold), np.flatnonzero(empty >= threshold)
    return Survivors(kept, occupied[kept], sprung, empty[sprung])


def hidden(counts: Counts, true: Ints, where: Ints, sizes: Ints) -> Ints:
    """The cells of a hidden draw, all of them, in the order of their positions.

    Every cell of the universe is there, and the occupied ones hold what is counted.
    Where a cell stands must not depend on the records: if it does, a neighbour's
    cells are another vector, and the loss shows it.
    """
    assert int(sizes.sum()) == counts.universe.size, "not every cell of the universe is hidden"
    assert np.array_equal(np.sort(true), np.sort(counts.values)), "other cells are hidden than are counted"
    return listed(true, where, sizes)
