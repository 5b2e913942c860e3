"""The statistical audit: attack each mechanism with many runs, and certify how much it gives away.

    python -m tests.statistical.audit

For a pair of neighbours, 300,000 runs on either side give a statistic each:
what a wary reader would compute, the log-likelihood ratio under the claimed
scales. A third of the runs chooses the event that tells the sides apart best;
the rest bounds its two probabilities (Clopper-Pearson, 5e-5 each, in either
direction), and the logarithm of their ratio is a certified lower bound on the
true epsilon. A bound above the claim convicts. A bound below it acquits nobody: the exact
gates of tests/contracts do that. Every mutant must be convicted, which shows
that the audit sees.

Runs are worlds side by side in one universe with an axis of its own for them,
so a mechanism measures all of them in one call, by its real samplers.

Source: the event search of Ding et al. (2018), with the statistic of
    Bichsel et al. (2021) replaced by the claimed likelihood ratio.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from tests.contracts.cases import TRIP, TRIP_REPLACED, USER, USER_REPLACED
from tests.contracts.laws import log_below
from tests.contracts.mutants import HalvedScale, OccupiedOnly, ScaleForOneTrip, UnsplitBudget

from quietway.counts import Counts
from quietway.measurement import Measurement
from quietway.mechanisms import FeatureLaplace, Hierarchical, Mechanism, ThresholdCells
from quietway.noise import NoiseSource, seeded
from quietway.universe import Axis, Partition, PrivacyUnit, Universe

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Statistic = Callable[
    [Ints, int, NoiseSource], Floats
]  # a table, and how many runs of it: a number for each run

RUNS = 300_000
RARE = np.geomspace(1e-4, 0.04, 10)
QUANTILES = np.concatenate([np.linspace(0, 1, 20), RARE, 1 - RARE])
TAIL = 5e-5
EPSILON = Fraction(1)
UNSEEN = 1e3  # what an event that the claim says is impossible adds to the statistic


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Something to attack: a pair of tiny tables, how a run's statistic comes about, and what is claimed of it."""

    name: str
    one: tuple[int, ...]
    other: tuple[int, ...]
    statistic: Statistic
    claimed: Fraction = EPSILON
    guilty: bool = False


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What was certified of a subject."""

    subject: Subject
    bound: float

    @property
    def convicted(self) -> bool:
        """Whether it certainly gives away more than claimed."""
        return self.bound > float(self.subject.claimed)

    @property
    def as_expected(self) -> bool:
        """Guilty ones are convicted, the others are not."""
        return self.convicted == self.subject.guilty


def audit(subject: Subject, *, runs: int = RUNS, seed: int = 1) -> Finding:
    """The largest certified lower bound of epsilon, for the event that looks best on a third of the runs."""
    source = seeded(seed)
    sides = [subject.statistic(np.array(cells), runs, source) for cells in (subject.one, subject.other)]
    cut = runs // 3
    one, other = sides
    bounds = [
        certified(p[cut:], q[cut:], best_event(p[:cut], q[:cut])) for p, q in ((one, other), (other, one))
    ]
    return Finding(subject=subject, bound=max(0.0, *bounds))


@dataclass(frozen=True)
class Event:
    """The statistic beyond a cut."""

    cut: float
    above: bool

    def holds(self, statistic: Floats) -> NDArray[np.bool_]:
        """In which runs it happened."""
        return statistic >= self.cut if self.above else statistic <= self.cut


def best_event(likely: Floats, unlikely: Floats) -> Event:
    """Among quantile cuts and both tails, the event with the largest certified ratio on these runs."""
    cuts = np.unique(np.quantile(np.concatenate([likely, unlikely]), QUANTILES, method="nearest"))
    events = [Event(float(cut), above) for cut in cuts for above in (True, False)]
    return max(events, key=lambda event: certified(likely, unlikely, event))


def certified(likely: Floats, unlikely: Floats, event: Event) -> float:
    """ln of a lower bound of one probability over an upper bound of the other."""
    low = clopper_pearson(int(event.holds(likely).sum()), len(likely))[0]
    high = clopper_pearson(int(event.holds(unlikely).sum()), len(unlikely))[1]
    return float(np.log(low / high)) if low > 0 else -np.inf


def clopper_pearson(hits: int, runs: int) -> tuple[float, float]:
    """Exact bounds of a probability, each wrong with probability TAIL."""
    from scipy.special import betaincinv

    low = betaincinv(hits, runs - hits + 1, TAIL) if hits else 0.0
    high = betaincinv(hits + 1, runs - hits, 1 - TAIL) if hits < runs else 1.0
    return float(low), float(high)


def worlds(runs: int, cells: int) -> Universe:
    """Many runs side by side: axis 0 tells them apart."""
    return Universe((Axis(name="run", size=runs), Axis(name="cell", size=cells)))


def side_by_side(table: Ints, runs: int, unit: PrivacyUnit) -> Counts:
    """The same table in every world."""
    everywhere = np.tile(table, runs)
    keys = np.flatnonzero(everywhere)
    return Counts(worlds(runs, len(table)), keys, everywhere[keys], unit)


def attack(
    name: str,
    build: Callable[[Universe], Mechanism],
    one: tuple[int, ...],
    other: tuple[int, ...],
    unit: PrivacyUnit,
    *,
    guilty: bool = False,
    claimed: Fraction = EPSILON,
) -> Subject:
    """The claimed log-likelihood ratio of everything that a mechanism says of a world."""
    tables = np.array(one), np.array(other)

    def statistic(table: Ints, runs: int, source: NoiseSource) -> Floats:
        mechanism = build(worlds(runs, len(table)))
        measured = mechanism.measure(side_by_side(table, runs, unit), rng=source)
        scales = {part: unit.sensitivity / epsilon for part, epsilon in mechanism.parts}
        told = [_ratio(m, scales[m.name], tables, runs) for m in measured if m.partition.blocks >= runs]
        return np.sum(told, axis=0)

    return Subject(name=name, one=one, other=other, statistic=statistic, claimed=claimed, guilty=guilty)


def _ratio(measurement: Measurement, scale: Fraction, tables: tuple[Ints, Ints], runs: int) -> Floats:
    """ln Pr(said | one) / Pr(said | other) in each world, by the claimed law."""
    blocks = measurement.partition.blocks
    said, listed = np.zeros(blocks, dtype=np.int64), np.zeros(blocks, dtype=bool)
    where = np.arange(blocks) if measurement.blocks is None else measurement.blocks
    said[where], listed[where] = measurement.noisy, True
    every = np.arange(runs * len(tables[0]))
    one, other = (measurement.partition.totals(every, np.tile(table, runs)) for table in tables)
    ratio = (np.abs(said - other) - np.abs(said - one)) / float(scale)
    if measurement.threshold is None:
        silent = np.full(blocks, -UNSEEN)
    else:
        below = [log_below(measurement.threshold - totals, scale) for totals in (one, other)]
        silent = below[0] - below[1]
    return np.where(listed, ratio, silent).reshape(runs, -1).sum(axis=1)


def cells(unit: PrivacyUnit, epsilon: Fraction = EPSILON) -> Callable[[Universe], Mechanism]:
    """Noisy cells."""
    return lambda universe: FeatureLaplace(
        features=(("cells", Partition.identity(universe)),), epsilons=(epsilon,), unit=unit
    )


def tree(unit: PrivacyUnit) -> Callable[[Universe], Mechanism]:
    """Each world's total, and its cells."""
    return lambda universe: Hierarchical(
        levels=(("run", Partition.margin(universe, ["run"])), ("cells", Partition.identity(universe))),
        epsilons=(EPSILON / 4, 3 * EPSILON / 4),
        unit=unit,
    )


