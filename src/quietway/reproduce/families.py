"""Families of methods: those of one family read the same noise, so that what separates them is the fit alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from quietway.counts import Counts
from quietway.estimate.constraint import cbdp, fitted, free_cells
from quietway.estimate.flat import clip
from quietway.estimate.nonnegative import project, prune
from quietway.estimate.solution import Solution
from quietway.estimate.tree import fit_tree
from quietway.estimate.weights import PUBLISHED, Weights
from quietway.measurement import Measurement
from quietway.mechanisms import ConstraintBased, FeatureLaplace, Hierarchical, Mechanism
from quietway.noise import NoiseSource
from quietway.reproduce.case_study import CELLS, TOTAL, CaseStudy, Floats, Index

UNIFORM = Weights(rule="uniform")
TWO_PHASE = Weights(rule="two-phase")
GRAINS = 1001


@dataclass(frozen=True, kw_only=True, eq=False)
class Answers:
    """Private answers, cell by cell: real numbers or integers, of the cells named or (None) of all."""

    keys: Index | None
    values: Floats

    @classmethod
    def of(cls, solution: Solution) -> Answers:
        """A published table."""
        return cls(keys=solution.keys, values=solution.counts.astype(np.float64))

    @classmethod
    def every(cls, values: Floats) -> Answers:
        """One for each cell."""
        return cls(keys=None, values=values)


Named = Iterator[tuple[str, Answers]]
Fits = Callable[[Sequence[Measurement]], Named]
Shares = Callable[[Fraction, Sequence[int]], tuple[Fraction, ...]]


@dataclass(frozen=True, kw_only=True)
class Family:
    """A mechanism, and the methods that differ in what they make of its measurements.

    `grains` counts trips in parts, at so much less epsilon a part: the same guarantee, and noise in parts of a trip.
    """

    mechanism: Callable[[CaseStudy, Fraction], Mechanism]
    fits: Fits
    grains: int = 1

    def measured(self, study: CaseStudy, epsilon: Fraction, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """Noise on the study's counts, worth epsilon a trip."""
        mechanism = self.mechanism(study, epsilon / self.grains)
        return mechanism.measure(_in_grains(study.counts, self.grains), rng=rng)


def laplace() -> Family:
    """Integer noise on every cell, negative ones set to zero: as the library publishes it."""
    return Family(mechanism=_identity, fits=lambda m: iter([("lap integers", Answers.of(clip(m)))]))


def laplace_in_parts() -> Family:
    """Noise in thousandths of a trip, made whole in the two ways that the paper may have meant.

    The number of grains is odd, so that none lies halfway between two integers.
    """

    def fits(measurements: Sequence[Measurement]) -> Named:
        noisy = measurements[-1].noisy / GRAINS
        yield "lap rounded", Answers.every(np.maximum(0.0, np.rint(noisy)))
        yield "lap truncated", Answers.every(np.maximum(0.0, np.trunc(noisy)))

    return Family(mechanism=_identity, fits=fits, grains=GRAINS)


def hierarchical(name: str, levels: Sequence[str], shares: Shares, *, projected: bool = False) -> Family:
    """Least squares on a tree, negative cells and all; the same pruned; the same projected, if asked for."""

    def fits(measurements: Sequence[Measurement]) -> Named:
        yield name, Answers.every(fit_tree(measurements).estimate[-1])
        yield f"{name} pruned", Answers.of(prune(measurements))
        if projected:
            yield f"{name} projected", Answers.of(project(measurements))

    return Family(mechanism=lambda study, epsilon: _tree(study, epsilon, levels, shares), fits=fits)


def unpruned(name: str, levels: Sequence[str], shares: Shares) -> Family:
    """Least squares on a tree, and nothing else."""

    def fits(measurements: Sequence[Measurement]) -> Named:
        yield name, Answers.every(fit_tree(measurements).estimate[-1])

    return Family(mechanism=lambda study, epsilon: _tree(study, epsilon, levels, shares), fits=fits)


def constrained(features: Sequence[str], shares: Shares, fits: Fits) -> Family:
    """Noisy features and cells, whatever is fitted to them."""

    def mechanism(study: CaseStudy, epsilon: Fraction) -> Mechanism:
        named = study.named(*features)
        sizes = [partition.blocks for _, partition in (*named, *study.named(CELLS))]
        return ConstraintBased(features=named, epsilons=shares(epsilon, sizes), unit=study.counts.unit)

    return Family(mechanism=mechanism, fits=fits)


def nearest_table(name: str, weights: Weights = PUBLISHED) -> Fits:
    """The optimum of the paper's program, in real numbers."""
    return lambda measurements: iter([(name, _optimum(measurements, weights))])


def flat_ablations(measurements: Sequence[Measurement]) -> Named:
    """All that Table 2 takes away from M_O5 but the structure; and the optimum made whole in two ways."""
    optimum = _optimum(measurements, PUBLISHED)
    yield "o5", optimum
    yield "o5 integers", Answers.of(cbdp(measurements))
    yield "o5 rounded alone", replace(optimum, values=np.rint(optimum.values))
    yield "o5c", _optimum(measurements, UNIFORM)
    yield "o5 two-phase", _optimum(measurements, TWO_PHASE)
    yield "o5 free", Answers.every(free_cells(measurements, PUBLISHED))
    yield "o5 free unweighted", Answers.every(free_cells(measurements, UNIFORM))


def nested_ablations(measurements: Sequence[Measurement]) -> Named:
    """The same with modes nested in zone pairs: a hierarchy of constraints."""
    yield "o5a", _optimum(measurements, UNIFORM)
    yield "o5b", _optimum(measurements, PUBLISHED)
    yield "nested free", Answers.every(free_cells(measurements, PUBLISHED))
    yield "nested free unweighted", Answers.every(free_cells(measurements, UNIFORM))


def spread_total() -> Family:
    """The noisy total spread evenly, in real numbers; and nothing at all."""

    def mechanism(study: CaseStudy, epsilon: Fraction) -> Mechanism:
        return FeatureLaplace(features=study.named(TOTAL), epsilons=(epsilon,), unit=study.counts.unit)

    def fits(measurements: Sequence[Measurement]) -> Named:
        cells = measurements[0].partition.universe.size
        yield "uniform", Answers.every(np.full(cells, max(0.0, float(measurements[0].noisy[0])) / cells))
        yield "zero", Answers(keys=np.zeros(0, dtype=np.int64), values=np.zeros(0))

    return Family(mechanism=mechanism, fits=fits)


def _identity(study: CaseStudy, epsilon: Fraction) -> Mechanism:
    return FeatureLaplace(features=study.named(CELLS), epsilons=(epsilon,), unit=study.counts.unit)


def _tree(study: CaseStudy, epsilon: Fraction, levels: Sequence[str], shares: Shares) -> Mechanism:
    named = study.named(*levels, CELLS)
    return Hierarchical(
        levels=named,
        epsilons=shares(epsilon, [partition.blocks for _, partition in named]),
        unit=study.counts.unit,
    )


def _optimum(measurements: Sequence[Measurement], weights: Weights) -> Answers:
    optimum = fitted(measurements, weights)
    return Answers(keys=optimum.keys, values=optimum.values)


def _in_grains(counts: Counts, grains: int) -> Counts:
    return Counts(counts.universe, counts.keys, counts.values * grains, counts.unit)
