"""Quietway: publish people's trips under differential privacy.

import quietway

release = quietway.release("release.toml")     # pay, measure, fit, publish
release.query({"period": slice("08:00", "10:00")})
release = quietway.load("published")           # later, from the folder alone
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quietway.budget import Cost, Ledger
    from quietway.errors import QuietwayError
    from quietway.measurement import Measurement
    from quietway.paths.spec import PathSpec
    from quietway.paths.spec import load_any_spec as load_spec
    from quietway.pipeline import release
    from quietway.publish.paths.release import PathAnswer, PathRelease
    from quietway.publish.release import Answer, Margin, Release
    from quietway.publish.store import load_release as load
    from quietway.rehearsal import Rehearsal, rehearse
    from quietway.spec import ReleaseSpec
    from quietway.universe import (
        Axis,
        Frame,
        Neighbours,
        Partition,
        PathSpace,
        PrivacyUnit,
        Protects,
        Range,
        Region,
        Universe,
    )

__all__ = [
    "Answer",
    "Axis",
    "Cost",
    "Frame",
    "Ledger",
    "Margin",
    "Measurement",
    "Neighbours",
    "Partition",
    "PathAnswer",
    "PathRelease",
    "PathSpace",
    "PathSpec",
    "PrivacyUnit",
    "Protects",
    "QuietwayError",
    "Range",
    "Region",
    "Rehearsal",
    "Release",
    "ReleaseSpec",
    "Universe",
    "load",
    "load_spec",
    "rehearse",
    "release",
]

_HOMES = {
    "quietway.budget": ("Cost", "Ledger"),
    "quietway.errors": ("QuietwayError",),
    "quietway.measurement": ("Measurement",),
    "quietway.pipeline": ("release",),
    "quietway.publish.paths.release": ("PathAnswer", "PathRelease"),
    "quietway.publish.release": ("Answer", "Margin", "Release"),
    "quietway.publish.store": ("load_release",),
    "quietway.rehearsal": ("Rehearsal", "rehearse"),
    "quietway.spec": ("ReleaseSpec",),
    "quietway.paths.spec": ("PathSpec", "load_any_spec"),
    "quietway.universe": (
        "Axis",
        "Frame",
        "Neighbours",
        "Partition",
        "PathSpace",
        "PrivacyUnit",
        "Protects",
        "Range",
        "Region",
        "Universe",
    ),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import on first use, so that `import quietway` costs nothing."""
    actual = {"load": "load_release", "load_spec": "load_any_spec"}.get(name, name)
    if actual not in _HOME or name not in __all__:
        raise AttributeError(f"module 'quietway' has no attribute '{name}'")
    return getattr(import_module(_HOME[actual]), actual)


def __dir__() -> list[str]:
    return sorted(__all__)
