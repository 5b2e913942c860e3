"""How far posterior means may be off: exact where a margin tells, and covering the truth where only the prior does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from quietway.estimate.posterior import posterior
from quietway.estimate.posterior_errors import PosteriorErrors
from quietway.estimate.prior import Background
from quietway.estimate.solution import Estimates
from quietway.estimate.splitting import BY_ORDER, Splitting
from quietway.estimate.told import OWN, Told
from quietway.measurement import Measurement
from quietway.universe import Axis, Partition, Range, Universe, grouped, random_ranges
from tests.estimate.trees import discrete_laplace

PLACES, HOURS, TRIPS = 24, 12, 30_000
CITIES = 16
CITY = Universe(
    (
        Axis(name="origin", size=PLACES),
        Axis(name="destination", size=PLACES),
        Axis(name="period", size=HOURS, ordered=True),
    )
)
ZONES = [grouped(CITY, [end], np.arange(PLACES) // 6, name=end) for end in ("origin", "destination")]
ZONE_PAIRS = Partition.by(CITY, ZONES)
PERIODS = Partition.margin(CITY, ["period"])
ZONE_PAIRS_BY_PERIOD = ZONE_PAIRS.refine(PERIODS)
ENDS = {end: Partition.margin(CITY, [end, "period"]) for end in ("origin", "destination")}
KEYS = np.arange(CITY.size)
MEASURED = {
    Fraction(1, 10): [Partition.total(CITY), PERIODS, ZONE_PAIRS, Partition.margin(CITY, ["origin"])],
    Fraction(1): [
        Partition.total(CITY),
        Partition.margin(CITY, ["origin"]),
        Partition.margin(CITY, ["destination"]),
        ZONE_PAIRS_BY_PERIOD,
    ],
}
ASKED = {
    "total": Partition.total(CITY),
    "period": PERIODS,
    "zone pairs by period": ZONE_PAIRS_BY_PERIOD,
    "pairs": Partition.margin(CITY, ["origin", "destination"]),
} | {f"{end} ends": partition for end, partition in ENDS.items()}


@cache
def truth(seed: int) -> NDArray[np.int64]:
    """Trips of a city where places, hours, zones at some hours, and pairs of places differ by more than chance."""
    draw = np.random.default_rng(seed)
    ends = np.multiply.outer(draw.lognormal(0, 0.8, PLACES), draw.lognormal(0, 0.8, PLACES))
    clock = np.exp(-((np.arange(HOURS) - 4) ** 2) / 8) + 0.2
    zones = draw.lognormal(0, 0.4, (4, 4, HOURS)).repeat(6, axis=0).repeat(6, axis=1)
    starts, stops = draw.lognormal(0, 0.6, (PLACES, 1, HOURS)), draw.lognormal(0, 0.6, (1, PLACES, HOURS))
    rate = ends[:, :, None] * clock * zones * starts * stops * draw.lognormal(0, 0.7, (PLACES, PLACES, 1))
    return draw.poisson(TRIPS * rate / rate.sum()).ravel().astype(np.int64)


@cache
def released(epsilon: Fraction, seed: int) -> tuple[tuple[Measurement, ...], PosteriorErrors]:
    """Some margins, and the errors of a fit to them that begins with nothing but evenness."""
    draw = np.random.default_rng(seed + 100)
    scale = len(MEASURED[epsilon]) / epsilon
    measurements = tuple(
        Measurement(
            name=f"margin {i}",
            partition=partition,
            noisy=partition.totals(KEYS, truth(seed)) + discrete_laplace(scale, (partition.blocks,), draw),
            scale=scale,
        )
        for i, partition in enumerate(MEASURED[epsilon])
    )
    background = Background(universe=CITY, kind="uniform", places={})
    return measurements, PosteriorErrors.of(posterior(measurements, background), measurements)


def errors(epsilon: Fraction = Fraction(1), seed: int = 0) -> PosteriorErrors:
    """Those alone."""
    return released(epsilon, seed)[1]


def boxes(count: int) -> list[Range]:
    """Random ranges of zones by periods."""
    found = random_ranges(
        Universe((Axis(name="o", size=4), Axis(name="d", size=4), Axis(name="t", size=HOURS))), count, seed=3
    )
    scale = np.array([6, 6, 1])
    return [
        Range.box(CITY, low * scale, high * scale) for low, high in zip(found.low, found.high, strict=True)
    ]


def held(found: Estimates, true: NDArray[np.int64], shrunk: float = 1.0) -> float:
    """How often the interval holds the truth, if it were narrower around its middle by a factor."""
    low = found.estimate - shrunk * (found.estimate - found.low)
    high = found.estimate + shrunk * (found.high - found.estimate)
    return float(np.mean((low <= true) & (true <= high)))


def held_everywhere(epsilon: Fraction, shrunk: float = 1.0) -> dict[str, float]:
    """The share of blocks whose interval holds the truth, of every margin and of ranges, mean of many cities."""
    shares: dict[str, list[float]] = {name: [] for name in (*ASKED, "ranges")}
    for seed in range(CITIES):
        model, true = errors(epsilon, seed), truth(seed)
        for name, partition in ASKED.items():
            shares[name].append(held(model.margin(partition, 0.95), partition.totals(KEYS, true), shrunk))
        shares["ranges"] += [
            held(model.range(box, 0.95), true[box.keys()].sum(), shrunk) for box in boxes(25)
        ]
    return {name: float(np.mean(share)) for name, share in shares.items()}


@pytest.mark.parametrize("epsilon", MEASURED)
def test_intervals_hold_the_truth_where_only_the_prior_speaks(epsilon: Fraction) -> None:
    """At least 93 in 100 intervals of every margin, measured or not, and of ranges hold what they are asked for.

    So they do but for two standard errors of the share, where there are few blocks.
    """
    blocks = {name: partition.blocks for name, partition in ASKED.items()} | {"ranges": 25}
    for name, share in held_everywhere(epsilon).items():
        slack = 2 * (0.93 * 0.07 / (CITIES * blocks[name])) ** 0.5
        assert share >= 0.93 - slack, name


@pytest.mark.parametrize("epsilon", MEASURED)
def test_intervals_of_a_quarter_of_the_variance_would_not_hold_it(epsilon: Fraction) -> None:
    """Half as wide, they miss the truth clearly more often: the widths are needed."""
    whole, half = held_everywhere(epsilon), held_everywhere(epsilon, 0.5)
    unmeasured = ("zone pairs by period", "origin ends", "destination ends")
    assert all(half[name] < whole[name] - 0.1 for name in unmeasured)
    assert all(half[name] < 0.9 for name in unmeasured)


@pytest.mark.parametrize("epsilon", MEASURED)
def test_intervals_are_not_absurdly_wide(epsilon: Fraction) -> None:
    """Half of the median interval is at most five times the root mean square error."""
    for seed in range(4):
        for name, partition in ASKED.items():
            if partition.blocks > 1:
                found = errors(epsilon, seed).margin(partition, 0.95)
                error = found.estimate - partition.totals(KEYS, truth(seed))
                assert np.median(found.high - found.low) / 2 <= 5 * np.sqrt(np.mean(error**2)) + 1, name


def test_the_total_is_as_uncertain_as_its_noise() -> None:
    """The range of everything, and the margin of one block."""
    measurements, model = released(Fraction(1), 0)
    noise = measurements[0].variance ** 0.5
    assert model.margin(Partition.total(CITY), 0.95).deviation[0] == pytest.approx(noise, rel=0.01)
    assert model.range(Range.of(CITY), 0.95).deviation[0] == pytest.approx(noise, rel=0.01)


def test_a_total_counted_twice_is_the_surer_for_it() -> None:
    """Two counts of equal noise halve the variance, and leave nothing unfollowed."""
    (first, *_), _ = released(Fraction(1), 0)
    twice = (first, replace(first, name="total again"))
    model = PosteriorErrors.of(posterior(twice, Background(universe=CITY, kind="uniform", places={})), twice)
    assert model.margin(first.partition, 0.95).deviation[0] == pytest.approx((first.variance / 2) ** 0.5)


def test_what_a_measured_margin_tells_has_no_error_of_splitting() -> None:
    """Where a measured margin refines the question, its variance is that of the blocks told, whatever the effects."""
    model = errors()
    told = model.splitting.told[-1]
    assert told.partition.same_blocks(ZONE_PAIRS_BY_PERIOD)
    for partition in (ZONE_PAIRS_BY_PERIOD, ZONE_PAIRS, PERIODS):
        assert model.splitting.of_blocks(partition, told) == pytest.approx(told.summed(partition))
    loud = np.median(np.sqrt(told.each)[told.unfollowed < 5])
    noise = (
        next(m for m in released(Fraction(1), 0)[0] if m.partition.same_blocks(told.partition)).variance
        ** 0.5
    )
    assert 0.9 * noise <= loud <= 1.5 * noise


@pytest.mark.parametrize("epsilon", MEASURED)
def test_a_range_that_is_a_measured_block_gets_the_margins_interval(epsilon: Fraction) -> None:
    """Every fifth origin, asked for as a range and as a margin's block."""
    model = errors(epsilon)
    measured = Partition.margin(CITY, ["origin"])
    assert any(told.partition.same_blocks(measured) for told in model.splitting.told)
    every = model.margin(measured, 0.95)
    for block in range(0, measured.blocks, 5):
        one = model.range(Range(CITY, (np.arange(PLACES) == block, None, None)), 0.95)
        for part in ("estimate", "deviation", "low", "high"):
            assert getattr(one, part)[0] == pytest.approx(getattr(every, part)[block])


