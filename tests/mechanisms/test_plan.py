"""Which margins are measured: those that so many trips bear, at a cost that was known before."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietway.counts import Counts
from quietway.errors import ConfigError, PrivacyError, UniverseError
from quietway.measurement import Measurement
from quietway.mechanisms.mechanism import LARGEST_DENSE, LARGEST_SCALE, Named
from quietway.mechanisms.plan import TOTAL_COUNTS, Candidate, candidates, chosen
from quietway.mechanisms.planned import PlannedMargins
from quietway.noise import seeded
from quietway.noise.testing import ConstantNoise
from quietway.universe import Axis, Neighbours, Partition, PrivacyUnit, Protects, Universe, grouped

UNIT = PrivacyUnit(protects=Protects.USER, max_trips=3, neighbours=Neighbours.REPLACE_ONE)
ZONE = 4


def city(places: int = 12, periods: int = 24) -> Universe:
    """Trips between places, by period."""
    ends = (Axis(name="origin", size=places), Axis(name="destination", size=places))
    return Universe((*ends, Axis(name="period", size=periods, ordered=True)))


def zones(universe: Universe, *ends: str) -> Partition:
    """Four zones at each of these ends."""
    return Partition.by(
        universe,
        [
            grouped(
                universe, [end], np.arange(universe.shape[0]) * ZONE // universe.shape[0], name=f"{end} zone"
            )
            for end in ends
        ],
    )


def features(universe: Universe) -> Named:
    """Periods, and zone pairs by period."""
    period = Partition.margin(universe, ["period"])
    return (
        ("period", period),
        ("zone pair", zones(universe, "origin", "destination").refine(period)),
    )


def names(found: tuple[Candidate, ...]) -> set[str]:
    """What they are called."""
    return {margin.name for margin in found}


def mechanism(
    universe: Universe | None = None, *, epsilon: Fraction = Fraction(1), unit: PrivacyUnit = UNIT
) -> PlannedMargins:
    """A plan for a city, a twentieth of epsilon for the rough total."""
    universe = universe or city()
    return PlannedMargins(
        universe=universe,
        candidates=candidates(universe, features(universe)),
        epsilon_plan=epsilon / 20,
        epsilon_margins=epsilon * 19 / 20,
        unit=unit,
    )


def trips(count: int, *, seed: int = 0, unit: PrivacyUnit = UNIT) -> Counts:
    """So many trips of the city, anywhere."""
    drawn = np.random.default_rng(seed).integers(0, city().size, count)
    return Counts(city(), *np.unique(drawn, return_counts=True), unit)


def paid(measurements: tuple[Measurement, ...], unit: PrivacyUnit) -> Fraction:
    """What the noise that was drawn is worth, by its scales."""
    return sum((Fraction(unit.sensitivity) / measured.scale for measured in measurements), Fraction(0))


def test_candidates_are_features_ends_pairs_and_cells() -> None:
    """In that order; the total is not among them, because it is measured anyway."""
    assert [margin.name for margin in candidates(city(), features(city()))] == [
        "period",
        "zone pair",
        "origin by period",
        "destination by period",
        "origin by destination",
        "cells",
    ]


def test_without_other_axes_the_pairs_are_the_cells() -> None:
    """Where trips have two ends and nothing else, each end is a margin, and pairs are not listed twice."""
    universe = Universe((Axis(name="origin", size=5), Axis(name="destination", size=5)))
    assert [margin.name for margin in candidates(universe, ())] == [
        "origin",
        "destination",
        "cells",
    ]


def test_without_ends_only_features_and_cells_are_candidates() -> None:
    """A universe of other things has no trip ends."""
    universe = Universe((Axis(name="mode", size=5), Axis(name="fare", size=3)))
    found = candidates(universe, (("modes", Partition.margin(universe, ["mode"])),))
    assert [margin.name for margin in found] == ["modes", "cells"]


def test_the_same_blocks_are_a_candidate_once() -> None:
    """Under the first of their names, also where the axes come in another order; the total under none."""
    universe = city()
    twice = (
        ("ends", Partition.margin(universe, ["period", "origin"])),
        ("again", Partition.margin(universe, ["origin", "period"])),
        ("all", Partition.total(universe)),
    )
    assert [margin.name for margin in candidates(universe, twice)] == [
        "ends",
        "destination by period",
        "origin by destination",
        "cells",
    ]


def test_what_is_too_big_to_noise_is_no_candidate() -> None:
    """Cells beyond memory are left to their margins."""
    universe = city(places=3000, periods=24)
    found = candidates(universe, features(universe))
    assert universe.size > LARGEST_DENSE
    assert "cells" not in names(found)
    assert "origin by destination" in names(found)


def test_a_feature_may_not_be_called_like_another_margin() -> None:
    """Neither like a candidate, nor like what may take one's place, nor like the totals."""
    universe = city()
    part = zones(universe, "origin")
    for name in ("origin by period", "origin", "rough total", "total"):
        with pytest.raises(UniverseError, match=f"two margins would be called '{name}'"):
            candidates(universe, ((name, part),))
    assert "origin zones" in names(candidates(universe, (("origin zones", part),)))


