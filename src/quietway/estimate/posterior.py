"""A table from noisy margins and a prior that is believed only as far as the margins bear it out.

Coarse margins come first. What the cells are expected to be gives every block of the next margin an expectation; how
far its noisy totals scatter around that tells how much either is worth; the blocks' believed totals are shared out
among their cells; and a tempered entropy fit reconciles the margins seen so far, coarse ones holding the stronger. So
a margin that is all noise changes nothing, and one that is clear is followed, whatever the prior said.

Source: Cao et al. (2023), section 4, for a prior over counts; Fioretto et al. (2018), section 7, for weights 1/n that
    keep coarse totals. Departures: the prior is over-dispersed with shapes learned from the noisy margins, because a
    multinomial one gives itself back; and margins may cross.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.dispersion import Belief, believed
from quietway.estimate.flat import parents
from quietway.estimate.prior import Background, expectation
from quietway.estimate.solution import Floats, sums
from quietway.estimate.sparse_belief import believed_sparse
from quietway.estimate.tempered import SoftMargin, scaled_to, tempered
from quietway.estimate.tempering import Blocks
from quietway.measurement import Measurement
from quietway.universe import Partition, Universe
from quietway.universe.ends import endpoints

Index = NDArray[np.int64]

WEIGHT = 0.03
SPARSE = 50.0
TURNS = 20
LAST_TURNS = 100
MOST_ROUNDS = 100


@dataclass(frozen=True, kw_only=True, eq=False)
class Learned:
    """A margin, the variance of its noise, and what is believed of its blocks."""

    name: str
    partition: Partition
    label: Blocks
    noise: float
    belief: Belief
    target: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class Posterior:
    """Every cell's expectation, before the margins and after, and how it was come to.

    `moved` is the most that the last turn of the fit moved any total, in units of its noise.
    """

    before: Floats
    cells: Floats
    learned: tuple[Learned, ...]
    guess: str
    moved: float


def posterior(measurements: Sequence[Measurement], background: Background) -> Posterior:
    """The cells' expectations from noisy totals and any noisy margins."""
    ordered = sorted(measurements, key=lambda margin: margin.partition.blocks)
    totals = [margin for margin in ordered if margin.partition.blocks == 1]
    margins = ordered[len(totals) :]
    labels = [margin.partition.labels() for margin in margins]
    whole = _whole(totals)
    trips = float(whole.target[0])
    telling = _telling(background.universe, margins)
    guess, cells = expectation(background, trips, list(compress(zip(margins, labels, strict=True), telling)))
    before = cells.copy()
    learned, moved = [whole], 0.0
    for margin, label in zip(margins, labels, strict=True):
        belief = _belief(margin, sums(label, cells, margin.partition.blocks))
        target = _agreed(belief, margin.partition, learned)
        learned.append(
            Learned(
                name=margin.name,
                partition=margin.partition,
                label=label,
                noise=margin.variance,
                belief=belief,
                target=target,
            )
        )
        scaled_to(cells, label, target)
        turns = LAST_TURNS if margin is margins[-1] else TURNS
        cells, moved = _reconciled(cells, learned, turns)
    return Posterior(before=before, cells=cells, learned=tuple(learned), guess=guess, moved=moved)


def _whole(totals: Sequence[Measurement]) -> Learned:
    """All trips, from every time that they were counted; at least one."""
    precision = sum(1 / total.variance for total in totals)
    mean = sum(float(total.noisy[0]) / total.variance for total in totals) / precision
    trips = np.array([max(1.0, mean)])
    partition = totals[0].partition
    return Learned(
        name=totals[0].name,
        partition=partition,
        label=np.zeros(partition.universe.size, dtype=np.int32),
        noise=1 / precision,
        belief=Belief(mean=trips, variance=np.array([1 / precision]), shape=np.inf),
        target=trips,
    )


def _telling(universe: Universe, margins: Sequence[Measurement]) -> list[bool]:
    """Which margins depend on both ends of a trip, so that they can tell how trips thin out with distance."""
    ends = {universe.position(end) for end in endpoints(universe) or ()}
    read = [{i for rule in margin.partition.rules for i in rule.axes} for margin in margins]
    return [bool(ends) and ends <= axes for axes in read]


def _belief(margin: Measurement, expected: Floats) -> Belief:
    """Few trips to a block are counted one by one; many are as good as Gaussian."""
    if expected.mean() < SPARSE:
        return believed_sparse(expected, margin.noisy, float(margin.scale))
    return believed(expected, margin.noisy, margin.variance)


def _agreed(belief: Belief, partition: Partition, coarser: Sequence[Learned]) -> Floats:
    """Believed totals, made to add up to the targets of the margins that the partition refines.

    Each is moved in proportion to its variance, and not below zero: what is known well stays where it is.
    """
    above = [margin for margin in coarser if partition.refines(margin.partition)]
    parent = [parents(partition, margin.partition) for margin in above]
    found = belief.mean
    for _ in range(MOST_ROUNDS):
        before = found
        for margin, up in zip(above, parent, strict=True):
            found = _shifted(found, belief.variance, up, margin.target)
        if np.abs(found - before).max() < 1e-6 * max(1.0, found.max()):
            break
    return found


def _shifted(mean: Floats, variance: Floats, parent: Index, target: Floats) -> Floats:
    """max(0, mean + level * variance), with a level for each parent such that its children reach the target."""
    level, found = np.zeros(target.size), mean
    for _ in range(MOST_ROUNDS):
        moved = mean + level[parent] * variance
        found = np.maximum(0.0, moved)
        missing = target - sums(parent, found, target.size)
        if np.abs(missing).max() <= 1e-9 * max(1.0, float(target.max())):
            break
        # A child at zero exactly follows a rise, so a parent of nothing but such children reaches its target too.
        level += missing / np.maximum(sums(parent, np.where(moved >= 0, variance, 0.0), target.size), 1e-12)
    return found


def _reconciled(cells: Floats, learned: Sequence[Learned], turns: int) -> tuple[Floats, float]:
    """All margins together, the coarsest last and strongest.

    Variances grow with a margin's number of blocks, as the weights 1/n of constraint-based fitting do: fitted
    totals of many blocks are biased upward by not being negative, and coarse margins must not pay for it.
    """
    most = max(margin.target.size for margin in learned)
    soft = [
        SoftMargin(
            label=margin.label,
            target=margin.target,
            variance=margin.noise * margin.target.size / most,
            unit=max(1.0, margin.noise**0.5),
        )
        for margin in reversed(learned)
    ]
    return tempered(cells, soft, WEIGHT, turns=turns)
