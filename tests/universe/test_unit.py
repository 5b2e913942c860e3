"""The privacy unit: whose presence is hidden."""

from __future__ import annotations

import pytest

from quietway.errors import ConfigError
from quietway.universe import Neighbours, PrivacyUnit, Protects


@pytest.mark.parametrize(
    ("unit", "sensitivity"),
    [
        (PrivacyUnit(), 1),
        (PrivacyUnit(neighbours=Neighbours.REPLACE_ONE), 2),
        (PrivacyUnit(protects=Protects.USER, max_trips=4), 4),
        (PrivacyUnit(protects=Protects.USER_DAY, max_trips=3, neighbours=Neighbours.REPLACE_ONE), 6),
    ],
)
def test_sensitivity_is_what_one_contributor_can_move(unit: PrivacyUnit, sensitivity: int) -> None:
    """Each kept trip moves one cell by one, and an exchange moves twice as much."""
    assert unit.sensitivity == sensitivity
    assert PrivacyUnit.from_json(unit.to_json()) == unit


@pytest.mark.parametrize("protects", [Protects.USER, Protects.USER_DAY])
def test_people_need_a_bound(protects: Protects) -> None:
    """Protecting people without saying how many trips each may keep is refused."""
    with pytest.raises(ConfigError, match=f"unit '{protects}' needs max_trips"):
        PrivacyUnit(protects=protects)
    with pytest.raises(ConfigError, match="it must be 1 or more"):
        PrivacyUnit(protects=protects, max_trips=0)


def test_a_trip_keeps_itself() -> None:
    """A bound on trips of a trip means something else was meant."""
    with pytest.raises(ConfigError, match="max_trips must be left out"):
        PrivacyUnit(max_trips=2)