def test_ranges_and_margins_have_the_same_estimates() -> None:
    """A block's estimate is the sum of its cells' expectations, however it is asked for."""
    model, partition = errors(), ENDS["origin"]
    every = model.margin(partition, 0.95)
    for place, hour in ((0, 0), (7, 4), (23, 11)):
        box = Range.box(CITY, (place, 0, hour), (place + 1, PLACES, hour + 1))
        assert model.range(box, 0.95).estimate[0] == pytest.approx(every.estimate[place * HOURS + hour])


@dataclass(frozen=True)
class Dense:
    """The same variance from the covariance of all cells, written out."""

    splitting: Splitting

    def of(self, inside: NDArray[np.bool_], told: Told, label: NDArray[np.int32]) -> float:
        """For some cells that lie within blocks of `label`, of which `told` tells."""
        cells = self.splitting.cells
        whole = np.bincount(label, cells)[label]
        share = (np.bincount(label, cells * inside) / np.bincount(label, cells))[label]
        known = np.sqrt(1 + told.each / np.bincount(label, cells) ** 2)[label]
        moved = cells * (inside - share) * known
        found = sum(
            effect.variance[block] * moved[effect.partition.labels() == block].sum() ** 2
            for effect in self.splitting.effects
            for block in range(effect.partition.blocks)
        )
        rest = (cells * inside * (1 - share) * known).sum()
        chance = (cells * inside * (1 - share)).sum()
        assert (whole > 0).all()
        _, first = np.unique(label, return_index=True)
        return float(found + chance + OWN * rest**2 + told.shared(share[first]))