@given(st.integers(1, 10**7), st.fractions(Fraction(1, 100), 100), st.sampled_from([4, 12, 60, 500]))
def test_louder_margins_are_left_out(count: int, noise: Fraction, places: int) -> None:
    """Of every margin that is kept, noise is no more of a block than its limit, with as many as are kept."""
    universe = city(places, 2)
    found = chosen(candidates(universe, features(universe)), noise=float(noise), trips=count)
    loudness = float(noise) * (TOTAL_COUNTS + len(found)) / count
    assert all(margin.partition.blocks * loudness <= margin.loudest for margin in found)


@given(st.integers(1, 10**7), st.fractions(Fraction(1, 100), 100), st.sampled_from([4, 12, 60, 500]))
def test_no_two_chosen_margins_are_alike(count: int, noise: Fraction, places: int) -> None:
    """What takes a margin's place is not measured a second time, and names tell all apart."""
    universe = city(places, 2)
    found = chosen(candidates(universe, features(universe)), noise=float(noise), trips=count)
    assert len(names(found)) == len(found)
    for i, one in enumerate(found):
        assert not any(one.partition.same_blocks(other.partition) for other in found[:i])


@given(st.fractions(Fraction(1, 100), 100), st.integers(1, 10**5), st.integers(2, 1000))
def test_only_the_ratio_of_noise_to_trips_counts(noise: Fraction, count: int, times: int) -> None:
    """As many times the noise over as many times the trips is the same plan."""
    found = candidates(city(), features(city()))
    one = chosen(found, noise=float(noise), trips=float(count))
    # Powers of two, so that the ratio is the same to the last bit.
    power = 2.0 ** (times % 20)
    assert one == chosen(found, noise=float(noise) * power, trips=float(count) * power)


def test_with_much_budget_everything_is_measured() -> None:
    """Where noise is nothing, all candidates are kept, and nothing takes any place."""
    found = candidates(city(), features(city()))
    assert chosen(found, noise=1.0, trips=1e12) == found
    assert len(mechanism(epsilon=Fraction(10**6)).plan(5_000)) == len(found)


def test_with_little_budget_only_the_total_is_measured() -> None:
    """Where noise is all, nothing is kept."""
    assert chosen(candidates(city(), features(city())), noise=1e6, trips=1.0) == ()
    measured = mechanism(epsilon=Fraction(1, 10**4)).measure(trips(500), rng=ConstantNoise(0))
    assert [margin.name for margin in measured] == ["rough total", "total"]


@given(st.integers(-(10**6), 0))
def test_a_rough_total_below_one_trip_plans_nothing(rough: int) -> None:
    """Noise may make it negative, and then there is nothing to share out."""
    assert mechanism().plan(rough) == mechanism().plan(1) == ()


def test_places_take_the_place_of_their_ends_by_period() -> None:
    """Where ends by period are too loud and places alone are not, places are measured, and periods."""
    found = candidates(city(places=500, periods=2), ())
    assert names(chosen(found, noise=1.0, trips=6_000)) == {"origin", "destination", "period"}


def test_a_feature_leaves_what_it_says_of_places_and_of_the_rest() -> None:
    """Where zone pairs by period are too loud, zone pairs and periods are measured apart."""
    universe = city(places=500, periods=2)
    found = candidates(universe, features(universe)[1:])
    assert names(chosen(found, noise=1.0, trips=300)) == {"zone pair"}
    assert names(chosen(found, noise=1.0, trips=100)) == {"origin zone by destination zone", "period"}


