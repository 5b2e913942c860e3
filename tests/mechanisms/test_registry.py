"""Methods by name: what each builds of a release file's features."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from quietway.errors import ConfigError
from quietway.estimate.registry import FITS
from quietway.mechanisms.registry import METHODS, Request
from quietway.universe import Axis, Partition, PrivacyUnit, Universe, grouped

CITY = Universe((Axis(name="zone", size=6), Axis(name="hour", size=4)))
SIDES = Partition.by(CITY, [grouped(CITY, ["zone"], np.array([0, 0, 0, 1, 1, 1]), name="side")])
FEATURES = (
    ("sides", SIDES),
    ("zones", Partition.margin(CITY, ["zone"])),
    ("hours", Partition.margin(CITY, ["hour"])),
    ("everything", Partition.margin(CITY, ["hour", "zone"])),
)


def request(**changes: object) -> Request:
    """What a release file asks for."""
    settings = {
        "universe": CITY,
        "features": FEATURES,
        "unit": PrivacyUnit(),
        "epsilon": Fraction(1),
        "split": None,
    }
    return Request(**settings | changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", METHODS)
def test_every_method_spends_exactly_what_is_asked(name: str) -> None:
    """Whatever is measured, the parts add up to the whole epsilon."""
    mechanism = METHODS[name].build(request(epsilon=Fraction(1, 3)))
    assert mechanism.cost.epsilon == Fraction(1, 3)


@pytest.mark.parametrize("name", METHODS)
def test_every_fit_of_a_method_exists(name: str) -> None:
    """A method names fits that the public side knows, one at least."""
    assert METHODS[name].fits
    assert set(METHODS[name].fits) <= FITS.keys()


def test_a_hierarchy_climbs_the_features_that_nest() -> None:
    """Crossing features, and the cells in another order, are not levels: nothing is measured twice."""
    mechanism = METHODS["hierarchy"].build(request())
    assert [name for name, _ in mechanism.parts] == ["total", "sides", "zones", "cells"]


def test_levels_may_be_chosen_by_name() -> None:
    """Named levels are used as they are named, and an unknown one is answered with the nearest."""
    mechanism = METHODS["hierarchy"].build(request(levels=("hours",)))
    assert [name for name, _ in mechanism.parts] == ["total", "hours", "cells"]
    with pytest.raises(
        ConfigError, match=r"method\.levels: there is no feature 'zone'; did you mean 'zones'"
    ):
        METHODS["hierarchy"].build(request(levels=("zone",)))


def test_laplace_measures_every_feature() -> None:
    """The total and the cells are added to the features named."""
    mechanism = METHODS["laplace"].build(request())
    assert [name for name, _ in mechanism.parts] == ["total", *(name for name, _ in FEATURES), "cells"]


def test_a_split_is_given_the_sizes() -> None:
    """A budget rule divides by the number of blocks of each part."""
    seen = list[tuple[int, ...]]()

    def split(sizes: object) -> tuple[Fraction, ...]:
        seen.append(tuple(sizes))  # type: ignore[arg-type]
        return tuple(Fraction(1, 4) for _ in seen[-1])

    METHODS["hierarchy"].build(request(split=split))
    assert seen == [(1, 2, 6, 24)]