SMALL = Universe((Axis(name="origin", size=4), Axis(name="destination", size=3), Axis(name="period", size=2)))


def small() -> Splitting:
    """A few cells and two margins."""
    draw = np.random.default_rng(5)
    told = tuple(
        Told(
            partition=partition,
            variance=draw.uniform(1, 9, partition.blocks),
            unfollowed=draw.uniform(0, 2, partition.blocks),
            gap=draw.normal(0, 1, partition.blocks),
            factor=1.3,
        )
        for partition in (Partition.margin(SMALL, ["origin"]), Partition.margin(SMALL, ["period"]))
    )
    return Splitting(universe=SMALL, cells=draw.gamma(2.0, 5.0, SMALL.size), told=told)


@pytest.mark.parametrize("number", [0, 1])
def test_the_variance_of_a_range_is_that_of_the_model_written_out(number: int) -> None:
    """By way of either margin, for ranges that cut its blocks."""
    splitting = small()
    told = splitting.told[number]
    for low, high in (((0, 0, 0), (2, 2, 1)), ((1, 1, 0), (4, 3, 2)), ((0, 0, 1), (4, 3, 2))):
        inside = np.zeros(SMALL.size, dtype=np.bool_)
        inside[Range.box(SMALL, low, high).keys()] = True
        written = Dense(splitting).of(inside, told, told.partition.labels())
        assert splitting.of_cells(inside, told) == pytest.approx(written)


@pytest.mark.parametrize(
    "axes", [["origin", "destination"], ["origin", "period"], ["origin", "destination", "period"]]
)
def test_the_variance_of_a_block_is_that_of_the_model_written_out(axes: list[str]) -> None:
    """Of every block that lies in one block of a margin."""
    splitting = small()
    told, partition = splitting.told[0], Partition.margin(SMALL, axes)
    every, label = splitting.of_blocks(partition, told), partition.labels()
    for block in range(partition.blocks):
        written = Dense(splitting).of(label == block, told, told.partition.labels())
        assert every[block] == pytest.approx(written)


def test_effects_that_a_margin_tells_are_what_is_left_of_them() -> None:
    """Told origins and periods are as uncertain as their blocks, relatively; nobody knows of destinations."""
    splitting = small()
    origin, destination, *_ = splitting.effects
    cells = splitting.cells.reshape(SMALL.shape)
    assert origin.variance == pytest.approx(splitting.told[0].each / cells.sum(axis=(1, 2)) ** 2)
    assert (destination.variance == BY_ORDER[0]).all()


def test_a_fit_that_noise_contradicts_is_believed_less() -> None:
    """Where noisy totals scatter further around the fit than their noise explains, variances grow accordingly."""
    measurements, _ = released(Fraction(1), 0)
    fitted = posterior(measurements, Background(universe=CITY, kind="uniform", places={}))
    learned, last = fitted.learned[-1], next(m for m in measurements if m.name == fitted.learned[-1].name)
    off = replace(last, noisy=last.noisy + np.where(np.arange(last.noisy.size) % 2, 60, -60))
    assert Told.of(learned, fitted.cells, off).factor > 3 * Told.of(learned, fitted.cells, last).factor


def test_nothing_is_computed_until_it_is_asked() -> None:
    """Effects are found with the first question, not before."""
    measurements, _ = released(Fraction(1), 0)
    fitted = posterior(measurements, Background(universe=CITY, kind="uniform", places={}))
    model = PosteriorErrors.of(fitted, measurements)
    assert "effects" not in vars(model.splitting)
    assert not model.unbiased