def test_nothing_takes_the_place_of_what_is_told_anyway() -> None:
    """A coarser margin is not added where one that is kept adds up to it."""
    universe = city(places=2, periods=2)
    pair, total = Partition.margin(universe, ["origin"]), Partition.margin(universe, ["origin", "period"])
    loud = Candidate(
        name="loud",
        partition=Partition.identity(universe),
        loudest=1e-9,
        instead=(Candidate(name="origin", partition=pair, loudest=inf),),
    )
    kept = Candidate(name="kept", partition=total, loudest=inf)
    assert names(chosen([loud, kept], noise=1.0, trips=1.0)) == {"kept"}
    assert names(chosen([loud], noise=1.0, trips=1.0)) == {"origin"}


def test_a_margin_that_crosses_the_finest_is_given_up_first() -> None:
    """Of two features with as many blocks, the one that the finest adds up to is borne by fewer trips."""
    universe = city(places=12, periods=4)
    nested = ("nested", zones(universe, "origin"))
    crossing = (
        "crossing",
        Partition.by(universe, [grouped(universe, ["origin"], np.arange(12) % 4, name="x")]),
    )
    found = candidates(universe, (nested, crossing, features(universe)[1]))
    by_name = {margin.name: margin.loudest for margin in found}
    assert by_name["crossing"] < by_name["nested"]
    kept = [names(chosen(found, noise=1.0, trips=count)) for count in range(1, 4_000, 7)]
    assert any("nested" in some and "crossing" not in some for some in kept)
    assert not any("crossing" in some and "nested" not in some for some in kept)


def test_the_rough_total_has_its_share_and_the_total_counts_twice() -> None:
    """What is left after the rough total is shared evenly, a double share for the total."""
    measured = mechanism().measure(trips(3_000), rng=seeded(1))
    spent = [UNIT.sensitivity / margin.scale for margin in measured]
    assert [margin.name for margin in measured[:2]] == ["rough total", "total"]
    assert spent[0] == Fraction(1, 20)
    assert len(measured) > 3
    assert spent[1] == 2 * spent[2]
    assert len(set(spent[2:])) == 1


@given(
    st.integers(-(10**5), 10**7),
    st.fractions(Fraction(1, 100), 50, max_denominator=997),
    st.sampled_from(list(Neighbours)),
    st.integers(1, 7),
)
def test_what_is_spent_is_the_cost_exactly(
    shift: int, epsilon: Fraction, neighbours: Neighbours, most: int
) -> None:
    """Whatever the rough total says, the noise drawn is worth what the ledger was told before."""
    unit = PrivacyUnit(protects=Protects.USER, max_trips=most, neighbours=neighbours)
    planned = mechanism(epsilon=epsilon, unit=unit)
    measured = planned.measure(trips(100, unit=unit), rng=ConstantNoise(shift))
    assert paid(measured, unit) == planned.cost.epsilon == epsilon
    assert sum(share for _, share in planned.parts) == epsilon


@given(st.integers(1, 5_000), st.integers(1, 5_000), st.integers(0, 10**6))
def test_the_plan_depends_on_the_rough_total_alone(one: int, other: int, rough: int) -> None:
    """Different trips with the same noisy total are measured alike, block for block."""
    measured = [
        mechanism().measure(trips(count, seed=count), rng=ConstantNoise(rough - count))
        for count in (one, other)
    ]
    assert measured[0][0].noisy == measured[1][0].noisy == rough
    described = [[(m.name, m.partition.blocks, m.scale, m.noisy.size) for m in found] for found in measured]
    assert described[0] == described[1]


def test_counts_of_another_unit_are_not_measured() -> None:
    """The price was for other contributors."""
    with pytest.raises(PrivacyError, match="priced for"):
        mechanism().measure(trips(10, unit=PrivacyUnit()), rng=ConstantNoise(0))


def test_an_inaudible_share_is_refused_beforehand() -> None:
    """Noise beyond any count helps nobody."""
    with pytest.raises(ConfigError, match="a share of epsilon is as small as"):
        mechanism(epsilon=Fraction(1, 2**39))


def test_the_loudest_plan_is_refused_beforehand() -> None:
    """Coarser margins that take the places of one may be many: epsilon must be enough for all that could be chosen."""
    universe = Universe(tuple(Axis(name=name, size=64) for name in "abc"))
    cells = PlannedMargins(
        universe=universe,
        candidates=candidates(universe, ()),
        epsilon_plan=Fraction(1),
        epsilon_margins=Fraction(1),
        unit=PrivacyUnit(),
    )
    assert len(cells.candidates) == 1 and max(len(cells.plan(n)) for n in range(1, 10000, 50)) == 3
    with pytest.raises(ConfigError, match="share of epsilon"):
        replace(cells, epsilon_margins=Fraction(4, LARGEST_SCALE))