def features(unit: PrivacyUnit) -> Callable[[Universe], Mechanism]:
    """The cells three times over, a third of epsilon each."""
    return lambda universe: FeatureLaplace(
        features=tuple((name, Partition.identity(universe)) for name in ("first", "second", "third")),
        epsilons=(EPSILON / 3,) * 3,
        unit=unit,
    )


def filtered(unit: PrivacyUnit, threshold: int) -> Callable[[Universe], Mechanism]:
    """The cells that reach a threshold; the total is of all worlds together, and left out of the attack."""
    return lambda universe: ThresholdCells(
        universe=universe,
        epsilon_total=Fraction(1, 100),
        epsilon_cells=EPSILON,
        unit=unit,
        threshold=threshold,
    )


def mutated(
    make: Callable[..., Mechanism], build: Callable[[Universe], Mechanism]
) -> Callable[[Universe], Mechanism]:
    """A broken form of a mechanism."""
    return lambda universe: make(honest=build(universe))


def naive_laplace(table: Ints, runs: int, source: NoiseSource) -> Floats:
    """Textbook floating-point noise on one cell, not rounded, and its claimed likelihood ratio between 0 and 1."""
    random = np.random.default_rng(
        int(source.laplace(np.zeros(1, dtype=np.int64), Fraction(10**9))[0] % 2**32)
    )
    uniform = random.random(runs) - 0.5
    said = table[0] - np.sign(uniform) * np.log(1 - 2 * np.abs(uniform))
    return np.abs(said - 1) - np.abs(said)


