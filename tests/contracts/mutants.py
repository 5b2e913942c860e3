"""Mechanisms with the mistakes that real implementations were found to make. Every gate must notice its own."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from tests.contracts.cases import eager

from quietway.budget import Cost
from quietway.counts import Counts
from quietway.measurement import Floors, Measurement
from quietway.mechanisms import ConstraintBased, FeatureLaplace, Mechanism, ThresholdCells
from quietway.mechanisms.mechanism import noisy_totals
from quietway.mechanisms.plan import TOTAL_COUNTS, Candidate, candidates
from quietway.mechanisms.planned import PlannedMargins
from quietway.mechanisms.threshold import quiet_threshold
from quietway.noise import HiddenCells, NoiseSource, Survivors
from quietway.universe import Partition, PrivacyUnit, Universe


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A correct mechanism's cost, and something else's measurements."""

    honest: Mechanism

    @property
    def cost(self) -> Cost:
        """What the correct mechanism costs."""
        return self.honest.cost

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """What its parts cost."""
        return self.honest.parts

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """The same as the correct mechanism, unless a mutant says otherwise."""
        return self.honest.measure(counts, rng=rng)


@dataclass(frozen=True)
class _Quieter:
    """A source whose scales are too small."""

    source: NoiseSource
    factor: Fraction

    @property
    def private(self) -> bool:
        return False

    def laplace(self, true: NDArray[np.int64], scale: Fraction) -> NDArray[np.int64]:
        return self.source.laplace(true, scale * self.factor)

    def laplace_above(
        self, true: NDArray[np.int64], empty: int, threshold: int, scale: Fraction
    ) -> Survivors:
        return self.source.laplace_above(true, empty, threshold, scale * self.factor)

    def hide(
        self, true: NDArray[np.int64], where: NDArray[np.int64], sizes: NDArray[np.int64], scale: Fraction
    ) -> HiddenCells:
        return self.source.hide(true, where, sizes, scale * self.factor)

    def select(self, scores: NDArray[np.int64], scale: Fraction) -> int:
        return self.source.select(scores, scale * self.factor)

    def choose(self, scores: NDArray[np.int64], scale: Fraction) -> int:
        return self.source.choose(scores, scale * self.factor)

    def positive(self, true: NDArray[np.int64], scale: Fraction) -> NDArray[np.bool_]:
        return self.source.positive(true, scale * self.factor)


class HalvedScale(Mutant):
    """Every scale is half of what it should be."""

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """Too little noise."""
        return self.honest.measure(counts, rng=_Quieter(rng, Fraction(1, 2)))


class Boasting(Mutant):
    """The scale that is reported is twice the one that is drawn."""

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """Private, and misleading."""
        measured = self.honest.measure(counts, rng=rng)
        return tuple(replace(measurement, scale=2 * measurement.scale) for measurement in measured)


class ScaleForOneTrip(Mutant):
    """The scale forgets how many trips a contributor may move."""

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """Noise for a sensitivity of one."""
        return self.honest.measure(counts, rng=_Quieter(rng, Fraction(1, counts.unit.sensitivity)))


class UnsplitBudget(Mutant):
    """Every feature gets the whole epsilon."""

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """As if one record moved one feature only."""
        return self.honest.measure(counts, rng=_Quieter(rng, Fraction(1, len(self.parts))))


class OccupiedOnly(Mutant):
    """Empty cells get no noise."""

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """The support of the data, in clear."""
        scale = counts.unit.sensitivity / self.cost.epsilon
        noisy = rng.laplace(counts.values, scale)
        cells = Partition.identity(counts.universe)
        return (Measurement(name="cells", partition=cells, noisy=noisy, scale=scale, blocks=counts.keys),)


class OccupiedOnlyAbove(Mutant):
    """The sparse filter is told that there are no empty cells."""

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """A cell that was empty never appears."""
        scale, threshold = counts.unit.sensitivity / self.cost.epsilon, 3
        kept = rng.laplace_above(counts.values, 0, threshold, scale)
        return (
            Measurement(
                name="cells",
                partition=Partition.identity(counts.universe),
                noisy=kept.occupied_noisy,
                scale=scale,
                blocks=counts.keys[kept.occupied],
                threshold=threshold,
            ),
        )


