"""Constraint-based differential privacy: noisy features, then the noisy cells that a table near all of them needs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from quietway.budget import Cost
from quietway.counts import Counts
from quietway.errors import ConfigError, UniverseError
from quietway.estimate.constraint import problem_of
from quietway.estimate.newton import GIVES_UP, solve
from quietway.estimate.problem import classes_of
from quietway.estimate.weights import PUBLISHED, Weights
from quietway.measurement import Measurement
from quietway.mechanisms.hidden_leaves import HiddenLeaves
from quietway.mechanisms.laplace import FeatureLaplace
from quietway.mechanisms.mechanism import Named, noisy_totals, require_audible
from quietway.noise import NoiseSource
from quietway.universe import Partition, PrivacyUnit, Universe

MOST_DENSE = 5_000_000
MOST_HIDDEN = 2**62


@dataclass(frozen=True, kw_only=True)
class ConstraintBased:
    """Noisy totals of several partitions, and noise on every cell beneath them.

    In a universe of more than `most_dense` cells, the cells' noise is hidden
    (see `noise.hidden`), and the fit itself says how far down it has to be
    revealed: what is listed is every cell whose noisy count reached the floor
    of its group, the groups being cells that lie in the same block of every
    feature. The fit of the listed cells is the fit of all of them.

    Privacy: the sum of the epsilons, per contributor of `unit`, by sequential
        composition. Within a feature blocks are disjoint, and every block and
        every cell is noised, empty ones too. Hidden cells have the joint law
        of noising every cell first; the floors follow from noisy totals and
        from cells revealed before, so what is listed is post-processing.
    Source: Fioretto, Lee and Van Hentenryck (2018), sections 7 to 9. Departures:
        1. The paper hides a trip. Here the scale carries how many trips a
           contributor may keep, and twice that where neighbours exchange one:
           sensitivity / share of epsilon.
        2. A feature is a partition by construction: its rules give every cell
           one block, so a trip moves one total by one. A rule that leaves out
           a cell or gives it two blocks is refused.
        3. Every cell of the universe is noised, also where nobody travels and
           where listing them all would be too much.
        4. Integer noise from an exact sampler.
        5. Shares of epsilon need not be equal.
        6. The total is measured also where neighbours exchange a record: trips
           may leave the universe and come from outside it, and a contributor
           need not make as many trips as another, so it is not public here.
        7. No claim of optimality: with x the table, c the truth and y the
           noisy counts, |x - c| <= |y - c| in the weighted norm, because x is
           a projection of y on a convex set that holds c. Not more.
    """

    features: Named
    epsilons: tuple[Fraction, ...]
    unit: PrivacyUnit
    weights: Weights = PUBLISHED
    most_dense: int = MOST_DENSE

    def __post_init__(self) -> None:
        if len(self.epsilons) != len(self.features) + 1:
            raise ValueError("every feature needs an epsilon of its own, and so do the cells")
        if not self.features:
            raise ConfigError('method.margins names no feature; name one, or use method.name = "identity"')
        _ = self._margins  # refuses what it cannot noise
        require_audible(self.unit, self.epsilons)
        self.weights.require(len(self.epsilons))
        if self.is_hidden:
            self._require_hidden()

    @property
    def universe(self) -> Universe:
        """What is counted."""
        return self.features[0][1].universe

    @property
    def is_hidden(self) -> bool:
        """Whether there are too many cells to list them all."""
        return self.universe.size > self.most_dense

    @property
    def cost(self) -> Cost:
        """All features and the cells together."""
        return Cost.sequential([Cost(epsilon, self.unit) for epsilon in self.epsilons])

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """What each feature takes, and the cells."""
        names = (*(name for name, _ in self.features), "cells")
        return tuple(zip(names, self.epsilons, strict=True))

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[Measurement, ...]:
        """One measurement per feature, and the cells last."""
        features = self._margins.measure(counts, rng=rng)
        if self.is_hidden:
            return (*features, self._listed(features, counts, rng=rng))
        cells = Partition.identity(self.universe)
        return (*features, noisy_totals("cells", cells, self.epsilons[-1], counts, rng=rng))

    def _listed(self, features: tuple[Measurement, ...], counts: Counts, *, rng: NoiseSource) -> Measurement:
        """The cells down to the floors that the fit ended with."""
        scale = self.unit.sensitivity / self.epsilons[-1]
        leaves = HiddenLeaves.of(counts, self._classes, scale, rng=rng)
        weights = self.weights.over([*features, leaves.unlisted])
        try:
            return leaves.measurement(solve(problem_of(features, leaves, weights)).levels)
        except GIVES_UP:
            # What is paid for is kept: the features are stored, and whoever fits them is told what to change.
            return leaves.unlisted

    @cached_property
    def _margins(self) -> FeatureLaplace:
        return FeatureLaplace(features=self.features, epsilons=self.epsilons[:-1], unit=self.unit)

    @cached_property
    def _classes(self) -> Partition:
        return classes_of(self.features)

    def _require_hidden(self) -> None:
        """Refuse before anything is paid what could not be fitted afterwards."""
        if self.universe.size > MOST_HIDDEN:
            raise UniverseError(
                "a universe of more than 2^62 cells cannot be noised; use fewer or coarser axes"
            )
        if self.weights.rule == "two-phase":
            raise ConfigError(
                f"method.weights: 'two-phase' needs the noise of every cell, and {self.universe.size:,} cells are too "
                f"many to list (at most {self.most_dense:,}); use 'published' or 'inverse-variance', or coarser axes"
            )
        _ = self._classes