HONEST = (
    attack("cells, one more trip", cells(TRIP), (1, 0), (2, 0), TRIP),
    attack("cells, an empty one", cells(TRIP), (3, 0), (3, 1), TRIP),
    attack("cells, a trip replaced", cells(TRIP_REPLACED), (1, 0), (0, 1), TRIP_REPLACED),
    attack("cells, a user with 3 trips", cells(USER), (0, 0, 0), (2, 1, 0), USER),
    attack("cells, a user replaced", cells(USER_REPLACED), (3, 0), (0, 3), USER_REPLACED),
    attack("three features", features(TRIP), (0, 0), (0, 1), TRIP),
    attack("tree, one more trip", tree(TRIP), (0, 2), (1, 2), TRIP),
    attack("tree, a user replaced", tree(USER_REPLACED), (3, 0), (0, 3), USER_REPLACED),
    attack("threshold 3, an empty cell", filtered(TRIP, 3), (0, 0), (1, 0), TRIP),
    attack("threshold 3, at the threshold", filtered(TRIP, 3), (2, 0), (3, 0), TRIP),
    attack("threshold 3, a user replaced", filtered(USER_REPLACED, 3), (3, 0), (0, 3), USER_REPLACED),
)

MUTANTS = (
    attack("halved scale", mutated(HalvedScale, cells(TRIP)), (1, 0), (2, 0), TRIP, guilty=True),
    attack("halved scale, tree", mutated(HalvedScale, tree(TRIP)), (1, 0), (2, 0), TRIP, guilty=True),
    attack(
        "halved scale, threshold", mutated(HalvedScale, filtered(TRIP, 3)), (2, 0), (3, 0), TRIP, guilty=True
    ),
    attack("no split", mutated(UnsplitBudget, features(TRIP)), (0, 0), (0, 1), TRIP, guilty=True),
    attack("occupied cells only", mutated(OccupiedOnly, cells(TRIP)), (3, 0), (3, 1), TRIP, guilty=True),
    attack(
        "a user as one trip", mutated(ScaleForOneTrip, cells(USER)), (0, 0, 0), (2, 1, 0), USER, guilty=True
    ),
    attack(
        "replacing as adding",
        mutated(ScaleForOneTrip, cells(TRIP_REPLACED)),
        (1, 0),
        (0, 1),
        TRIP_REPLACED,
        guilty=True,
    ),
    Subject(name="floating-point Laplace", one=(0,), other=(1,), statistic=naive_laplace, guilty=True),
)


def show(finding: Finding) -> str:
    """A line of the table."""
    subject = finding.subject
    verdict = "convicted" if finding.convicted else "not convicted"
    mark = "ok" if finding.as_expected else "WRONG"
    return f"{subject.name:32} {float(subject.claimed):8.3f} {finding.bound:10.3f}   {verdict:14} {mark}"


def main(subjects: tuple[Subject, ...] = HONEST + MUTANTS, *, runs: int = RUNS) -> int:
    """Audit everything, print the table, and say by the exit code whether every verdict is as it should be."""
    print(f"{runs:,} runs a side; each bound is wrong with probability {4 * TAIL:g} at most")
    print(f"{'mechanism':32} {'claimed':>8} {'certified':>10}   verdict")
    findings = list[Finding]()
    for subject in subjects:
        findings.append(audit(subject, runs=runs))
        print(show(findings[-1]), flush=True)
    return 0 if all(finding.as_expected for finding in findings) else 1


if __name__ == "__main__":
    sys.exit(main())
