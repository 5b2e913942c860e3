"""Manifests as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from quietway.publish.manifest import FORMAT, Manifest
from quietway.publish.release import Release
from quietway.universe import Neighbours, PrivacyUnit, Protects


@pytest.mark.parametrize("charged", [True, False])
@pytest.mark.parametrize("unit", [PrivacyUnit(), PrivacyUnit(protects=Protects.USER, max_trips=3)])
def test_a_manifest_survives_json(city: Release, unit: PrivacyUnit, charged: bool) -> None:
    """Every field is the same after JSON text, rationals exactly."""
    manifest = replace(
        city.manifest,
        unit=replace(unit, neighbours=Neighbours.REPLACE_ONE),
        epsilon=Fraction(1, 3),
        parts=(("total", Fraction(1, 7)), ("cells", Fraction(4, 21))),
        ledger_entry=3 if charged else None,
        ledger_hash="ab" if charged else None,
        rehearsal=not charged,
        private=charged,
    )
    assert Manifest.from_json(json.loads(json.dumps(manifest.to_json()))) == manifest


def test_a_manifest_says_its_format(city: Release) -> None:
    """The version of the format stands in the file, so that an older Quietway can refuse it."""
    assert city.manifest.to_json()["format"] == FORMAT


def test_an_entry_that_is_no_number_is_refused(city: Release) -> None:
    """A manifest edited by hand cannot smuggle a list where an entry's number belongs."""
    record = city.manifest.to_json() | {"ledger_entry": [7]}
    with pytest.raises(ValueError, match="must be a whole number"):
        Manifest.from_json(record)