class OccupiedOnlyHidden(Mutant):
    """Only the occupied cells are hidden, one group for all of them."""

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """A cell that was empty never appears."""
        scale, cells = counts.unit.sensitivity / self.cost.epsilon, len(counts.keys)
        hidden = rng.hide(counts.values, np.arange(cells), np.array([cells]), scale)
        shown = hidden.reveal(np.array([0]))
        return (_hidden(counts, counts.keys[shown.positions], shown.noisy, scale, 0),)


class OccupiedFirst(Mutant):
    """Cells are hidden in an order that puts the occupied ones first."""

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """As many as there should be, in places that the records decide."""
        scale, cells = counts.unit.sensitivity / self.cost.epsilon, counts.universe.size
        order = np.concatenate([counts.keys, np.setdiff1d(np.arange(cells), counts.keys)])
        hidden = rng.hide(counts.values, np.arange(len(counts.keys)), np.array([cells]), scale)
        shown = hidden.reveal(np.array([0]))
        return (_hidden(counts, order[shown.positions], shown.noisy, scale, 0),)


class RawLevel(Mutant):
    """Hidden cells are shown down to a level that follows the raw total."""

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """The floor tells what no noise covers."""
        scale, level = counts.unit.sensitivity / self.cost.epsilon, int(counts.values.sum())
        size = np.array([counts.universe.size])
        shown = rng.hide(counts.values, counts.keys, size, scale).reveal(np.array([level]))
        return (_hidden(counts, shown.positions, shown.noisy, scale, level),)


class RawPeek(Mutant):
    """Hidden cells are looked at once more where the raw total is odd, and nothing of it is published."""

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """The same output, after a look that the records decided on."""
        scale, size = counts.unit.sensitivity / self.cost.epsilon, np.array([counts.universe.size])
        hidden = rng.hide(counts.values, counts.keys, size, scale)
        shown = hidden.reveal(np.array([3]))
        if counts.values.sum() % 2:
            hidden.reveal(np.array([1]))
        return (_hidden(counts, shown.positions, shown.noisy, scale, 3),)


def _hidden(
    counts: Counts, keys: NDArray[np.int64], noisy: NDArray[np.int64], scale: Fraction, level: int
) -> Measurement:
    everything = Partition.total(counts.universe)
    order = np.argsort(keys)
    return Measurement(
        name="cells",
        partition=Partition.identity(counts.universe),
        noisy=noisy[order],
        scale=scale,
        blocks=keys[order],
        floors=Floors(everything, np.array([level])),
    )


class RawBranch(Mutant):
    """A raw count decides what is measured."""

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """Sparse data get the total alone."""
        measured = self.honest.measure(counts, rng=rng)
        return measured if counts.values.sum() % 2 else measured[:1]


class RawScale(Mutant):
    """A raw count decides the scale that is reported, not the one that is drawn."""

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """The output holds what no noise covers."""
        return tuple(
            replace(measurement, scale=measurement.scale + len(counts.keys))
            for measurement in self.honest.measure(counts, rng=rng)
        )


@dataclass(frozen=True, kw_only=True)
class RawThreshold(ThresholdCells):
    """The threshold follows the raw total."""

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """As the correct one, but for where the threshold comes from."""
        total = int(counts.values.sum())
        scale = self.unit.sensitivity / self.epsilon_cells
        threshold = quiet_threshold(10**6, scale, 1000 * total)
        return replace(_plain(self), threshold=threshold).measure(counts, rng=rng)


@dataclass(frozen=True, kw_only=True)
class RawTotal(ThresholdCells):
    """The threshold follows the raw total as gently as it should follow the noisy one."""

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """As the correct one, but for which total it is."""
        scale = self.unit.sensitivity / self.epsilon_cells
        threshold = quiet_threshold(self.universe.size, scale, int(counts.values.sum()))
        return replace(_plain(self), threshold=threshold).measure(counts, rng=rng)


@dataclass(frozen=True, kw_only=True, eq=False)
class RawPlan(PlannedMargins):
    """Margins planned by the true total, not the noisy one."""

    truth: list[int] = field(default_factory=list)

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """Remembers what it must not know."""
        self.truth[:] = [int(counts.values.sum())]
        return PlannedMargins.measure(self, counts, rng=rng)

    def plan(self, trips: int) -> tuple[Candidate, ...]:
        """Whatever the noisy total says."""
        return PlannedMargins.plan(self, max(1, self.truth[0]) if self.truth else trips)

    @classmethod
    def of(cls, honest: PlannedMargins) -> RawPlan:
        """The same, broken."""
        return cls(**{part.name: getattr(honest, part.name) for part in fields(honest)})


