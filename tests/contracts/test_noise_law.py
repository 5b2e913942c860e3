"""Every measurement is integer, and its noise has the law that it reports."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import chdtrc
from tests.contracts import gates, laws
from tests.contracts.cases import EPSILON, TRIP, Case, cube, every_case, every_unit
from tests.contracts.mutants import Boasting, cells_only
from tests.contracts.neighbours import counted

from quietway.mechanisms import Mechanism
from quietway.noise import HiddenCells, NoiseSource, Survivors, secure, seeded
from quietway.universe import PrivacyUnit

Ints = NDArray[np.int64]
DRAWS = 40_000
LEAST_P = 1e-6


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """Asks the source for every draw so often that 40,000 numbers are at hand, and answers with the first."""

    source: NoiseSource
    noise: list[tuple[Ints, int | None]] = field(default_factory=list)

    @property
    def private(self) -> bool:
        """Never."""
        return False

    def laplace(self, true: Ints, scale: Fraction) -> Ints:
        """One answer of many."""
        times = -(-DRAWS // len(true))
        noisy = self.source.laplace(np.tile(true, times), scale)
        self.noise.append((noisy - np.tile(true, times), None))
        return noisy[: len(true)]

    def laplace_above(self, true: Ints, empty: int, threshold: int, scale: Fraction) -> Survivors:
        """The noise of so many empty cells that 40,000 are expected to be listed."""
        reaches = float(np.exp(-threshold / float(scale)) / (1 + np.exp(-1 / float(scale))))
        kept = self.source.laplace_above(true[:0], round(DRAWS / reaches), threshold, scale)
        self.noise.append((kept.empty_noisy, threshold))
        return self.source.laplace_above(true, empty, threshold, scale)

    def hide(self, true: Ints, where: Ints, sizes: Ints, scale: Fraction) -> HiddenCells:
        """The noise of 40,000 hidden cells, revealed in slices down to the last."""
        cells = self.source.hide(true[:0], where[:0], np.array([DRAWS]), scale)
        for level in (round(float(scale)), 0, -(2**62)):
            shown = cells.reveal(np.array([level]))
        self.noise.append((shown.noisy, None))
        return self.source.hide(true, where, sizes, scale)

    def select(self, scores: Ints, scale: Fraction) -> int:
        """The source's choice."""
        return self.source.select(scores, scale)

    def choose(self, scores: Ints, scale: Fraction) -> int:
        """The source's choice."""
        return self.source.choose(scores, scale)

    def positive(self, true: Ints, scale: Fraction) -> NDArray[np.bool_]:
        """The source's decisions."""
        return self.source.positive(true, scale)


def p_value(noise: Ints, scale: Fraction, threshold: int | None) -> float:
    """Chi-square over 13 bins, for noise of that scale (given that it reached the threshold, if there is one)."""
    width = max(1, round(float(scale)))
    first = -5 * width - width // 2 if threshold is None else threshold + width
    cuts = first + width * np.arange(12)
    seen = np.bincount(np.searchsorted(cuts, noise, side="right"), minlength=13)
    expected = len(noise) * _chances(cuts, scale, threshold)
    keep = expected >= 5
    pooled = [np.append(counts[keep], counts[~keep].sum()) for counts in (seen, expected)]
    statistic = ((pooled[0] - pooled[1]) ** 2 / np.maximum(pooled[1], 1e-9)).sum()
    return float(chdtrc(keep.sum() - 1, statistic))


def _chances(cuts: Ints, scale: Fraction, threshold: int | None) -> NDArray[np.float64]:
    below = np.concatenate([[0.0], np.exp(laws.log_below(cuts, scale)), [1.0]])
    if threshold is not None:
        missed = np.exp(laws.log_below(np.array([threshold]), scale)[0])
        below = np.maximum(0, below - missed) / (1 - missed)
    return np.diff(below)


def noise_fits(mechanism: Mechanism, unit: PrivacyUnit, *, wrong: Fraction = Fraction(1)) -> None:
    """The gate: the noise behind each measurement fits the scale it reports (or a wrong one)."""
    universe = cube(5, 4)
    source = Repeated(source=seeded(17))
    measured = mechanism.measure(counted(universe, np.arange(20) % 4, unit), rng=source)
    assert len(source.noise) == len(measured), "a measurement is not one draw"
    for measurement, (noise, threshold) in zip(measured, source.noise, strict=True):
        found = p_value(noise, measurement.scale * wrong, threshold)
        assert found > LEAST_P, f"'{measurement.name}': p = {found:.2g} at scale {measurement.scale * wrong}"


@every_unit
@every_case
def test_noise_has_the_scale_it_reports(case: Case, unit: PrivacyUnit) -> None:
    """40,000 draws behind each measurement fit the discrete Laplace law of its scale, and not one 30 % off."""
    mechanism = case.build(cube(5, 4), unit, EPSILON)
    noise_fits(mechanism, unit)
    for wrong in (Fraction(13, 10), Fraction(10, 13)):
        with pytest.raises(AssertionError, match="p ="):
            noise_fits(mechanism, unit, wrong=wrong)


def test_a_scale_that_is_reported_but_not_drawn_is_caught() -> None:
    """Reporting twice the scale that is drawn fails the fit."""
    with pytest.raises(AssertionError, match="p ="):
        noise_fits(Boasting(honest=cells_only(cube(5, 4), TRIP, EPSILON)), TRIP)


@every_unit
@every_case
def test_what_is_measured_is_integer(case: Case, unit: PrivacyUnit) -> None:
    """With the source that protects people, every noisy value is an int64 and every scale an exact rational."""
    universe = cube(5, 4)
    mechanism = case.build(universe, unit, EPSILON)
    gates.output_is_integer(mechanism.measure(counted(universe, np.arange(20), unit), rng=secure()))


@every_case
def test_two_runs_differ(case: Case) -> None:
    """The source that protects people never repeats itself."""
    universe = cube(5, 4)
    counts = counted(universe, np.full(20, 50), TRIP)
    mechanism = case.build(universe, TRIP, Fraction(1, 10**9))
    one, other = (mechanism.measure(counts, rng=secure()) for _ in range(2))
    with pytest.raises(AssertionError):
        gates.require_alike(one, other)