@dataclass(frozen=True, kw_only=True, eq=False)
class UnsplitPlan(PlannedMargins):
    """The total takes all that is left, and every margin that is planned half as much once more."""

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """As the correct one, but for the number of margins."""
        rough = noisy_totals(
            "rough total", Partition.total(self.universe), self.epsilon_plan, counts, rng=rng
        )
        share = self.epsilon_margins / TOTAL_COUNTS
        total = noisy_totals("total", rough.partition, share * TOTAL_COUNTS, counts, rng=rng)
        margins = self.plan(int(rough.noisy[0]))
        return (rough, total, *(noisy_totals(name, part, share, counts, rng=rng) for name, part in margins))


class FreePlan(Mutant):
    """The rough total is not paid for: the margins share all of epsilon."""

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """As if the plan were public."""
        assert isinstance(self.honest, PlannedMargins)
        return replace(self.honest, epsilon_margins=self.cost.epsilon).measure(counts, rng=rng)


@dataclass(frozen=True, kw_only=True)
class RawFit(ConstraintBased):
    """The fit that asks for hidden cells sees true totals, and noisy ones are published."""

    def _listed(self, features: tuple[Measurement, ...], counts: Counts, *, rng: NoiseSource) -> Measurement:
        exact = (
            replace(feature, noisy=feature.partition.totals(counts.keys, counts.values))
            for feature in features
        )
        return super()._listed(tuple(exact), counts, rng=rng)


class RawRounding(Mutant):
    """Noisy counts of cells that are empty in truth are set to zero."""

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """Post-processing that looks at the records."""
        *rest, cells = self.honest.measure(counts, rng=rng)
        return (*rest, replace(cells, noisy=np.where(counts.dense() > 0, cells.noisy, 0)))


class FloatDraw(Mutant):
    """A float finds its way into a draw."""

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """The same numbers, in the wrong type."""
        cells = Partition.identity(counts.universe)
        scale = counts.unit.sensitivity / self.cost.epsilon
        noisy = rng.laplace(counts.dense().astype(np.float64), scale)  # pyright: ignore[reportArgumentType]
        return (Measurement(name="cells", partition=cells, noisy=noisy, scale=scale),)


def cells_only(universe: Universe, unit: PrivacyUnit, epsilon: Fraction) -> FeatureLaplace:
    """The noisy cells: the honest form of several mutants."""
    return FeatureLaplace(features=(("cells", Partition.identity(universe)),), epsilons=(epsilon,), unit=unit)


def raw_threshold(universe: Universe, unit: PrivacyUnit, epsilon: Fraction) -> RawThreshold:
    """The mutant with an even split."""
    return RawThreshold(universe=universe, epsilon_total=epsilon / 2, epsilon_cells=epsilon / 2, unit=unit)


def unsplit_plan(universe: Universe, unit: PrivacyUnit, epsilon: Fraction) -> UnsplitPlan:
    """The mutant with the split of the registry."""
    features = tuple((axis, Partition.margin(universe, [axis])) for axis in universe.names)
    return UnsplitPlan(
        universe=universe,
        candidates=tuple(eager(margin) for margin in candidates(universe, features)),
        epsilon_plan=epsilon / 20,
        epsilon_margins=epsilon * 19 / 20,
        unit=unit,
    )


def raw_fit(universe: Universe, unit: PrivacyUnit, epsilon: Fraction) -> RawFit:
    """The mutant over the total and the cells, whatever their number hidden."""
    features = (("total", Partition.total(universe)),)
    return RawFit(features=features, epsilons=(epsilon / 2, epsilon / 2), unit=unit, most_dense=0)


def raw_total(universe: Universe, unit: PrivacyUnit, epsilon: Fraction) -> RawTotal:
    """The mutant with the split of the registry."""
    return RawTotal(universe=universe, epsilon_total=epsilon / 10, epsilon_cells=epsilon * 9 / 10, unit=unit)


def _plain(mutant: ThresholdCells) -> ThresholdCells:
    return ThresholdCells(
        universe=mutant.universe,
        epsilon_total=mutant.epsilon_total,
        epsilon_cells=mutant.epsilon_cells,
        unit=mutant.unit,
    )
